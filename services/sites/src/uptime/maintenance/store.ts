import type { Kysely } from 'kysely'
import type { MaintenanceWindowRow, UptimeTables } from '../tables.ts'

type Db = Kysely<UptimeTables>

/** Returns every window, the one that begins first at the front. */
export function allWindowRows(db: Db): Promise<MaintenanceWindowRow[]> {
  return db.selectFrom('maintenance_windows').selectAll().orderBy('starts_at').orderBy('id').execute()
}

/** Inserts or replaces a window. */
export async function putWindowRow(db: Db, row: MaintenanceWindowRow): Promise<void> {
  await db
    .insertInto('maintenance_windows')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** Deletes a window. Resolves to false when there was none. */
export async function deleteWindowRow(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('maintenance_windows').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
