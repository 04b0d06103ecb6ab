import { sql, type ExpressionBuilder, type Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ExportRow } from './tables.ts'

type Db = Kysely<Tables>
type Row = ExpressionBuilder<Tables, 'exports'>

/** States of an export that waits or runs. */
export const waiting = ['queued', 'running'] as const

export async function findExport(db: Db, id: string): Promise<ExportRow | undefined> {
  return db.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Exports of a job that can be seen, newest first. */
export async function listExports(db: Db, jobId: string): Promise<ExportRow[]> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('status', '<>', 'removed')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Counts the exports that wait or run: of all jobs, and of one. */
export async function countWaiting(db: Db, jobId: string): Promise<{ all: number; ofJob: number }> {
  return db
    .selectFrom('exports')
    .select((row) => [
      row.fn.countAll<number>().as('all'),
      row.fn.countAll<number>().filterWhere('job_id', '=', jobId).as('ofJob'),
    ])
    .where('status', 'in', waiting)
    .executeTakeFirstOrThrow()
}

/** Bytes that running exports will still store, one left out. What a lost worker kept counts no longer. */
export async function sumReservedByExports(
  db: Db,
  { now, besides }: { now: number; besides: string },
): Promise<number> {
  const { bytes } = await db
    .selectFrom('exports')
    .select(sql<number>`coalesce(cast(sum(reserved_bytes) as bigint), 0)`.as('bytes'))
    .where('status', '=', 'running')
    .where('lease_until', '>=', now)
    .where('id', '<>', besides)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Adds an export. */
export async function insertExport(db: Db, row: ExportRow): Promise<void> {
  await db.insertInto('exports').values(row).execute()
}

/** True where no worker has a running export at a time. */
const isLost = (now: number) => (row: Row) =>
  row.and([row('status', '=', 'running'), row.or([row('lease_until', 'is', null), row('lease_until', '<', now)])])

const isFree = (now: number) => (row: Row) => row.or([row('status', '=', 'queued'), isLost(now)(row)])

/** Takes the export that waits longest until `until`; undefined when none waits. Of two workers only one gets it. */
export async function claimExport(
  db: Db,
  { now, until }: { now: number; until: number },
): Promise<ExportRow | undefined> {
  const next = await db
    .selectFrom('exports')
    .selectAll()
    .where(isFree(now))
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return undefined
  const lost = next.status === 'running' ? 1 : 0
  return db
    .updateTable('exports')
    .set({
      status: 'running',
      lease_until: until,
      attempt: next.attempt + 1,
      interruptions: next.interruptions + lost,
      progress: 0,
      message: null,
      reserved_bytes: 0,
    })
    .where('id', '=', next.id)
    .where('attempt', '=', next.attempt)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst()
}

/** Resolves to true if an export waits, runs or is done under another attempt. */
export async function isWantedElsewhere(db: Db, { id, attempt }: Pick<ExportRow, 'id' | 'attempt'>): Promise<boolean> {
  const row = await findExport(db, id)
  if (row === undefined) return false
  return row.status === 'queued' || row.status === 'done' || (row.status === 'running' && row.attempt !== attempt)
}

/** Values that a worker writes. */
export type ExportValues = Partial<
  Pick<
    ExportRow,
    'status' | 'lease_until' | 'progress' | 'message' | 'files' | 'has_files' | 'reserved_bytes' | 'finished_at'
  >
>

/** Writes to an export that this attempt runs; undefined when it does not any more. */
export async function writeRunning(
  db: Db,
  { id, attempt }: Pick<ExportRow, 'id' | 'attempt'>,
  values: ExportValues,
): Promise<ExportRow | undefined> {
  return db
    .updateTable('exports')
    .set(values)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst()
}

/** Ends an export that waits or runs; undefined when it does neither. */
export async function cancelExport(db: Db, id: string, now: number): Promise<ExportRow | undefined> {
  return db
    .updateTable('exports')
    .set({ status: 'cancelled', message: 'Cancelled', finished_at: now })
    .where('id', '=', id)
    .where('status', 'in', waiting)
    .returningAll()
    .executeTakeFirst()
}

/** Hides an export until its files are deleted; `settleExport` deletes it then. */
export async function hideExport(db: Db, id: string): Promise<void> {
  await db.updateTable('exports').set({ status: 'removed' }).where('id', '=', id).execute()
}

/** Notes that an export that ended without success has no file any more; a hidden one is deleted. */
export async function settleExport(db: Db, id: string): Promise<void> {
  await db.deleteFrom('exports').where('id', '=', id).where('status', '=', 'removed').execute()
  await db
    .updateTable('exports')
    .set({ has_files: 0, lease_until: null })
    .where('id', '=', id)
    .where('status', 'in', ['failed', 'cancelled'])
    .execute()
}

/** Exports whose files are to be deleted and that no worker has. */
export async function findUnsettled(db: Db, now: number): Promise<ExportRow[]> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where((row) =>
      row.or([
        row('status', '=', 'removed'),
        row.and([row('status', 'in', ['failed', 'cancelled']), row('has_files', '=', 1)]),
      ]),
    )
    .where((row) => row.or([row('lease_until', 'is', null), row('lease_until', '<', now)]))
    .limit(1000)
    .execute()
}

/** Ends the leases of all exports. Only for a database that no other process uses. */
export async function releaseExports(db: Db): Promise<void> {
  await db.updateTable('exports').set({ lease_until: null }).where('lease_until', 'is not', null).execute()
}
