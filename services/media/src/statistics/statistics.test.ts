import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import type { JobRow } from '../tables.ts'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { openSettings } from '../settings/settings.ts'
import { createStatistics } from './statistics.ts'

const day = 86_400_000
const now = Date.UTC(2026, 10, 21, 15)

async function onDatabase(location: DatabaseLocation, name: string): Promise<void> {
  const database = await openTables(location)
  const db = database.query
  const clock = createManualClock(now)
  const bus = createLocalBus<MediaEvent>()
  const settings = await openSettings(db)
  const statistics = createStatistics({ db, settings, bus, clock })
  const add = async (...rows: Partial<JobRow>[]) => {
    await db.deleteFrom('jobs').execute()
    for (const row of rows)
      await db
        .insertInto('jobs')
        .values(finishedJob({ finished_at: now - 1000, ...row }))
        .execute()
    clock.advance(60_001)
  }

  await test(`${name}: without jobs each of the thirty days is zero`, async () => {
    await add()
    const figures = await statistics.read()
    const { by_day, ...rest } = figures
    assert.deepEqual(rest, {
      total_jobs: 0,
      total_minutes: 0,
      total_bytes: 0,
      total_stem_minutes: 0,
      since: null,
      by_platform: [],
    })
    assert.equal(by_day.length, 30)
    assert.deepEqual(
      [by_day[0], by_day[29]],
      [
        { day: '2026-10-23', jobs: 0, bytes: 0 },
        { day: '2026-11-21', jobs: 0, bytes: 0 },
      ],
    )
  })

  await test(`${name}: completed jobs count, others do not; failures are counted by platform`, async () => {
    await add(
      { duration_ms: 90_000, filesize_bytes: 5_000_000_000, stem_ms: 33_000 },
      { status: 'done', type: 'video', platform: 'tiktok', duration_ms: null, filesize_bytes: null },
      { status: 'done', duration_ms: 59_999, filesize_bytes: 6_000_000_000 },
      { status: 'error', filesize_bytes: 7 },
      { status: 'error', platform: 'facebook', filesize_bytes: null },
      { status: 'cancelled' },
      { status: 'queued', finished_at: null },
      // A file that is there while its analysis goes on is no finished job yet.
      { status: 'analysis' },
    )
    const { total_jobs, total_minutes, total_bytes, total_stem_minutes, by_platform } = await statistics.read()
    assert.deepEqual([total_jobs, total_minutes, total_bytes, total_stem_minutes], [3, 2.5, 11_000_000_000, 0.6])
    assert.deepEqual(structuredClone(by_platform), [
      { platform: 'youtube', jobs: 2, bytes: 11_000_000_000, failed: 1 },
      { platform: 'tiktok', jobs: 1, bytes: 0, failed: 0 },
      { platform: 'facebook', jobs: 0, bytes: 0, failed: 1 },
    ])
  })

  await test(`${name}: days are in UTC, and those before the thirty are left out`, async () => {
    const today = now - (now % day)
    await add(
      { finished_at: today },
      { finished_at: today - 1, filesize_bytes: 10 },
      { finished_at: today - 29 * day },
      { finished_at: today - 29 * day - 1 },
    )
    const { by_day, total_jobs } = await statistics.read()
    assert.equal(total_jobs, 4)
    assert.deepEqual(
      by_day.filter(({ jobs }) => jobs > 0),
      [
        { day: '2026-10-23', jobs: 1, bytes: 1000 },
        { day: '2026-11-20', jobs: 1, bytes: 10 },
        { day: '2026-11-21', jobs: 1, bytes: 1000 },
      ],
    )
  })

  await test(`${name}: statistics are cached for a minute; a reset, here or elsewhere, refreshes them at once`, async () => {
    await add({}, {})
    assert.equal((await statistics.read()).total_jobs, 2)
    await db.deleteFrom('jobs').execute()
    clock.advance(59_999)
    assert.equal((await statistics.read()).total_jobs, 2)
    clock.advance(2)
    assert.equal((await statistics.read()).total_jobs, 0)

    await add({ finished_at: clock.now() - 1, bpm: 100 })
    assert.equal((await statistics.read()).total_jobs, 1)
    const told: string[] = []
    const stop = bus.subscribe((event) => void told.push('type' in event ? event.type : ''))
    await statistics.reset()
    stop()
    assert.deepEqual(told, ['settings_changed'])
    const figures = await statistics.read()
    assert.deepEqual([figures.total_jobs, figures.since], [0, new Date(clock.now()).toISOString()])
    assert.deepEqual(await statistics.clusters(10), [])

    // Another process has stamped a marker; the event makes this one read the settings again.
    const other = await openSettings(db)
    await other.write({}, { statistics_reset_at: '1' })
    await settings.refresh()
    assert.deepEqual([(await statistics.read()).total_jobs, (await statistics.clusters(10)).length], [1, 1])
    await other.write({}, { statistics_reset_at: null })
    await settings.refresh()
    assert.equal((await statistics.read()).since, null)
  })

  await test(`${name}: tempi are grouped in steps of five, most frequent first, then slowest first`, async () => {
    const tempi = [122, 118, 117, 88, 87, 90, 174, 0, 3]
    await add(
      ...tempi.map((bpm, index) => ({ bpm, finished_at: now - index * 1000 })),
      {},
      { status: 'error', bpm: 60 },
    )
    assert.deepEqual(await statistics.clusters(1000), [
      { bpm: 90, count: 2 },
      { bpm: 120, count: 2 },
      { bpm: 0, count: 1 },
      { bpm: 5, count: 1 },
      { bpm: 85, count: 1 },
      { bpm: 115, count: 1 },
      { bpm: 175, count: 1 },
    ])
    // Of the latest three.
    assert.deepEqual(await statistics.clusters(3), [
      { bpm: 120, count: 2 },
      { bpm: 115, count: 1 },
    ])
  })

  await test(`${name}: a database failure is not cached`, async () => {
    await add({})
    const broken = createStatistics({ db, settings, bus, clock })
    await db.schema.alterTable('jobs').renameTo('elsewhere').execute()
    await assert.rejects(broken.read())
    await db.schema.alterTable('elsewhere').renameTo('jobs').execute()
    assert.equal((await broken.read()).total_jobs, 1)
  })

  await database.close()
}

test('on SQLite', () => onDatabase({ file: ':memory:' }, 'SQLite'))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL'))
