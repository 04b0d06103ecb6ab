import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createLog, type Timers } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import { finishedJob, openTables } from '../../test/job-row.ts'
import { Problem } from '../problems.ts'
import { LeaseLost, takeLease, type SplitLease } from './split-lease.ts'
import { exchangeSettingRow } from '../settings/store.ts'
import { findSplit, releaseSplits } from './store.ts'

/** Time that stands still until it is moved; what is due then runs. */
function createHandTimers(start: number): Timers & { advance(ms: number): void } {
  let now = start
  const waiting = new Set<{ at: number; run: () => void }>()
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, run) {
      const entry = { at: now + ms, run }
      waiting.add(entry)
      return () => waiting.delete(entry)
    },
    delay: () => Promise.resolve(),
    advance(ms) {
      now += ms
      for (const entry of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(entry)
        entry.run()
      }
    },
  }
}

const isProblem = (status: number, retryAfter?: string) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.deepEqual([error.status, error.headers['retry-after']], [status, retryAfter])
  return true
}

async function onDatabase(location: DatabaseLocation, name: string): Promise<void> {
  const database = await openTables(location)
  const db = database.query
  const timers = createHandTimers(1_800_000_000_000)
  const parts = { database, timers, log: createLog({ name: 'test', level: 'silent' }) }
  const newJob = async () => {
    const job = finishedJob()
    await db.insertInto('jobs').values(job).execute()
    return job.id
  }
  const stemTime = async (id: string) =>
    (await db.selectFrom('jobs').select('stem_ms').where('id', '=', id).executeTakeFirstOrThrow()).stem_ms
  const take = (jobId: string, variant = '', onLost: (reason: LeaseLost) => void = () => undefined) => {
    const recordAfter = (previous: { record: string } | undefined) => previous?.record ?? '"new"'
    return takeLease(parts, { jobId, variant, durationMs: 5000, max: 2, recordAfter }, onLost)
  }
  const end = async (...leases: SplitLease[]) => {
    for (const lease of leases) await lease.release('failed')
  }

  await test(`${name}: of ten who come together one gets the split, the others are refused`, async () => {
    const id = await newJob()
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => take(id)))
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    assert.equal(won.length, 1)
    for (const result of results) if (result.status === 'rejected') assert.ok(isProblem(409)(result.reason))
    await end(...won)
    await end(await take(id))
  })

  await test(`${name}: two splits run at a time across all jobs; parts of one job are separate`, async () => {
    const [one, other] = [await newJob(), await newJob()]
    const results = await Promise.allSettled([take(one), take(one, '1_2'), take(other), take(other, '1_2')])
    const leases = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    assert.equal(leases.length, 2)
    for (const result of results) if (result.status === 'rejected') assert.ok(isProblem(503, '5')(result.reason))
    await end(...leases)
    await end(await take(one), await take(one, '1_2'))
  })

  await test(`${name}: saved progress is passed on to the next owner, and the audio counts once`, async () => {
    const id = await newJob()
    const first = await take(id)
    assert.equal(first.row.record, '"new"')
    await Promise.all([first.save('"a"'), first.save('"b"')])
    await first.release('running')
    const second = await take(id)
    assert.equal(second.row.record, '"b"')
    assert.equal(await stemTime(id), 0)
    await second.finish()
    assert.deepEqual([second.isFinished, await stemTime(id)], [true, 5000])
    await second.save('"c"')
    // What goes wrong from here on does not undo it.
    await second.release('failed', '"d"')
    const row = await findSplit(db, { jobId: id, variant: '' })
    assert.deepEqual([row?.status, row?.record, row?.lease_until, row?.duration_ms], ['done', '"d"', null, 5000])
  })

  await test(`${name}: an owner with heartbeats keeps the lease, one without loses it and can no longer write`, async () => {
    const id = await newJob()
    let lost: LeaseLost | undefined
    const first = await take(id, '', (reason) => (lost = reason))
    for (let beats = 0; beats < 10; beats += 1) {
      timers.advance(15_000)
      await first.save(`"${beats}"`)
    }
    await assert.rejects(take(id), isProblem(409))
    // As if the process had stood still for a minute: its timers did not run.
    await db.updateTable('stem_splits').set({ lease_until: timers.now() }).where('job_id', '=', id).execute()
    const second = await take(id)
    await assert.rejects(first.save('"late"'), LeaseLost)
    await assert.rejects(first.finish(), LeaseLost)
    await first.release('failed', '"late"')
    assert.ok(lost instanceof LeaseLost)
    assert.deepEqual([(await findSplit(db, { jobId: id, variant: '' }))?.record, await stemTime(id)], ['"9"', 0])
    await second.save('"second"')
    await end(second)
  })

  await test(`${name}: the owner of a split is notified when its job is deleted`, async () => {
    const id = await newJob()
    let lost: LeaseLost | undefined
    const lease = await take(id, '', (reason) => (lost = reason))
    await db.deleteFrom('jobs').where('id', '=', id).execute()
    timers.advance(15_000)
    await eventually(
      () => lost,
      (reason) => reason !== undefined,
    )
    await end(lease)
  })

  await test(`${name}: the only process on a database takes over all splits of dead ones`, async () => {
    const id = await newJob()
    await (await take(id)).save('"kept"')
    await releaseSplits(db)
    const lease = await take(id)
    assert.equal(lease.row.record, '"kept"')
    await end(lease)
  })

  await test(`${name}: an account replaces only the expected previous one`, async () => {
    const replaceAccount = (from: string | undefined, to: string) =>
      exchangeSettingRow(db, 'stem_account', { from, to })
    assert.equal(await replaceAccount('a', 'b'), false)
    const results = await Promise.all([replaceAccount(undefined, 'a'), replaceAccount(undefined, 'b')])
    assert.equal(results.filter(Boolean).length, 1)
    const known = results[0] ? 'a' : 'b'
    assert.deepEqual([await replaceAccount('x', 'c'), await replaceAccount(known, 'c')], [false, true])
    assert.equal(await replaceAccount(known, 'd'), false)
  })

  await database.close()
}

test('on SQLite', () => onDatabase({ file: ':memory:' }, 'SQLite'))
const obstacle = postgresObstacle()
test('on PostgreSQL', { skip: obstacle }, async () => onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL'))
