import type { Db, DestinationRow } from '../tables.ts'

export function listDestinationRows(db: Db): Promise<DestinationRow[]> {
  return db.selectFrom('notification_destinations').selectAll().orderBy('created_at').orderBy('id').execute()
}

/** Lists the destinations that get messages. */
export function listEnabledDestinations(db: Db): Promise<Pick<DestinationRow, 'id' | 'kind' | 'rules'>[]> {
  return db.selectFrom('notification_destinations').select(['id', 'kind', 'rules']).where('enabled', '=', 1).execute()
}

/** Finds a destination. */
export function findDestinationRow(db: Db, id: string): Promise<DestinationRow | undefined> {
  return db.selectFrom('notification_destinations').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function countDestinations(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('notification_destinations')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertDestinationRow(db: Db, row: DestinationRow): Promise<void> {
  await db.insertInto('notification_destinations').values(row).execute()
}

/** Changes a destination; false when it is gone. */
export async function updateDestinationRow(db: Db, id: string, values: Partial<DestinationRow>): Promise<boolean> {
  const result = await db.updateTable('notification_destinations').set(values).where('id', '=', id).executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Deletes a destination, and with it its messages; false when it is gone. */
export async function deleteDestinationRow(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('notification_destinations').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}
