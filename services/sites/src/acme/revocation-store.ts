import type { Kysely } from 'kysely'
import { isDue } from './due-store.ts'
import type { AcmeTables, RevocationRow } from './tables.ts'

type Db = Kysely<AcmeTables>

/** Resolves to the last revocation of an order. */
export function findRevocation(db: Db, orderId: string): Promise<RevocationRow | undefined> {
  return db.selectFrom('certificate_revocations').selectAll().where('order_id', '=', orderId).executeTakeFirst()
}

/** Resolves to the last revocation of every order. */
export function listRevocations(db: Db): Promise<RevocationRow[]> {
  return db.selectFrom('certificate_revocations').selectAll().orderBy('order_id').execute()
}

/** Stores a revocation in place of an earlier one of the order. */
export async function putRevocation(db: Db, { order_id, ...values }: RevocationRow): Promise<void> {
  const insert = db.insertInto('certificate_revocations').values({ order_id, ...values })
  await insert.onConflict((conflict) => conflict.column('order_id').doUpdateSet(values)).execute()
}

/** Revocations whose next attempt is due, the longest waiting first. */
export function dueRevocations(db: Db, now: number, limit: number): Promise<RevocationRow[]> {
  const due = db.selectFrom('certificate_revocations').selectAll().where(isDue(now))
  return due.orderBy('next_at').orderBy('order_id').limit(limit).execute()
}

/** Makes a revocation due that waits for something. */
export async function releaseRevocation(db: Db, orderId: string, now: number): Promise<void> {
  const waiting = db.updateTable('certificate_revocations').set({ next_at: now }).where('order_id', '=', orderId)
  await waiting.where('revoked_at', 'is', null).execute()
}

/** Stores why a revocation failed; nothing happens to one that is done meanwhile. */
export async function postponeRevocation(
  db: Db,
  { order_id, ...values }: Pick<RevocationRow, 'order_id' | 'attempts' | 'problem' | 'next_at'>,
): Promise<void> {
  const change = db.updateTable('certificate_revocations').set(values).where('order_id', '=', order_id)
  await change.where('revoked_at', 'is', null).execute()
}

/** Stores that a certificate is revoked. */
export async function finishRevocation(
  db: Db,
  { order_id, certificate }: Pick<RevocationRow, 'order_id' | 'certificate'>,
  now: number,
): Promise<void> {
  const done = { revoked_at: now, next_at: null, attempts: 0, problem: null }
  const change = db.updateTable('certificate_revocations').set(done).where('order_id', '=', order_id)
  await change.where('certificate', '=', certificate).execute()
}

export async function deleteRevocation(db: Db, orderId: string): Promise<void> {
  await db.deleteFrom('certificate_revocations').where('order_id', '=', orderId).execute()
}
