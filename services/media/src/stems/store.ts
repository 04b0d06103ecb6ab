import type { Kysely, Transaction } from 'kysely'
import type { StemSplitRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Key of a split: the job, and the part of it; the variant is empty for the whole. */
export interface SplitKey {
  readonly jobId: string
  readonly variant: string
}

/** Claim of a split by a process. */
export interface SplitClaim extends SplitKey {
  readonly durationMs: number
  readonly now: number
  readonly leaseUntil: number
  /** Number of splits at a time, of all jobs. */
  readonly max: number
  /** Returns the record to continue with, given the stored split; it replaces the stored one. */
  readonly recordAfter: (previous: StemSplitRow | undefined) => string
}

export async function findSplit(db: Db, { jobId, variant }: SplitKey): Promise<StemSplitRow | undefined> {
  return db
    .selectFrom('stem_splits')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('variant', '=', variant)
    .executeTakeFirst()
}

/**
 * Takes a split for the caller, inside a transaction that holds the lock. `running` when another owner has it, `busy` when
 * too many run.
 */
export async function claimSplit(
  trx: Transaction<Tables>,
  claim: SplitClaim,
): Promise<StemSplitRow | 'running' | 'busy'> {
  const previous = await findSplit(trx, claim)
  const isAlive = (previous?.lease_until ?? 0) > claim.now
  if (isAlive) return 'running'
  const { running } = await trx
    .selectFrom('stem_splits')
    .select((row) => row.fn.countAll<number>().as('running'))
    .where('lease_until', '>', claim.now)
    .executeTakeFirstOrThrow()
  if (running >= claim.max) return 'busy'
  const values = {
    status: 'running',
    record: claim.recordAfter(previous),
    lease_until: claim.leaseUntil,
    duration_ms: claim.durationMs,
    updated_at: claim.now,
  } as const
  return trx
    .insertInto('stem_splits')
    .values({ job_id: claim.jobId, variant: claim.variant, ...values })
    .onConflict((conflict) => conflict.columns(['job_id', 'variant']).doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Writes to a split as long as it is held under this lease; false when it is not any more. */
export async function keepSplit(
  db: Db,
  { jobId, variant, lease }: SplitKey & { readonly lease: number },
  values: Partial<Pick<StemSplitRow, 'status' | 'record' | 'lease_until' | 'updated_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('stem_splits')
    .set(values)
    .where('job_id', '=', jobId)
    .where('variant', '=', variant)
    .where('lease_until', '=', lease)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Counts audio that was split for its job. */
export async function addStemTime(db: Db, jobId: string, durationMs: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set((row) => ({ stem_ms: row('stem_ms', '+', durationMs) }))
    .where('id', '=', jobId)
    .execute()
}

/** Releases every split. Only for a database that no other process uses. */
export async function releaseSplits(db: Db): Promise<void> {
  await db.updateTable('stem_splits').set({ lease_until: null }).where('lease_until', 'is not', null).execute()
}
