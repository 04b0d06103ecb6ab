import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { interfaceRow } from '../../test/stored-rows.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { readTunnelListeners } from './resolver-input.ts'

test('names are answered at the interfaces that run on this host, and not at those of nodes', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  const db = database.query
  try {
    await migrate(db, migrations)
    const node = { id: 'n1', name: 'Berlin', name_key: 'berlin', created_at: 0 }
    await db.insertInto('nodes').values(node).execute()
    const add = (name: string, more: object) =>
      db
        .insertInto('interfaces')
        .values(interfaceRow({ name, public_key: name, ...more }))
        .execute()
    await add('wg0', {})
    await add('wg1', { address: '10.9.0.1/24', listen_port: 2, enabled: 0 })
    await add('wg2', { address: '10.10.0.1/24', node_id: 'n1' })
    const listeners = await readTunnelListeners(db)
    assert.deepEqual([...new Set(listeners.map(({ address }) => address))], ['10.8.0.1'])
  } finally {
    await database.close()
  }
})
