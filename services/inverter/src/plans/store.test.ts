import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { addPlan, plansBetween } from './store.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

test('the plans of yesterday are kept whatever their number, and those of the days before are not', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const begin = Date.parse('2026-11-25T00:00:00Z')
  for (let at = begin; at < begin + 72 * hourMs; at += 10 * minuteMs)
    await addPlan(database.query, 'a', { madeAt: at, document: '{}' })
  const yesterday = { from: begin + 48 * hourMs, until: begin + 72 * hourMs }
  assert.equal((await plansBetween(database.query, 'a', yesterday)).length, 145, 'and the one before them')
  const before = await plansBetween(database.query, 'a', { from: begin, until: begin + 23 * hourMs })
  assert.deepEqual(before, [])
  await database.close()
})
