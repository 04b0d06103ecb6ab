import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** Every stored setting by name, as JSON text. */
export async function readSettingRows(db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db.selectFrom('settings').selectAll().execute()
  return new Map(rows.map((row) => [row.name, row.value]))
}

/** Adds or replaces settings; all or none. */
export async function writeSettingRows(db: Kysely<Tables>, values: ReadonlyMap<string, string>): Promise<void> {
  await db
    .insertInto('settings')
    .values([...values].map(([name, value]) => ({ name, value })))
    .onConflict((conflict) => conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute()
}
