import type { Kysely } from 'kysely'
import type { CheckRestoreRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Values that have to be put back. */
export function restoreRows(db: Db): Promise<CheckRestoreRow[]> {
  return db.selectFrom('check_restores').selectAll().execute()
}

/** Stores what is about to be written and what was there before; throws when something has to be put back already. */
export async function insertRestore(db: Db, row: CheckRestoreRow): Promise<void> {
  await db.insertInto('check_restores').values(row).execute()
}

export async function deleteRestore(db: Db, deviceId: string): Promise<void> {
  await db.deleteFrom('check_restores').where('device_id', '=', deviceId).execute()
}
