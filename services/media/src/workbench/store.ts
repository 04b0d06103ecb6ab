import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { WorkbenchSessionRow } from './tables.ts'

type Db = Kysely<Tables>

/** Returns the session of a job. */
export async function findSession(db: Db, jobId: string): Promise<WorkbenchSessionRow | undefined> {
  return db.selectFrom('workbench_sessions').selectAll().where('job_id', '=', jobId).executeTakeFirst()
}

/** Writes a session that was made from the revision before; undefined when another one was written since. */
export async function writeSession(db: Db, row: WorkbenchSessionRow): Promise<WorkbenchSessionRow | undefined> {
  if (row.revision === 1)
    return db
      .insertInto('workbench_sessions')
      .values(row)
      .onConflict((conflict) => conflict.column('job_id').doNothing())
      .returningAll()
      .executeTakeFirst()
  return db
    .updateTable('workbench_sessions')
    .set(row)
    .where('job_id', '=', row.job_id)
    .where('revision', '=', row.revision - 1)
    .returningAll()
    .executeTakeFirst()
}
