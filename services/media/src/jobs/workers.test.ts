import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { LocalQueue } from '../queue/local-queue.ts'
import { Jobs } from './jobs.ts'
import { firstQueued } from './store.ts'
import { Workers, type RunJob } from './workers.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function openWorkers(run: RunJob) {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const bus = createLocalBus<MediaEvent>()
  const queue = new LocalQueue({ first: () => firstQueued(database.query), log })
  const shared = { db: database.query, database, queue, bus, timers: systemTimers, log }
  const jobs = new Jobs({
    ...shared,
    queueSize: 5,
    readUrl: (url) => Promise.resolve({ platform: 'youtube', url, key: url, isShortLink: false, isExtra: false }),
    lookup: { findSoon: () => Promise.resolve(undefined) },
    folders: { infoFile: () => '' },
    nameTemplate: () => '{title}',
    checkSpace: () => Promise.resolve(),
  })
  const workers = new Workers({ ...shared, lease: 60_000, discard: () => Promise.resolve(), run })
  const submit = async (url: string) => (await jobs.submit({ url, type: 'audio', quality: 'max' })).id
  const row = (id: string) => jobs.row(id)
  return { workers, submit, row, [Symbol.asyncDispose]: () => database.close() }
}

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
