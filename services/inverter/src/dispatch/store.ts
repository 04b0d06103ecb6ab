import type { Kysely } from 'kysely'
import type { DispatchRow, Tables } from '../tables.ts'

/** A row without its device. `version` counts the changes of the record. */
type VersionedRow = Omit<DispatchRow, 'device_id'>

/** Storage of the records. What it acknowledges is on the disk. */
export interface DispatchStore {
  all(): Promise<DispatchRow[]>
  /** Stores version `row.version` if the present one is just before it; 1 is the first. Throws `StaleVersion` otherwise. */
  save(deviceId: string, row: VersionedRow): Promise<void>
  remove(deviceId: string): Promise<void>
}

/** Another process changed the record in between. */
export class StaleVersion extends Error {
  override readonly name = 'StaleVersion'
}

/** The table of dispatch records. */
export function createDispatchStore(db: Kysely<Tables>): DispatchStore {
  return {
    all: () => db.selectFrom('dispatch_records').selectAll().execute(),
    async save(deviceId, row) {
      const changed = await (row.version === 1 ? insert(db, deviceId, row) : update(db, deviceId, row))
      if (changed !== 1) throw new StaleVersion(`the record of ${deviceId} is not at version ${row.version - 1}`)
    },
    async remove(deviceId) {
      await db.deleteFrom('dispatch_records').where('device_id', '=', deviceId).execute()
    },
  }
}

async function insert(db: Kysely<Tables>, deviceId: string, row: VersionedRow): Promise<number> {
  const result = await db
    .insertInto('dispatch_records')
    .values({ device_id: deviceId, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows ?? 0)
}

async function update(db: Kysely<Tables>, deviceId: string, row: VersionedRow): Promise<number> {
  const result = await db
    .updateTable('dispatch_records')
    .set(row)
    .where('device_id', '=', deviceId)
    .where('version', '=', row.version - 1)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
