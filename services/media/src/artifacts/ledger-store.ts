import { randomUUID } from 'node:crypto'
import { acquireLock, type Database } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { ArtifactRow, DepartingArtifactRow } from './tables.ts'
import type { Tables } from '../tables.ts'
import { exportOfArtifact, kindOfArtifact } from './artifact-kind.ts'
import { addToTotals } from './totals-store.ts'

type Db = Kysely<Tables>

/** Number of the lock under which rows of files change on PostgreSQL. */
const ledgerLock = 8_103_016

/** Changes rows of files in a transaction that is the only one to do so. */
export function changeLedger<T>({ kind, query }: Database<Tables>, work: (trx: Db) => Promise<T>): Promise<T> {
  return query.transaction().execute(async (trx) => {
    await acquireLock(kind, trx, ledgerLock)
    return work(trx)
  })
}

/** Place of a file in the storage. */
export type Place = Pick<ArtifactRow, 'folder_id' | 'name'>

/** Files of a job, and those in its folder that others have. */
export async function rowsAround(db: Db, jobId: string, name?: string): Promise<ArtifactRow[]> {
  return db
    .selectFrom('artifacts')
    .selectAll()
    .where((row) => row.or([row('job_id', '=', jobId), row('folder_id', '=', jobId)]))
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .execute()
}

/** Name that stands for a folder with all that is in it. */
export const wholeFolder = ''

/** Finds out whether a place is noted as one whose file is to be deleted, and whether a job has a file there. */
export async function findDeparting(db: Db, { folder_id, name }: Place): Promise<{ isUsed: boolean } | undefined> {
  const file = db.selectFrom('artifacts').select('artifacts.job_id').where('artifacts.folder_id', '=', folder_id)
  const row = await db
    .selectFrom('departing_artifacts')
    .select([
      'departing_artifacts.name',
      file
        .$if(name !== wholeFolder, (query) => query.where('artifacts.name', '=', name))
        .limit(1)
        .as('job_id'),
    ])
    .where('departing_artifacts.folder_id', '=', folder_id)
    .where('departing_artifacts.name', '=', name)
    .executeTakeFirst()
  return row && { isUsed: row.job_id !== null }
}

