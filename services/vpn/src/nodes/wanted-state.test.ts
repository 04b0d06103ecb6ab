import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'
import { generateKeyPair } from '../wireguard/keys.ts'
import { StateWaiters } from './state-waiters.ts'
import { WantedStates } from './wanted-state.ts'

const pairs = Array.from({ length: 4 }, () => ({ from: generateKeyPair().publicKey, to: generateKeyPair().publicKey }))

/** An interface whose peers, and whose new keys, a database returns in this order. */
function deviceOf(rotations: readonly { readonly from: string; readonly to: string }[]): DesiredDevice {
  const name = 'wg0'
  const { privateKey } = generateKeyPair()
  const peers = rotations.flatMap(({ from, to }, index) => [
    { publicKey: from, presharedKey: null, allowedIps: [`10.8.0.${index + 2}/32`] },
    { publicKey: to, presharedKey: null, allowedIps: [] },
  ])
  return {
    config: { name, privateKey, listenPort: 51_820, addresses: ['10.8.0.1/24'], mtu: 1420, routes: [] },
    peers,
    rules: { name, subnets: ['10.8.0.0/24'], networks: [], nat: false, forwarding: true, isolated: [] },
    running: true,
    rotations,
  }
}

test('the revision of a state does not change with the order in which the database returns new keys', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const device = deviceOf(pairs)
  let order = pairs
  const states = new WantedStates({
    db: database.query,
    desired: { readOn: async () => [Object.assign({}, device, { rotations: order })] },
    limits: { read: async () => [] },
    waiters: new StateWaiters(),
  })
  const { signal } = new AbortController()
  const first = await states.answer('berlin', null, signal)
  order = pairs.toReversed()
  assert.equal((await states.answer('berlin', null, signal)).revision, first.revision)
  order = pairs.slice(1)
  assert.notEqual((await states.answer('berlin', null, signal)).revision, first.revision)
  await database.close()
})
