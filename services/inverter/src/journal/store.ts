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
  page: { before: number | undefined; limit: number },
): Promise<(JournalRow & { id: number })[]> {
  let query = db.selectFrom('journal').selectAll().where('device_id', '=', deviceId)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return (await query.orderBy('id', 'desc').limit(page.limit).execute()) as (JournalRow & { id: number })[]
}

/** Lets the oldest rows of a device fall away. */
export async function trimJournal(db: Db, deviceId: string, kept: number): Promise<void> {
  const oldest = await db
    .selectFrom('journal')
    .select('id')
    .where('device_id', '=', deviceId)
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (oldest?.id === undefined) return
  await db.deleteFrom('journal').where('device_id', '=', deviceId).where('id', '<=', oldest.id).execute()
}
