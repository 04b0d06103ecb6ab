import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { createDispatchStore, StaleVersion } from './store.ts'

test('of two concurrent writers only one succeeds', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  const store = createDispatchStore(database.query)
  const row = (version: number, state: string) => ({ version, state, restore_required: 0, record: '{}' })
  await store.save('a', row(1, 'idle'))
  await assert.rejects(store.save('a', row(1, 'other')), StaleVersion)
  await store.save('a', row(2, 'charging'))
  await assert.rejects(store.save('a', row(2, 'other')), StaleVersion)
  await assert.rejects(store.save('a', row(4, 'other')), StaleVersion)
  await assert.rejects(store.save('b', row(2, 'other')), StaleVersion)
  const rows = (await store.all()).map((stored) => Object.assign({}, stored))
  assert.deepEqual(rows, [{ device_id: 'a', ...row(2, 'charging') }])
  await store.remove('a')
  assert.deepEqual(await store.all(), [])
})
