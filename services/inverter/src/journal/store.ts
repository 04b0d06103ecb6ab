import type { Kysely } from 'kysely'
import type { JournalRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

export async function insertJournalRow(db: Db, row: JournalRow): Promise<void> {
  await db.insertInto('journal').values(row).execute()
}

/** Rows of a device, newest first, beginning before an id. */
export async function journalRows(
  db: Db,
  deviceId: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<(JournalRow & { id: number })[]> {
  let query = db.selectFrom('journal').selectAll().where('device_id', '=', deviceId)
  if (before !== undefined) query = query.where('id', '<', before)
  return (await query.orderBy('id', 'desc').limit(limit).execute()) as (JournalRow & { id: number })[]
}

/** Deletes all but the newest `kept` rows of a device. */
export async function trimJournal(db: Db, deviceId: string, kept: number): Promise<void> {
  const rows = db.selectFrom('journal').select('id').where('device_id', '=', deviceId)
  const newestToGo = rows.orderBy('id', 'desc').offset(kept).limit(1)
  await db.deleteFrom('journal').where('device_id', '=', deviceId).where('id', '<=', newestToGo).execute()
}
