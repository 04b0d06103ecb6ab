import { writeSettingRows } from '@hearth/service'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Returns the stored value, or undefined when there is none. */
export async function readSetting(db: Db, name: string): Promise<unknown> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : JSON.parse(row.value)
}

/** Stores a value as JSON and replaces an earlier one. */
export const writeSetting = (db: Db, name: string, value: unknown): Promise<void> =>
  writeSettingRows(db, new Map([[name, JSON.stringify(value)]]))

/** Deletes a stored value; does nothing when there is none. */
export async function deleteSetting(db: Db, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute()
}
