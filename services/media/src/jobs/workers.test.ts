import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createFastTimers, createLog, systemTimers, type Timers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import type { JobRow, Tables } from '../tables.ts'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { LocalQueue } from '../queue/local-queue.ts'
import { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { Platform } from '../platforms/schema.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { Jobs } from './jobs.ts'
import { firstQueued } from './store.ts'
import { Workers, type RunJob } from './workers.ts'

const log = createLog({ name: 'test', level: 'silent' })

/** Records nothing. */
const failures = { prepare: () => Promise.resolve(() => Promise.resolve()) }

async function openWorkers(run: RunJob, timers: Timers = systemTimers) {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const bus = createLocalBus<MediaEvent>()
  const queue = new LocalQueue({ first: () => firstQueued(database.query, timers.now()), log })
  const shared = { db: database.query, database, queue, bus, timers, log }
  const pauses = new PlatformPauses({ ...shared, onOpened: () => queue.wake() })
  const jobs = new Jobs({
    ...shared,
    queueSize: 20,
    readUrl: (url) => Promise.resolve({ platform: platformIn(url), url, key: url, isShortLink: false, isExtra: false }),
    lookup: { findSoon: () => Promise.resolve(undefined) },
    folders: { infoFile: () => '' },
    nameTemplate: () => '{title}',
    checkSpace: () => Promise.resolve(),
    checkRoom: () => Promise.resolve(),
  })
  const discarded: string[] = []
  const discard = (id: string) => Promise.resolve(void discarded.push(id))
  const openOther = () => new Workers({ ...shared, pauses, failures, lease: 60_000, discard, run })
  const workers = openOther()
  const submit = async (url: string) => (await jobs.submit({ url, type: 'audio', quality: 'max' })).id
  const row = (id: string) => jobs.row(id)
  return { workers, openOther, discarded, queue, pauses, submit, row, [Symbol.asyncDispose]: () => database.close() }
}

const platformIn = (url: string): Platform => (url.startsWith('tiktok') ? 'tiktok' : 'youtube')

test('a job is handed back as soon as the worker is to stop, before its tools have ended', async () => {
  const { promise: toolsEnd, resolve: endTools } = Promise.withResolvers<void>()
  await using place = await openWorkers(async (_job, hand) => {
    await hand.advance('download-begun')
    await toolsEnd
    hand.signal.throwIfAborted()
  })
  await place.workers.start(3)
  const ids = [await place.submit('one'), await place.submit('two')]
  const statuses = () => Promise.all(ids.map(async (id) => (await place.row(id)).status))
  await eventually(statuses, (all) => all.every((status) => status === 'downloading'))
  const closed = place.workers.close()
  await eventually(statuses, (all) => all.every((status) => status === 'queued'))
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await place.row(id)).interruptions)), [0, 0])
  endTools()
  await closed
  assert.deepEqual(await statuses(), ['queued', 'queued'])
})

test('a stop at any time of the beginning of a job leaves it in the queue', async () => {
  for (let turns = 0; turns < 12; turns++) {
    await using place = await openWorkers(async (_job, hand) => {
      await hand.advance('download-begun')
      await new Promise((resolve) => hand.signal.addEventListener('abort', resolve))
      hand.signal.throwIfAborted()
    })
    await place.workers.start(2)
    const id = await place.submit('one')
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    await place.workers.close()
    const { status, interruptions } = await place.row(id)
    assert.deepEqual([turns, status, interruptions], [turns, 'queued', 0])
  }
})

/** Workers whose sounds are stored, and whose analysis never ends by itself. */
async function openAnalysing() {
  const place = await openWorkers(async (_job, hand) => {
    await hand.advance('download-begun')
    await hand.advance('analysis-begun', { artifact: 'source.m4a', finished_at: 5 })
    await new Promise((resolve) => hand.signal.addEventListener('abort', resolve))
    hand.signal.throwIfAborted()
  })
  await place.workers.start(1)
  const id = await place.submit('one')
  const read = () => place.row(id)
  await eventually(read, ({ status }) => status === 'analysis')
  return { ...place, id, read }
}

const fileAndWish = ({ status, artifact, lease_until, finished_at, analysis_wanted_at }: JobRow) => ({
  status,
  artifact,
  lease_until,
  finished_at,
  isWanted: analysis_wanted_at !== null,
})
const storedAndWanted = {
  status: 'done',
  artifact: 'source.m4a',
  lease_until: null,
  finished_at: 5,
  isWanted: true,
}

