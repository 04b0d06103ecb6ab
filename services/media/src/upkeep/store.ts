import type { Kysely } from 'kysely'
import type { JobRow, Tables } from '../database/tables.ts'
import { activeStatuses, completedStatuses } from '../jobs/job-machine.ts'

type Db = Kysely<Tables>

/** Finished jobs whose files are older than a moment. */
export async function expiredJobs(db: Db, before: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('status', 'in', completedStatuses)
    .where('artifact', 'is not', null)
    .where('finished_at', '<', before)
    .limit(1000)
    .execute()
}

/** The job has no file any more, and nobody can share it. */
export async function forgetFiles(db: Db, id: string, message: string): Promise<JobRow | undefined> {
  return db.transaction().execute(async (trx) => {
    await trx.deleteFrom('share_links').where('job_id', '=', id).execute()
    await trx.deleteFrom('stem_splits').where('job_id', '=', id).execute()
    return trx
      .updateTable('jobs')
      .set({ artifact: null, message })
      .where('id', '=', id)
      .where('status', 'in', completedStatuses)
      .returningAll()
      .executeTakeFirst()
  })
}

/** Jobs that still have a worker, or will get one. */
export async function goingOn(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('status', 'in', ['queued', ...activeStatuses])
    .execute()
  return rows.map(({ id }) => id)
}

export async function knownJobs(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('jobs').select('id').where('artifact', 'is not', null).execute()
  return rows.map(({ id }) => id)
}
