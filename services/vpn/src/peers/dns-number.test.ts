import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import { type NewPeerContext, newPeerRow } from './new-peer.ts'
import { insertPeerRow } from './store.ts'

const texts = { name: 'wg0', address: '10.1.0.1/24', address6: null, dns: '', private_key: '', public_key: 'key' }
const switches = { nat: 1, forwarding: 1, enabled: 1 }
const numbers = {
  listen_port: 51_820,
  mtu: 1420,
  next_host: 0,
  created_at: 0,
  updated_at: 0,
  node_id: null,
  standby_node_id: null,
}
const on: InterfaceRow = { ...texts, ...switches, ...numbers }

test('a number that another peer has is drawn again', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  await database.query.insertInto('interfaces').values(on).execute()
  const drawn = [7, 7, 7, 8]
  const context: NewPeerContext = {
    sealer: createSealer(randomBytes(32)),
    settings: () => ({ default_routing_mode: 'full_tunnel', default_persistent_keepalive: 25 }),
    now: 0,
    networks: { kind: database.kind, host: { networks: () => Promise.resolve([]) } },
    drawNumber: () => drawn.shift() ?? assert.fail('drawn too often'),
  }
  const numbers: number[] = []
  for (const name of ['phone', 'laptop']) {
    const row = await newPeerRow(database.query, on, { input: { name, interface: on.name }, context })
    await insertPeerRow(database.query, row)
    numbers.push(row.dns_number)
  }
  assert.deepEqual(numbers, [7, 8])
})