test('a stop during the analysis keeps the stored file: the job is done, and its sound is analysed later', async () => {
  await using place = await openAnalysing()
  await place.workers.close()
  assert.deepEqual(fileAndWish(await place.read()), storedAndWanted)
  assert.deepEqual(place.discarded, [])
})

test('so does a worker that is lost during the analysis', async () => {
  await using place = await openAnalysing()
  const other = place.openOther()
  await other.recover(true)
  const row = await place.read()
  assert.deepEqual(fileAndWish(row), storedAndWanted)
  assert.equal(row.interruptions, 1)
  await other.close()
  await place.workers.close()
  assert.deepEqual(fileAndWish(await place.read()), storedAndWanted, 'the lost worker changes nothing any more')
  assert.deepEqual(place.discarded, [])
})

test('a job that cannot be claimed does not block the event loop and is retried when the queue wakes', async () => {
  let tries = 0
  const queue = new LocalQueue({ first: () => Promise.resolve({ id: 'one', attempt: 1 }), log })
  await queue.start({ begin: () => Promise.resolve(void (tries += 1)) }, 1)
  // Endless microtasks would never let this come.
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(tries, 1)
  queue.wake()
  await eventually(
    () => tries,
    (count) => count === 2,
  )
  await queue.close()
})

/** Workers of a platform that refuses this server until it is told otherwise. */
async function openRefused(workerCount: number) {
  const timers = createFastTimers(1)
  const state = { isRefusing: true }
  const tried: string[] = []
  const place = await openWorkers(async (job, handle) => {
    tried.push(job.url)
    await handle.advance('download-begun')
    if (state.isRefusing && job.platform === 'youtube') throw new MediaFailure('bot_check')
    handle.admitted()
    await handle.advance('finished', { lease_until: null })
  }, timers)
  await place.workers.start(workerCount)
  const nextTry = async () => {
    const before = tried.length
    timers.jump(5 * 3_600_000)
    place.queue.wake()
    await eventually(
      () => tried.length,
      (count) => count > before,
    )
    await eventually(
      () => place.pauses.list(),
      (pauses) => pauses.every(({ is_probing }) => !is_probing),
    )
  }
  return { ...place, state, tried, nextTry }
}

test('a robot check burns no job: the queue of the platform waits, one is tried, and all are done in the end', async () => {
  await using place = await openRefused(1)
  const ids: string[] = []
  for (const name of ['one', 'two', 'three', 'tiktok']) ids.push(await place.submit(name))
  const statuses = () => Promise.all(ids.map(async (id) => (await place.row(id)).status))
  await eventually(statuses, (all) => all[3] === 'done')
  assert.deepEqual(
    [place.tried, await statuses()],
    [
      ['one', 'tiktok'],
      ['queued', 'queued', 'queued', 'done'],
    ],
  )
  assert.match((await place.row(ids[0]!)).message ?? '', /^YouTube refuses this server for now/)
  await place.nextTry()
  await place.nextTry()
  assert.deepEqual(place.tried, ['one', 'tiktok', 'one', 'two'], 'each probe is another job')
  assert.deepEqual((await place.pauses.list())[0]?.refusals, 3)
  place.state.isRefusing = false
  await place.nextTry()
  await eventually(statuses, (all) => all.every((status) => status === 'done'))
  assert.deepEqual(await place.pauses.list(), [])
  await place.workers.close()
})

test('a job that is refused again and again fails with the reason, and does not block the platform for ever', async () => {
  await using place = await openRefused(1)
  const id = await place.submit('one')
  await eventually(
    () => place.tried.length,
    (count) => count === 1,
  )
  for (let round = 0; round < 5; round++) await place.nextTry()
  const row = await eventually(
    () => place.row(id),
    ({ status }) => status === 'error',
  )
  assert.deepEqual([row.error_code, place.tried.length], ['bot_check', 6])
  await place.workers.close()
})

test('jobs that several workers began before the pause all come back, and count as one refusal', async () => {
  await using place = await openRefused(4)
  const ids = [await place.submit('one'), await place.submit('two'), await place.submit('three')]
  await eventually(
    () => place.tried.length,
    (count) => count >= 1,
  )
  await eventually(
    () => Promise.all(ids.map(async (id) => (await place.row(id)).status)),
    (all) => all.every((status) => status === 'queued'),
  )
  assert.equal((await place.pauses.list())[0]?.refusals, 1)
  await place.workers.close()
})
