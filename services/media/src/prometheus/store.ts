import { sql, type Kysely } from 'kysely'
import { activeStatuses } from '../jobs/job-machine.ts'
import type { JobStatus } from '../jobs/schema.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Counts jobs by status. Statuses without a job are left out. */
export async function countByStatus(db: Db): Promise<{ status: JobStatus; count: number }[]> {
  return db
    .selectFrom('jobs')
    .select((row) => ['status', row.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
}

/** Time at which the job that waits longest was queued, milliseconds since the epoch; undefined when none waits. */
export async function firstQueuedAt(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('queued_at')
    .where('status', '=', 'queued')
    .orderBy('queued_at')
    .limit(1)
    .executeTakeFirst()
  return row?.queued_at
}

/** Bytes of the jobs' files, as they were stored. */
export async function sumStoredBytes(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('jobs')
    .select(sql<number>`coalesce(sum(filesize_bytes), 0)`.as('bytes'))
    .where('artifact', 'is not', null)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Ids of the jobs that have not ended. */
export async function unfinishedJobs(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('status', 'in', ['queued', ...activeStatuses])
    .execute()
  return rows.map(({ id }) => id)
}
