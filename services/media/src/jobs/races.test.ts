import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import * as fc from 'fast-check'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { LocalQueue } from '../queue/local-queue.ts'
import { PlatformPauses } from '../pauses/platform-pauses.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { Jobs } from './jobs.ts'
import { isTerminal } from './job-machine.ts'
import { firstQueued } from './store.ts'
import { Workers } from './workers.ts'

/** Actions of a person on one job, in any order and at any moment of its work. */
type Act = 'cancel' | 'retry' | 'wait'

async function live(acts: readonly Act[], outcome: 'good' | 'bad'): Promise<void> {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const log = createLog({ name: 'test', level: 'silent' })
  const bus = createLocalBus<MediaEvent>()
  const queue = new LocalQueue({ first: () => firstQueued(database.query, Date.now()), log })
  const jobs = new Jobs({
    database,
    queue,
    bus,
    timers: systemTimers,
    queueSize: 5,
    readUrl: (url) => Promise.resolve({ platform: 'youtube', url, key: url, isShortLink: false, isExtra: false }),
    lookup: { findSoon: () => Promise.resolve(undefined) },
    folders: { infoFile: () => '' },
    nameTemplate: () => '{title}',
    checkSpace: () => Promise.resolve(),
    checkRoom: () => Promise.resolve(),
  })
  let running = 0
  let finished = 0
  const told: string[] = []
  bus.subscribe((event) => 'id' in event && told.push(event.status))
  const workers = new Workers({
    db: database.query,
    queue,
    bus,
    timers: systemTimers,
    log,
    lease: 60_000,
    pauses: new PlatformPauses({ db: database.query, bus, timers: systemTimers, onOpened: () => queue.wake() }),
    failures: { prepare: () => Promise.resolve(() => Promise.resolve()) },
    discard: () => Promise.resolve(),
    async run(_job, hand) {
      running += 1
      // Two attempts at the same moment would write over each other.
      assert.ok(running <= 2)
      try {
        await hand.advance('download-begun')
        await turn()
        hand.signal.throwIfAborted()
        if (outcome === 'bad') throw new MediaFailure('network')
        await hand.advance('analysis-begun', { artifact: 'source.m4a' })
        await turn()
        await hand.advance('analysed')
        finished += 1
      } finally {
        running -= 1
      }
    },
  })
  await workers.start(2)
  const { id } = await jobs.submit({ url: randomUUID(), type: 'audio', quality: 'max' })
  let refused = 0
  for (const act of acts) {
    if (act === 'wait') await turn()
    else await jobs[act](id).catch(() => (refused += 1))
  }
  const isOver = async () => isTerminal((await jobs.row(id)).status) && running === 0
  while (!(await isOver())) await turn()
  const row = await jobs.row(id)
  const lastTold = told.at(-1)
  assert.equal(row.status, lastTold, 'the last thing that was told is how it is')
  assert.equal(row.status === 'analysis_done', finished > 0)
  assert.ok(finished <= 1, 'it was finished twice')
  if (row.status === 'cancelled' || row.status === 'error') assert.equal(row.lease_until, null)
  assert.ok(refused <= acts.length)
  await workers.close()
  await database.close()
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('cancelling, retrying and finishing in 1000 random orders leave one consistent state', async () => {
  const acts = fc.array(fc.constantFrom<Act>('cancel', 'retry', 'wait', 'wait', 'wait'), { maxLength: 14 })
  await fc.assert(fc.asyncProperty(acts, fc.constantFrom('good' as const, 'bad' as const), live), { numRuns: 1000 })
})
