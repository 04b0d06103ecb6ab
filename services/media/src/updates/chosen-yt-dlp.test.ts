import assert from 'node:assert/strict'
import { finishedJob } from '../../test/job-row.ts'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate, openDatabase, type DatabaseLocation } from '@hearth/database'
import { createOutboundAllow } from '@hearth/outbound'
import { createLog, createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle, temporaryDirectory } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import type { JobRow, Tables } from '../tables.ts'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { insertJob } from '../jobs/store.ts'
import { openSettings } from '../settings/settings.ts'
import { ChosenYtDlp, type ChosenYtDlpDependencies } from './chosen-yt-dlp.ts'
import { firstEnds, lastFetched } from './store.ts'
import { encodePin, parsePin, type Fetched } from './tool-pin.ts'

const versionOf = (version: string): Fetched => ({ version, sha256: 'a'.repeat(64) })

async function open(location: DatabaseLocation) {
  const place = await temporaryDirectory('chosen')
  const database = openDatabase<Tables>(location)
  await migrate(database.query, migrations)
  const db = database.query
  const timers = createManualClock(1_000_000)
  const bus = createLocalBus<MediaEvent>()
  /** One process of the installation, with a data directory of its own. */
  const start = async (name: string, more: Partial<ChosenYtDlpDependencies> = {}, ytDlpPath?: string) => {
    const dataDirectory = join(place.path, name)
    const config = { dataDirectory, ytDlpPath, updatesUrl: undefined, outboundAllow: createOutboundAllow([]) }
    const settings = await openSettings(db)
    const log = createLog({ name: 'test', level: 'silent' })
    return new ChosenYtDlp({ config, db, settings, timers, log, bus, ...more })
  }
  const lay = async (name: string, version: string) => {
    const folder = join(place.path, name, 'tools/yt-dlp', version)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'yt-dlp'), '#!/bin/sh\n', { mode: 0o700 })
  }
  return {
    db,
    bus,
    timers,
    start,
    lay: lay,
    listOf: async (name: string) =>
      (await readdir(join(place.path, name, 'tools/yt-dlp'))).toSorted((a, b) => a.localeCompare(b)),
    async [Symbol.asyncDispose]() {
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

const row = (more: Partial<JobRow>): JobRow => finishedJob({ status: 'done', artifact: null, ...more })

async function onDatabase(location: DatabaseLocation): Promise<void> {
  await using world = await open(location)
  const { db, bus, timers, start, lay } = world

  await test('the operator’s program takes precedence, then the installed one, then the system’s', async () => {
    const web = await start('web')
    assert.equal(await web.program(), '/usr/bin/yt-dlp')
    await lay('web', '2026.01.01')
    await web.take(versionOf('2026.01.01'))
    assert.match(await web.program(), /web\/tools\/yt-dlp\/2026\.01\.01\/yt-dlp$/)
    const fixed = await start('web', {}, '/opt/yt-dlp')
    assert.deepEqual([await fixed.program(), fixed.isFixed, web.isFixed], ['/opt/yt-dlp', true, false])
    await lay('web', '2026.02.02')
    await web.take(versionOf('2026.02.02'))
    await lay('web', '2026.03.03')
    await web.take(versionOf('2026.03.03'))
    assert.deepEqual(
      await world.listOf('web'),
      ['2026.02.02', '2026.03.03'],
      'the one before is kept, older ones are not',
    )
    assert.equal(await web.goBack(), '2026.02.02')
    assert.match(await web.program(), /2026\.02\.02/)
    assert.equal(await web.goBack(), undefined)
  })

  await test('another process uses the installed version once it has it, and the system’s until then', async () => {
    const fetched: string[] = []
    const worker = await start('worker', {
      fetchMissing: async (_chosen, { version }) => {
        fetched.push(version)
        if (fetched.length === 1) throw new Error('no way out')
        await lay('worker', version)
      },
    })
    assert.equal(await worker.program(), '/usr/bin/yt-dlp')
    assert.equal(await worker.program(), '/usr/bin/yt-dlp')
    assert.deepEqual(fetched, ['2026.02.02'], 'a failure is not tried again at once')
    timers.advance(3_600_000)
    await eventually(
      () => worker.program(),
      (program) => program.includes('worker/tools/yt-dlp/2026.02.02'),
    )
    assert.equal(fetched.length, 2)
    worker.close()
  })

  await test('a trial ends with the first successful job, or fails after three outdated ones', async () => {
    const web = await start('web')
    const end = async (error_code: string | null, more: Partial<JobRow> = {}) => {
      timers.advance(10)
      const now = timers.now()
      const job = row({
        status: error_code === null ? 'done' : 'error',
        error_code,
        queued_at: now,
        finished_at: now,
        ...more,
      })
      await insertJob(db, job)
      bus.publish({ id: job.id, status: job.status, message: null, timestamp: new Date(now).toISOString() })
    }
    const take = async (version: string) => {
      await lay('web', version)
      await web.take(versionOf(version))
    }
    const onTrial = async () => (await web.pin())?.isOnTrial
    await take('2026.04.04')
    await end('tool_outdated', { queued_at: 5 })
    await end('tool_outdated')
    await end('tool_outdated')
    assert.equal(await onTrial(), true, 'the one from before the update does not count')
    await end('tool_outdated')
    await eventually(
      () => web.program(),
      (program) => program.includes('2026.02.02'),
    )
    assert.equal(await onTrial(), false)

    await take('2026.05.05')
    await end('tool_outdated')
    await end('private')
    await eventually(onTrial, (isOnTrial) => isOnTrial === false)
    for (let count = 0; count < 3; count += 1) await end('tool_outdated')
    assert.match(await web.program(), /2026\.05\.05/, 'a version that stood its trial stays')
    web.close()
  })

  await test('a late verdict on one version does not affect the next one', async () => {
    const settings = await openSettings(db)
    const verdict = Promise.withResolvers<void>()
    const mayWrite = Promise.withResolvers<void>()
    const wrote = Promise.withResolvers<void>()
    const held = async <T>(write: () => Promise<T>): Promise<T> => {
      verdict.resolve()
      await mayWrite.promise
      return write().finally(() => wrote.resolve())
    }
    const slow: typeof settings = {
      ...settings,
      write: (changes, internal) => held(() => settings.write(changes, internal)),
      exchange: (name, value) => held(() => settings.exchange(name, value)),
    }
    const [web, late] = [await start('web'), await start('web', { settings: slow })]
    await lay('web', '2026.06.06')
    await web.take(versionOf('2026.06.06'))
    assert.equal((await late.pin())?.isOnTrial, true)
    web.close()
    for (let count = 0; count < 3; count += 1) {
      timers.advance(10)
      const job = row({
        status: 'error',
        error_code: 'tool_outdated',
        queued_at: timers.now(),
        finished_at: timers.now(),
      })
      await insertJob(db, job)
      const timestamp = new Date(timers.now()).toISOString()
      bus.publish({ id: job.id, status: job.status, message: null, timestamp })
    }
    await verdict.promise
    await lay('web', '2026.07.07')
    await web.take(versionOf('2026.07.07'))
    mayWrite.resolve()
    await wrote.promise
    assert.match(await web.program(), /2026\.07\.07/)
    assert.equal((await web.pin())?.isOnTrial, true)
    late.close()
  })

  await test('the latest downloads are listed once each, newest first', async () => {
    const at = timers.now() + 1000
    const done = (media_key: string, finished_at: number, more: Partial<JobRow> = {}) =>
      insertJob(db, row({ media_key, url: `https://${media_key}`, finished_at, ...more }))
    await done('a', at)
    await done('b', at + 1)
    await done('a', at + 2)
    await done('c', at + 3, { status: 'error' })
    assert.deepEqual(
      (await lastFetched(db, 2)).map(({ url }) => url),
      ['https://a', 'https://b'],
    )
    assert.deepEqual(await firstEnds(db, { since: at * 2, limit: 3 }), [])
  })
}

test('on SQLite', () => onDatabase({ file: ':memory:' }))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }))

test('an invalid pin is ignored', () => {
  const pin = { current: versionOf('2026.01.01'), previous: 'system', since: 5, isOnTrial: true } as const
  assert.deepEqual(parsePin(encodePin(pin)), pin)
  assert.equal(parsePin(undefined), undefined)
  assert.equal(parsePin('{'), undefined)
  assert.equal(parsePin(encodePin(pin).replace('2026.01.01', '../../../bin')), undefined)
})
