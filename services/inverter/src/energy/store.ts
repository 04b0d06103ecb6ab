import type { Kysely } from 'kysely'
import type { EnergyModeRow, EnergyStopRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

export function allModeRows(db: Db): Promise<EnergyModeRow[]> {
  return db.selectFrom('energy_modes').selectAll().execute()
}

export async function writeModeRow(db: Db, row: EnergyModeRow): Promise<void> {
  const { device_id: _, ...values } = row
  await db
    .insertInto('energy_modes')
    .values(row)
    .onConflict((conflict) => conflict.column('device_id').doUpdateSet(values))
    .execute()
}

/** Forgets mode and history of a device. */
export async function deleteEnergyRows(db: Db, deviceId: string): Promise<void> {
  await db.deleteFrom('energy_modes').where('device_id', '=', deviceId).execute()
  await db.deleteFrom('energy_stops').where('device_id', '=', deviceId).execute()
}

/** The latest ends of a device's actions, newest first. */
export function latestStopRows(db: Db, deviceId: string, limit: number): Promise<Omit<EnergyStopRow, 'id'>[]> {
  return db
    .selectFrom('energy_stops')
    .select(['device_id', 'at', 'action', 'reason', 'operation_id'])
    .where('device_id', '=', deviceId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Adds an end and deletes all but the newest `kept` of the device. */
export async function addStopRow(db: Db, row: EnergyStopRow, kept: number): Promise<void> {
  const { device_id: deviceId } = row
  await db.insertInto('energy_stops').values(row).execute()
  const rows = db.selectFrom('energy_stops').select('id').where('device_id', '=', deviceId)
  const newestToGo = rows.orderBy('id', 'desc').offset(kept).limit(1)
  await db.deleteFrom('energy_stops').where('device_id', '=', deviceId).where('id', '<=', newestToGo).execute()
}
