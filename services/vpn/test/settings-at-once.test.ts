import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { createLog, createManualClock } from '@hearth/runtime'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { startRetention } from '../src/traffic/retention.ts'
import { startService } from './in-process.ts'

test('a shorter sampling interval applies at once', async () => {
  await using first = await startService()
  await first.call('PUT', '/api/settings', { sample_interval_seconds: 300 })
  await first.stop()
  // From its start on this one pauses for five minutes.
  await using service = await startService({}, first.folder)
  Object.assign(service, { admin: first.admin })
  const { sampler } = service.service.app
  const before = await eventually(
    () => sampler.lastReport()?.at,
    (at) => at !== undefined,
  )
  await service.call('PUT', '/api/settings', { sample_interval_seconds: 1 })
  await eventually(
    () => sampler.lastReport()?.at ?? 0,
    (at) => at > (before ?? 0),
  )
})

test('traffic beyond a shorter retention is deleted at once, but not after a jump of the clock', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const clock = createManualClock(Date.parse('2026-11-21T12:00:00Z'))
  let days = 0
  const deleted: number[] = []
  const retention = startRetention({
    database,
    clock,
    log: createLog({ name: 'test', level: 'silent' }),
    peers: () => [],
    retentionDays: () => days,
    others: [(before) => Promise.resolve(void deleted.push(before))],
  })
  assert.deepEqual(deleted, [])
  const cleared = (times: number) =>
    eventually(
      () => deleted.length,
      (count) => count === times,
    )
  days = 10
  retention.changed()
  await cleared(1)
  assert.equal(deleted[0], clock.now() - 10 * 86_400_000)
  clock.jump(400 * 86_400_000)
  retention.changed()
  clock.jump(-400 * 86_400_000)
  retention.changed()
  clock.advance(3_600_000)
  retention.changed()
  await cleared(2)
  assert.equal(deleted[1], clock.now() - 10 * 86_400_000)
  await retention.close()
  await database.close()
})
