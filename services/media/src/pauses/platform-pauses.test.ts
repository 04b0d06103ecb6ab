import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createLocalBus } from '@hearth/events'
import { createFastTimers } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import type { MediaEvent } from '../events.ts'
import { advanceJob, firstQueued, insertJob } from '../jobs/store.ts'
import type { JobRow } from '../tables.ts'
import { pauseLength } from './pause-rules.ts'
import { PlatformPauses } from './platform-pauses.ts'

const minute = 60_000

const queued = (more: Partial<JobRow> = {}): JobRow =>
  finishedJob({ status: 'queued', finished_at: null, artifact: null, ...more })

async function openPauses(location: DatabaseLocation) {
  const database = await openTables(location)
  const timers = createFastTimers(1)
  const bus = createLocalBus<MediaEvent>()
  let opened = 0
  const pauses = new PlatformPauses({ db: database.query, bus, timers, onOpened: () => (opened += 1) })
  const inTransaction = <T>(work: (trx: typeof database.query) => Promise<T>) =>
    database.query.transaction().execute(work)
  return {
    db: database.query,
    timers,
    pauses,
    opened: () => opened,
    admit: (job: JobRow) =>
      inTransaction(async (trx) => {
        const admission = await pauses.admit(trx, job)
        if (admission !== 'held')
          await advanceJob(trx, { id: job.id, attempt: job.attempt, step: 'claimed', values: { lease_until: 1 } })
        return admission
      }),
    refuse: (job: JobRow) => inTransaction((trx) => pauses.refuse(trx, job, 'rate_limited')),
    async add(more: Partial<JobRow> = {}) {
      const job = queued(more)
      await insertJob(database.query, job)
      return job
    },
    first: async () => (await firstQueued(database.query, timers.now()))?.id,
    [Symbol.asyncDispose]: () => database.close(),
  }
}

interface Where {
  readonly name: string
  readonly skip?: string | false
  readonly createLocation: () => Promise<DatabaseLocation>
}

function onDatabase({ name, skip = false, createLocation }: Where): void {
  test(`${name}: a paused platform holds its jobs back and no other's`, { skip }, async () => {
    await using place = await openPauses(await createLocation())
    const [one, two] = [await place.add({ queued_at: 1 }), await place.add({ queued_at: 2 })]
    const other = await place.add({ platform: 'tiktok', queued_at: 3 })
    assert.equal(await place.admit(one), 'free')
    assert.equal(await place.refuse(one), false)
    assert.equal(await place.first(), other.id)
    assert.deepEqual([await place.admit(two), await place.admit(other)], ['held', 'free'])
    const [pause] = await place.pauses.list()
    assert.deepEqual([pause?.platform, pause?.refusals, pause?.is_probing], ['youtube', 1, false])
  })

  test(`${name}: after a pause one job is tried, of several that come at once`, { skip }, async () => {
    await using place = await openPauses(await createLocation())
    const jobs = [await place.add(), await place.add(), await place.add(), await place.add()]
    await place.refuse(jobs[0]!)
    place.timers.jump(pauseLength('rate_limited', 1) + 1)
    const admissions = await Promise.all(jobs.map((job) => place.admit(job)))
    assert.deepEqual(admissions.toSorted(), ['held', 'held', 'held', 'probe'])
    assert.equal(await place.first(), undefined, 'nothing else is handed out')
    const probe = jobs[admissions.indexOf('probe')]!
    await place.pauses.admitted(probe)
    assert.deepEqual([await place.pauses.list(), place.opened()], [[], 1])
    assert.ok(await place.first())
  })

  test(`${name}: a refused probe doubles the pause, an old job changes nothing`, { skip }, async () => {
    await using place = await openPauses(await createLocation())
    const [probe, old] = [await place.add(), await place.add()]
    await place.refuse(old)
    await place.refuse(old)
    const until = async () => (await place.pauses.list())[0]!.paused_until - place.timers.now()
    assert.ok((await until()) <= 5 * minute)
    place.timers.jump(5 * minute + 1)
    assert.equal(await place.admit(probe), 'probe')
    assert.equal(await place.refuse(old), false, 'it began before')
    assert.equal(await place.refuse(probe), true)
    assert.ok((await until()) > 9 * minute)
    await place.pauses.admitted(probe)
    assert.equal((await place.pauses.list()).length, 1, 'it is the probe no longer')
  })

  test(`${name}: a probe whose worker is gone makes room, also after a cancellation`, { skip }, async () => {
    await using place = await openPauses(await createLocation())
    const [one, two, three] = [await place.add(), await place.add(), await place.add()]
    await place.refuse(one)
    await place.pauses.tryNow('youtube')
    assert.equal(await place.admit(one), 'probe')
    assert.equal(await place.admit(two), 'held')
    const back = { attempt: 2, lease_until: null }
    await advanceJob(place.db, { id: one.id, attempt: 1, step: 'handed-back', values: back })
    assert.equal(await place.admit(two), 'probe')
    await advanceJob(place.db, { id: two.id, step: 'cancelled', values: { lease_until: null } })
    assert.equal(await place.admit(three), 'probe')
  })

  test(
    `${name}: a platform that refuses a list is paused, and longer when it refuses again after the wait`,
    { skip },
    async () => {
      await using place = await openPauses(await createLocation())
      const job = await place.add()
      const refusals = async () => (await place.pauses.list()).map((pause) => pause.refusals)
      await place.pauses.refuseList('youtube', 'rate_limited')
      assert.deepEqual([await place.admit(job), await refusals()], ['held', [1]])
      assert.ok(await place.pauses.holding('youtube'))
      await place.pauses.refuseList('youtube', 'rate_limited')
      assert.deepEqual(await refusals(), [1], 'it was read before the pause')
      place.timers.jump(5 * minute + 1)
      assert.equal(await place.pauses.holding('youtube'), undefined)
      await place.pauses.refuseList('youtube', 'rate_limited')
      assert.deepEqual([await place.admit(job), await refusals()], ['held', [2]])
      place.timers.jump(10 * minute + 1)
      assert.equal(await place.admit(job), 'probe')
      await place.pauses.refuseList('youtube', 'rate_limited')
      assert.deepEqual(await refusals(), [2], 'the probe decides')
    },
  )

  test(`${name}: a pause is over when the clock is put back by more than it can last`, { skip }, async () => {
    await using place = await openPauses(await createLocation())
    const [one, two] = [await place.add(), await place.add()]
    await place.refuse(one)
    assert.equal(await place.first(), undefined)
    place.timers.jump(-24 * 60 * minute)
    assert.ok(await place.first())
    assert.deepEqual([await place.pauses.holding('youtube'), await place.admit(two)], [undefined, 'probe'])
  })
}

onDatabase({ name: 'SQLite', createLocation: () => Promise.resolve({ file: ':memory:' }) })
onDatabase({
  name: 'PostgreSQL',
  skip: postgresObstacle(),
  createLocation: async () => ({ url: await createPostgresDatabase() }),
})

test('a pause doubles up to an hour, or four for a robot check', () => {
  const lengths = (reason: 'rate_limited' | 'bot_check') =>
    [1, 2, 3, 4, 5, 6, 500].map((refusals) => pauseLength(reason, refusals) / minute)
  assert.deepEqual(lengths('rate_limited'), [5, 10, 20, 40, 60, 60, 60])
  assert.deepEqual(lengths('bot_check'), [15, 30, 60, 120, 240, 240, 240])
})
