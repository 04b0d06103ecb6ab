import type { Db, DeliveryRow, DestinationRow } from '../tables.ts'

/** An attempt that is under way. */
export interface Lease {
  readonly batch: string
  /** Names the attempt: an outcome counts only while this is the stored one. */
  readonly lease: string
}

/** Adds a delivery; does nothing when the destination has the event already. */
export async function insertDelivery(db: Db, row: DeliveryRow): Promise<void> {
  await db
    .insertInto('notification_deliveries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['event_id', 'destination_id']).doNothing())
    .execute()
}

/** Finds the delivery that has been due the longest, of a destination that no attempt is under way for. */
export function findDueDelivery(db: Db, now: number): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .where('destination_id', 'not in', (busy) =>
      busy
        .selectFrom('notification_deliveries')
        .select('destination_id')
        .where('state', '=', 'waiting')
        .where('lease_until', '>', now),
    )
    .orderBy('due_at')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Deliveries of a destination that are due for the first time, oldest first. */
export function listDueTogether(db: Db, destinationId: string, now: number): Promise<DeliveryRow[]> {
  return db
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .where('destination_id', '=', destinationId)
    .where('batch', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(100)
    .execute()
}

/** Deliveries that are sent as one, oldest first. */
export function listBatch(db: Db, batch: string): Promise<DeliveryRow[]> {
  return db
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('batch', '=', batch)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Starts an attempt. It counts at once, so that one that ends the process counts too. */
export async function leaseDeliveries(
  db: Db,
  ids: readonly string[],
  { batch, lease, until }: Lease & { readonly until: number },
): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set((row) => ({ batch, lease, lease_until: until, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .execute()
}

/** Ends an attempt; returns the number of deliveries it was still responsible for. */
export async function settleDeliveries(db: Db, { batch, lease }: Lease, values: Partial<DeliveryRow>): Promise<number> {
  const result = await db
    .updateTable('notification_deliveries')
    .set({ lease: null, lease_until: null, ...values })
    .where('batch', '=', batch)
    .where('lease', '=', lease)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Ends an attempt as if it had not begun. */
export async function releaseDeliveries(db: Db, { batch, lease }: Lease): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set((row) => ({ lease: null, lease_until: null, attempts: row('attempts', '-', 1) }))
    .where('batch', '=', batch)
    .where('lease', '=', lease)
    .execute()
}

/** Ends every lease, where no other process can hold one. */
export async function endAllLeases(db: Db): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set({ lease: null, lease_until: null })
    .where('lease', 'is not', null)
    .execute()
}

/** Time at which something is due next, or a lease ends; undefined when nothing waits. */
export async function nextDueAt(db: Db, now: number): Promise<number | undefined> {
  const { due, leased } = await db
    .selectFrom('notification_deliveries')
    .select((row) => [
      row.fn.min<number | null>('due_at').as('due'),
      row.fn.min<number | null>('lease_until').as('leased'),
    ])
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  if (due === null) return undefined
  return due > now ? due : Math.max(now, leased ?? now)
}

/** Counts deliveries that are not sent yet, by destination. */
export async function countWaitingByDestination(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select(['destination_id', (row) => row.fn.countAll<number>().as('count')])
    .where('state', '=', 'waiting')
    .groupBy('destination_id')
    .execute()
  return new Map(rows.map((row) => [row.destination_id, row.count]))
}

/** Counts deliveries by state. */
export async function countByState(db: Db): Promise<Map<DeliveryRow['state'], number>> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return new Map(rows.map((row) => [row.state, row.count]))
}

/** Deletes what waits for a destination. */
export async function deleteWaiting(db: Db, destinationId: string): Promise<void> {
  await db
    .deleteFrom('notification_deliveries')
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .execute()
}

/** Deletes all but the newest deliveries that ended in a state, some at a time. */
export async function keepNewest(db: Db, state: 'delivered' | 'dead', count: number): Promise<void> {
  const old = await db
    .selectFrom('notification_deliveries')
    .select('id')
    .where('state', '=', state)
    .orderBy('settled_at', 'desc')
    .orderBy('id')
    .offset(count)
    .limit(500)
    .execute()
  if (old.length === 0) return
  const ids = old.map(({ id }) => id)
  await db.deleteFrom('notification_deliveries').where('id', 'in', ids).execute()
}

/** A delivery that was given up, with the name of its destination. */
export type DeadDelivery = DeliveryRow & { readonly destination: DestinationRow['name'] }

/** Deliveries that were given up, newest first. */
export function listDead(db: Db, limit: number): Promise<DeadDelivery[]> {
  return db
    .selectFrom('notification_deliveries')
    .innerJoin('notification_destinations', 'notification_destinations.id', 'notification_deliveries.destination_id')
    .selectAll('notification_deliveries')
    .select('notification_destinations.name as destination')
    .where('state', '=', 'dead')
    .orderBy('settled_at', 'desc')
    .orderBy('notification_deliveries.id')
    .limit(limit)
    .execute()
}

/** Makes a delivery that was given up wait again; false when there is none with this id. */
export async function reviveDead(db: Db, id: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('notification_deliveries')
    .set({ state: 'waiting', batch: id, attempts: 0, due_at: now, error: null, settled_at: null })
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Deletes a delivery that was given up; false when there is none with this id. */
export async function deleteDead(db: Db, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('notification_deliveries')
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}