/** Returns true if a job has a file at a place; in the folder, for a whole one. */
export async function isPlaceUsed(db: Db, { folder_id, name }: Place): Promise<boolean> {
  const row = await db
    .selectFrom('artifacts')
    .select('job_id')
    .where('folder_id', '=', folder_id)
    .$if(name !== wholeFolder, (query) => query.where('name', '=', name))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Names in a folder that are about to be deleted. */
export async function departingIn(db: Db, folderId: string): Promise<string[]> {
  const rows = await db.selectFrom('departing_artifacts').select('name').where('folder_id', '=', folderId).execute()
  return rows.map(({ name }) => name)
}

/** A stored file with this content. */
export async function findContent(
  db: Db,
  { name, bytes, content_hash }: Pick<ArtifactRow, 'name' | 'bytes' | 'content_hash'>,
): Promise<ArtifactRow | undefined> {
  return db
    .selectFrom('artifacts')
    .selectAll()
    .where('content_hash', '=', content_hash)
    .where('name', '=', name)
    .where('bytes', '=', bytes)
    .where('is_stored', '=', 1)
    .orderBy('put_at')
    .orderBy('job_id')
    .limit(1)
    .executeTakeFirst()
}

/** A file on its way into the storage: its row, and the row that it replaces. */
export interface Arrival {
  readonly row: ArtifactRow
  readonly previous: ArtifactRow | undefined
}

/** Time after which a file on its way counts as left by a process that has died, milliseconds. */
export const longestArrival = 86_400_000

/**
 * Writes that a file is about to be stored, in a place where it overwrites no other job's file. A job that shares a file keeps
 * that one until the new one is there.
 */
export async function beginArrival(
  trx: Db,
  wanted: Pick<ArtifactRow, 'job_id' | 'name' | 'bytes' | 'content_hash' | 'put_at'>,
): Promise<Arrival> {
  const { job_id, name, put_at } = wanted
  const around = await rowsAround(trx, job_id, name)
  const previous = around.find((row) => row.job_id === job_id)
  const isOwn = previous !== undefined && !(await isHeldByOthers(trx, previous))
  const isTaken = around.some((row) => row.folder_id === job_id) || (await departingIn(trx, job_id)).length > 0
  const free = isTaken ? randomUUID() : job_id
  const kind = kindOfArtifact(name)
  const source = kind === 'original' ? undefined : await originalOf(trx, job_id)
  const row = {
    ...wanted,
    folder_id: isOwn ? previous.folder_id : free,
    kind,
    is_stored: 0,
    // What was made of a file never counts as older than it, though the clock was put back meanwhile.
    put_at: Math.max(put_at, source?.put_at ?? 0),
  }
  await endReservation(trx, row)
  if (isReplacing({ row, previous })) await noteDeparting(trx, row, put_at + longestArrival)
  else {
    await putRow(trx, row)
    await addToTotals(trx, row.kind, { bytes: row.bytes - (previous?.bytes ?? 0), files: isOwn ? 0 : 1 })
  }
  return { row, previous }
}

/** The newest file of a job that was not made from another one. */
const originalOf = (trx: Db, jobId: string): Promise<ArtifactRow | undefined> =>
  trx
    .selectFrom('artifacts')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('kind', '=', 'original')
    .orderBy('put_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Gives back the room that was kept for a file: from here on its bytes count as stored. */
async function endReservation(trx: Db, { kind, job_id, name, bytes }: ArtifactRow): Promise<void> {
  if (kind === 'original') await trx.updateTable('jobs').set({ reserved_bytes: 0 }).where('id', '=', job_id).execute()
  const exportId = exportOfArtifact(name)
  if (exportId === undefined) return
  const left = sql<number>`case when reserved_bytes > ${bytes} then reserved_bytes - ${bytes} else 0 end`
  await trx.updateTable('exports').set({ reserved_bytes: left }).where('id', '=', exportId).execute()
}

const isReplacing = ({ row, previous }: Arrival): boolean =>
  previous !== undefined && previous.folder_id !== row.folder_id

/**
 * Notes that a file has arrived. Returns places to clear: undefined when the job was removed meanwhile, and then the place of
 * the file is noted as departing.
 */
export async function endArrival(trx: Db, arrival: Arrival): Promise<Place[] | undefined> {
  const { row } = arrival
  const present = await presentRow(trx, row)
  if (!isReplacing(arrival)) {
    if (present?.folder_id !== row.folder_id) {
      await noteDeparting(trx, row, row.put_at)
      return undefined
    }
    if (isStillOf(row, present)) await putRow(trx, { ...present, is_stored: 1 })
    // Either content may be there, so it is compared with no other.
    else await putRow(trx, { ...present, content_hash: null })
    return []
  }
  if (present === undefined) return undefined
  const places = await dropRows(trx, [present], row.put_at)
  await deleteDeparting(trx, [row])
  await putRow(trx, { ...row, is_stored: 1 })
  await addToTotals(trx, row.kind, { bytes: row.bytes, files: 1 })
  return places
}

/** Puts back what was there before a file that could not be stored. Returns places to clear. */
export async function undoArrival(trx: Db, arrival: Arrival): Promise<Place[]> {
  const { row, previous } = arrival
  // A storage that did not answer may have it all the same.
  if (isReplacing(arrival)) return [row]
  // Another attempt may have begun since, and the row is its own.
  if (!isStillOf(row, await presentRow(trx, row))) return []
  if (previous === undefined) return dropRows(trx, [row], row.put_at)
  // It may be the new content all the same, so it is compared with no other.
  await putRow(trx, { ...previous, content_hash: null })
  await addToTotals(trx, row.kind, { bytes: previous.bytes - row.bytes, files: 0 })
  return []
}

async function presentRow(trx: Db, { job_id, name }: ArtifactRow): Promise<ArtifactRow | undefined> {
  return (await rowsAround(trx, job_id, name)).find((row) => row.job_id === job_id)
}

/** Returns true if a row is the one that an arrival wrote, and no later one. */
const isStillOf = (row: ArtifactRow, present: ArtifactRow | undefined): boolean =>
  present?.is_stored === 0 &&
  present.folder_id === row.folder_id &&
  present.put_at === row.put_at &&
  present.bytes === row.bytes

/** Gives a job a file that is stored for another. Only in the transaction that found it there. */
export async function addReference(trx: Db, row: ArtifactRow): Promise<void> {
  await endReservation(trx, row)
  await putRow(trx, row)
}

/** Rows of one statement, which takes a limited number of values. */
const atOnce = 500

/** Takes files from their jobs. Returns the places of those that no job has any more, which count no longer. */
export async function dropRows(trx: Db, rows: readonly ArtifactRow[], now: number): Promise<Place[]> {
  const freed: Place[] = []
  for (let at = 0; at < rows.length; at += atOnce)
    freed.push(...(await dropSome(trx, rows.slice(at, at + atOnce), now)))
  return freed
}

async function dropSome(trx: Db, rows: readonly ArtifactRow[], now: number): Promise<Place[]> {
  const keys = rows.map(({ job_id, name, folder_id }) => sql`(${job_id}, ${name}, ${folder_id})`)
  const gone = await trx
    .deleteFrom('artifacts')
    .where(sql<SqlBool>`(job_id, name, folder_id) in (values ${sql.join(keys)})`)
    .returning(['job_id', 'name', 'folder_id', 'kind', 'bytes'])
    .execute()
  if (gone.length === 0) return []
  // Of jobs that had the same file, all of which are here, one is enough.
  const files = [...new Map(gone.map((row) => [placeKey(row), row])).values()]
  const places = files.map(({ folder_id, name }) => sql`(${folder_id}, ${name})`)
  const held = await trx
    .selectFrom('artifacts')
    .select(['folder_id', 'name'])
    .where(sql<SqlBool>`(folder_id, name) in (values ${sql.join(places)})`)
    .execute()
  const heldKeys = new Set(held.map(placeKey))
  const freed = files.filter((file) => !heldKeys.has(placeKey(file)))
  for (const [kind, some] of Map.groupBy(freed, (file) => file.kind))
    await addToTotals(trx, kind, {
      bytes: -some.reduce((sum, { bytes }) => sum + bytes, 0),
      files: -some.length,
    })
  const departing = freed.map(({ folder_id, name }) => ({ folder_id, name, left_at: now }))
  if (departing.length > 0)
    await trx
      .insertInto('departing_artifacts')
      .values(departing)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return departing.map(({ folder_id, name }) => ({ folder_id, name }))
}

/** A place as one text; no folder has a slash in its name. */
const placeKey = ({ folder_id, name }: Place): string => `${folder_id}/${name}`

/** Notes that a folder is deleted with all that is in it; nothing while a job has a file there. */
export async function dropFolder(trx: Db, folder_id: string, now: number): Promise<Place[]> {
  const place = { folder_id, name: wholeFolder }
  if (await isPlaceUsed(trx, place)) return []
  await noteDeparting(trx, place, now)
  return [place]
}

async function noteDeparting(trx: Db, { folder_id, name }: Place, left_at: number): Promise<void> {
  await trx
    .insertInto('departing_artifacts')
    .values({ folder_id, name, left_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Forgets places whose files are deleted. */
export async function deleteDeparting(db: Db, places: readonly Place[]): Promise<void> {
  for (let at = 0; at < places.length; at += atOnce) {
    const keys = places.slice(at, at + atOnce).map(({ folder_id, name }) => sql`(${folder_id}, ${name})`)
    await db
      .deleteFrom('departing_artifacts')
      .where(sql<SqlBool>`(folder_id, name) in (values ${sql.join(keys)})`)
      .execute()
  }
}

/** Places whose deletion was begun before a time and not finished. */
export async function listDeparting(db: Db, before: number): Promise<DepartingArtifactRow[]> {
  return db.selectFrom('departing_artifacts').selectAll().where('left_at', '<=', before).limit(1000).execute()
}

async function isHeldByOthers(trx: Db, { job_id, folder_id, name }: ArtifactRow): Promise<boolean> {
  const other = await trx
    .selectFrom('artifacts')
    .select('job_id')
    .where('folder_id', '=', folder_id)
    .where('name', '=', name)
    .where('job_id', '<>', job_id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

async function putRow(trx: Db, row: ArtifactRow): Promise<void> {
  await trx
    .insertInto('artifacts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['job_id', 'name']).doUpdateSet(row))
    .execute()
}
