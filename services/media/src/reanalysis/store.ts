import type { ExpressionBuilder, Kysely } from 'kysely'
import type { analysisValues } from '../analysis/analyse-job.ts'
import { completedStatuses, statusAfter } from '../jobs/job-machine.ts'
import type { JobValues } from '../jobs/store.ts'
import type { JobRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** True of a finished sound with its file. */
const isSound = (row: ExpressionBuilder<Tables, 'jobs'>) =>
  row.and([row('type', '=', 'audio'), row('status', 'in', completedStatuses), row('artifact', 'is not', null)])

/** True where no worker has the sound at a time. */
const isFree = (now: number) => (row: ExpressionBuilder<Tables, 'jobs'>) =>
  row.or([row('analysis_lease_until', 'is', null), row('analysis_lease_until', '<', now)])

const soundsOf = (db: Db) => db.updateTable('jobs').where(isSound)

/** Requests another analysis of one finished sound; undefined when it is none. A request that waits already stays. */
export async function requestAnalysis(db: Db, id: string, now: number): Promise<JobRow | undefined> {
  return soundsOf(db)
    .set((row) => ({ analysis_wanted_at: row.fn.coalesce('analysis_wanted_at', row.val(now)) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** True of a sound that no analyser of this version or a newer one analysed. */
const isOutdated = (version: number) => (row: ExpressionBuilder<Tables, 'jobs'>) =>
  row.or([row('analyser_version', 'is', null), row('analyser_version', '<', version)])

/** Requests an analysis of every finished sound that an older version analysed; returns how many were added. */
export async function requestOutdated(db: Db, version: number, now: number): Promise<number> {
  const { numUpdatedRows } = await soundsOf(db)
    .set({ analysis_wanted_at: now })
    .where('analysis_wanted_at', 'is', null)
    .where(isOutdated(version))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Counts the finished sounds that an older version analysed, and those that wait for another analysis or have it. */
export async function countAnalyses(db: Db, version: number): Promise<{ outdated: number; pending: number }> {
  const sounds = () =>
    db
      .selectFrom('jobs')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where(isSound)
  const [outdated, pending] = await Promise.all([
    sounds().where(isOutdated(version)).executeTakeFirstOrThrow(),
    sounds().where('analysis_wanted_at', 'is not', null).executeTakeFirstOrThrow(),
  ])
  return { outdated: outdated.count, pending: pending.count }
}

/**
 * Takes the sound that waits longest until `until`; undefined when none waits. Of two workers only one gets it. It counts as
 * interrupted until its worker returns it.
 */
export async function claimAnalysis(
  db: Db,
  { now, until }: { now: number; until: number },
): Promise<JobRow | undefined> {
  const next = await db
    .selectFrom('jobs')
    .select('id')
    .where('analysis_wanted_at', 'is not', null)
    .where(isSound)
    .where(isFree(now))
    .orderBy('analysis_wanted_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return undefined
  return soundsOf(db)
    .set((row) => ({ analysis_lease_until: until, interruptions: row('interruptions', '+', 1) }))
    .where('id', '=', next.id)
    .where('analysis_wanted_at', 'is not', null)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst()
}

/** A claim: the job with the lease that its worker wrote last. */
export type Claim = Pick<JobRow, 'id' | 'attempt' | 'analysis_lease_until'>

const claimed = (db: Db, { id, attempt, analysis_lease_until }: Claim) =>
  soundsOf(db)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('analysis_lease_until', '=', analysis_lease_until)

/** Renews or changes a claim, and writes what was found; undefined when another worker has the job, or nobody wants it any more. */
export async function updateClaim(db: Db, claim: Claim, values: JobValues): Promise<JobRow | undefined> {
  return claimed(db, claim).set(values).returningAll().executeTakeFirst()
}

/**
 * Writes what another analysis found and ends the request; a tempo that a person set stays, also one that was set meanwhile.
 * Undefined as `updateClaim`.
 */
export async function finishClaim(
  db: Db,
  claim: Claim,
  { bpm, bpm_confidence, bpm_alternative, ...values }: ReturnType<typeof analysisValues> & JobValues,
): Promise<JobRow | undefined> {
  return claimed(db, claim)
    .set((row) => {
      const isOwn = row.and([row('bpm', 'is not', null), row('bpm_confidence', '=', 1)])
      return {
        ...values,
        status: statusAfter('analysed-again'),
        bpm: row.case().when(isOwn).then(row.ref('bpm')).else(bpm).end(),
        bpm_confidence: row.case().when(isOwn).then(row.ref('bpm_confidence')).else(bpm_confidence).end(),
        bpm_alternative: row.case().when(isOwn).then(row.ref('bpm_alternative')).else(bpm_alternative).end(),
      }
    })
    .returningAll()
    .executeTakeFirst()
}
