import { sql, type Kysely } from 'kysely'
import type { ArtifactRow } from '../artifacts/tables.ts'
import type { JobRow, Tables } from '../tables.ts'
import { activeStatuses } from '../jobs/job-machine.ts'
import { isAtRest } from '../space/store.ts'

type Db = Kysely<Tables>

/** Finished jobs whose files are older than a timestamp. */
export async function expiredJobs(db: Db, { before, now }: Expiry): Promise<JobRow[]> {
  const atRest = db.selectFrom('jobs').selectAll().where(isAtRest(now))
  return atRest.where('finished_at', '<', before).limit(1000).execute()
}

/** Times of a clean-up: files of jobs that finished before one go, unless somebody is at work on them now. */
export interface Expiry {
  readonly before: number
  readonly now: number
}

/** Resolves to true if the files of a job may still go. In a transaction that locks the job. */
export async function isExpired(trx: Db, id: string, { before, now }: Expiry): Promise<boolean> {
  const atRest = trx.selectFrom('jobs').select('id').where('id', '=', id).where(isAtRest(now))
  return (await atRest.where('finished_at', '<', before).executeTakeFirst()) !== undefined
}

/** Of some jobs, the ids of those that are queued or active. */
export async function goingOn(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', [...ids])
    .where('status', 'in', ['queued', ...activeStatuses])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Files that count as stored: some of those put last and first. */
export async function someFiles(db: Db, limit: number): Promise<ArtifactRow[]> {
  const stored = db.selectFrom('artifacts').selectAll().where('is_stored', '=', 1).where('bytes', '>', 0).limit(limit)
  return [...(await stored.orderBy('put_at', 'desc').execute()), ...(await stored.orderBy('put_at').execute())]
}

/** The members of a job that decide whether its files are kept. */
export type FileOwner = Pick<JobRow, 'id' | 'status' | 'artifact' | 'audio_hash'>

/** Jobs by their ids. */
export async function fileOwners(db: Db, ids: readonly string[]): Promise<Map<string, FileOwner>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'status', 'artifact', 'audio_hash'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Files of any job in some folders. */
export async function filesIn(db: Db, folders: readonly string[]): Promise<ArtifactRow[]> {
  if (folders.length === 0) return []
  return db
    .selectFrom('artifacts')
    .selectAll()
    .where('folder_id', 'in', [...folders])
    .execute()
}

/** Returns true if any job has the file at a place. */
export async function isTaken(db: Db, { folder_id, name }: Pick<ArtifactRow, 'folder_id' | 'name'>): Promise<boolean> {
  const rows = await db
    .selectFrom('artifacts')
    .select('job_id')
    .where('folder_id', '=', folder_id)
    .where('name', '=', name)
    .execute()
  return rows.length > 0
}

/** Folders that files are deleted from. */
export async function departingFolders(db: Db, folders: readonly string[]): Promise<Set<string>> {
  if (folders.length === 0) return new Set()
  const rows = await db
    .selectFrom('departing_artifacts')
    .select('folder_id')
    .where('folder_id', 'in', [...folders])
    .execute()
  return new Set(rows.map(({ folder_id }) => folder_id))
}

/** Folders that are read at a time. */
const foldersAtOnce = 200

/** Reads the folders with files in their order, some at a time. */
export async function* recordedFolders(db: Db): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows = await db
      .selectFrom('artifacts')
      .select('folder_id')
      .distinct()
      .where('folder_id', '>', after)
      .orderBy('folder_id')
      .limit(foldersAtOnce)
      .execute()
    const folders = rows.map(({ folder_id }) => folder_id)
    yield folders
    after = folders.at(-1)
  }
}

/** Writes what the storage says of a file, unless another file has taken its place. Its content may be another than was noted. */
export async function correctFile(db: Db, row: ArtifactRow, bytes: number): Promise<void> {
  await db
    .updateTable('artifacts')
    .set({ is_stored: 1, bytes, content_hash: null })
    .where('job_id', '=', row.job_id)
    .where('name', '=', row.name)
    .where('folder_id', '=', row.folder_id)
    .where('put_at', '=', row.put_at)
    .execute()
}

/** Adds the row of a file from before there were rows; false when the job has such a file elsewhere. */
export async function adoptFile(trx: Db, row: ArtifactRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('artifacts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Adds the totals up anew. */
export async function recountTotals(trx: Db): Promise<void> {
  const once = trx
    .selectFrom('artifacts')
    .select(['folder_id', 'name', 'kind'])
    .select((row) => row.fn.max('bytes').as('bytes'))
    .groupBy(['folder_id', 'name', 'kind'])
  const totals = await trx
    .selectFrom(once.as('files'))
    .select('files.kind')
    .select((row) => [sql<number>`cast(sum(files.bytes) as bigint)`.as('bytes'), row.fn.countAll<number>().as('files')])
    .groupBy('files.kind')
    .execute()
  await trx.deleteFrom('storage_totals').execute()
  if (totals.length > 0) await trx.insertInto('storage_totals').values(totals).execute()
}
