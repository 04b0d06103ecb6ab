import type { Kysely } from 'kysely'
import type { CapabilityRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Stored capabilities of a device; one that was never edited has no row. */
export function capabilityRows(db: Db, deviceId: string): Promise<CapabilityRow[]> {
  return db.selectFrom('capabilities').selectAll().where('device_id', '=', deviceId).execute()
}

/** Adds or replaces records; all or none. */
export async function writeCapabilityRows(db: Db, rows: readonly CapabilityRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('capabilities')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['device_id', 'name']).doUpdateSet((row) => ({ record: row.ref('excluded.record') })),
    )
    .execute()
}

export async function deleteCapabilityRows(db: Db, deviceId: string): Promise<void> {
  await db.deleteFrom('capabilities').where('device_id', '=', deviceId).execute()
}
