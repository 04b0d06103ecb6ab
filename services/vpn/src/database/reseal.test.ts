import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase } from '@hearth/database'
import { sealContext } from '../interfaces/desired-devices.ts'
import { newPeerRow } from '../peers/new-peer.ts'
import { insertPeerRow } from '../peers/store.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import { migrations } from './migrations/index.ts'
import { resealAll } from './store.ts'

test('the keys of a peer that wait to replace the present ones are sealed again with these', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  const db = database.query
  await migrate(db, migrations)
  const [from, to] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))]
  const texts = { name: 'wg0', address: '10.1.0.1/24', address6: null, dns: '', public_key: 'key' }
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
  const private_key = from.seal('interface key', sealContext.interfaceKey('wg0'))
  const on: InterfaceRow = { ...texts, ...switches, ...numbers, private_key }
  await db.insertInto('interfaces').values(on).execute()
  const context = {
    sealer: from,
    settings: () => ({ default_routing_mode: 'full_tunnel', default_persistent_keepalive: 25 }) as const,
    now: 0,
    networks: { kind: database.kind, host: { networks: () => Promise.resolve([]) } },
  }
  const row = await newPeerRow(db, on, { input: { name: 'phone', interface: 'wg0' }, context })
  const [key, preshared] = [sealContext.peerKey(row.id), sealContext.presharedKey(row.id)]
  const next_private_key = from.seal('next key', key)
  await insertPeerRow(db, { ...row, next_private_key, next_preshared_key: from.seal('next preshared key', preshared) })
  assert.equal(await resealAll(db, from, to), 5)
  const after = await db.selectFrom('peers').selectAll().executeTakeFirstOrThrow()
  assert.equal(to.open(after.next_private_key ?? '', key), 'next key')
  assert.equal(to.open(after.next_preshared_key ?? '', preshared), 'next preshared key')
  assert.equal(to.open(after.private_key ?? '', key), from.open(row.private_key ?? '', key))
})
