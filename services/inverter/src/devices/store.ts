import type { Kysely } from 'kysely'
import type { DeviceRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Returns every device in order of creation. */
export async function allDeviceRows(db: Db): Promise<DeviceRow[]> {
  return db.selectFrom('devices').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function insertDeviceRow(db: Db, row: DeviceRow): Promise<void> {
  await db.insertInto('devices').values(row).execute()
}

export async function updateDeviceRow(db: Db, id: string, values: Partial<Omit<DeviceRow, 'id'>>): Promise<void> {
  await db.updateTable('devices').set(values).where('id', '=', id).execute()
}

export async function deleteDeviceRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('devices').where('id', '=', id).execute()
}
