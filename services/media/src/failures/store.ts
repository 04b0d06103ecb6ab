import type { Kysely } from 'kysely'
import type { JobFailureRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Stores what is known of the last failure of a job. */
export async function putFailure(db: Db, { job_id, ...values }: JobFailureRow): Promise<void> {
  await db
    .insertInto('job_failures')
    .values({ job_id, ...values })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet(values))
    .execute()
}

/** Returns the last failure of a job. */
export async function findFailure(db: Db, jobId: string): Promise<JobFailureRow | undefined> {
  return db.selectFrom('job_failures').selectAll().where('job_id', '=', jobId).executeTakeFirst()
}

/** Deletes failures from before a time, and all but the newest `kept`. */
export async function deleteOldFailures(
  db: Db,
  { before, kept }: { readonly before: number; readonly kept: number },
): Promise<void> {
  const oldest = await db
    .selectFrom('job_failures')
    .select('failed_at')
    .orderBy('failed_at', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  await db
    .deleteFrom('job_failures')
    .where('failed_at', '<=', Math.max(before, oldest?.failed_at ?? 0))
    .execute()
}
