import type { Kysely } from 'kysely'
import type { JobRow, Tables } from '../tables.ts'
import { activeStatuses, completedStatuses } from '../jobs/job-machine.ts'

type Db = Kysely<Tables>

/** Finished jobs whose files are older than a timestamp. */
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

/** Removes the file, links, stems, exports and the workbench from a job's rows. */
export async function forgetFiles(db: Db, id: string, message: string): Promise<JobRow | undefined> {
  return db.transaction().execute(async (trx) => {
    // A link to further files goes on with those.
    const withOthers = trx.selectFrom('share_files').select('token_hash')
    await trx.deleteFrom('share_links').where('job_id', '=', id).where('token_hash', 'not in', withOthers).execute()
    await trx.deleteFrom('stem_splits').where('job_id', '=', id).execute()
    await trx.deleteFrom('exports').where('job_id', '=', id).execute()
    await trx.deleteFrom('workbench_sessions').where('job_id', '=', id).execute()
    return trx
      .updateTable('jobs')
      .set({ artifact: null, message, analysis_wanted_at: null, analysis_lease_until: null })
      .where('id', '=', id)
      .where('status', 'in', completedStatuses)
      .returningAll()
      .executeTakeFirst()
  })
}

/** Returns the ids of queued and active jobs. */
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
