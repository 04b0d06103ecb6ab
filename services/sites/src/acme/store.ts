import type { Kysely } from 'kysely'
import { firstDue, isDue } from './due-store.ts'
import { putRevocation, releaseRevocation } from './revocation-store.ts'
import type {
  AcmeAccountRow,
  AcmeTables,
  ChallengeRecordRow,
  DnsProviderRow,
  OrderRow,
  RevocationRow,
} from './tables.ts'

type Db = Kysely<AcmeTables>

export function listProviders(db: Db): Promise<DnsProviderRow[]> {
  return db.selectFrom('dns_providers').selectAll().orderBy('name').orderBy('id').execute()
}

export function findProvider(db: Db, id: string): Promise<DnsProviderRow | undefined> {
  return db.selectFrom('dns_providers').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertProvider(db: Db, row: DnsProviderRow): Promise<void> {
  await db.insertInto('dns_providers').values(row).execute()
}

export async function changeProvider(
  db: Db,
  { id, ...values }: Pick<DnsProviderRow, 'id' | 'name' | 'settings_sealed' | 'changed_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('dns_providers').set(values).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The names of the orders that need a provider. */
export async function ordersOfProvider(db: Db, id: string): Promise<string[]> {
  const orders = db.selectFrom('certificate_orders').select('name').where('provider_id', '=', id).orderBy('name')
  return (await orders.execute()).map(({ name }) => name)
}

/** Makes failed steps due; the result of one that runs meanwhile, with the settings of before, is too late. */
const retryOrders = (db: Db, now: number) =>
  db.updateTable('certificate_orders').set(({ eb }) => ({ next_at: now, changed_at: eb('changed_at', '+', 1) }))

/** Makes the failed steps due that may have failed because of a provider's settings. */
export async function retryOrdersOf(db: Db, providerId: string, now: number): Promise<void> {
  const retry = retryOrders(db, now).where('provider_id', '=', providerId)
  const codes = ['{"code":"wrong-%', '{"code":"provider-%'] as const
  await retry.where((eb) => eb.or(codes.map((code) => eb('problem', 'like', code)))).execute()
  const removals = db.updateTable('challenge_records').set({ next_at: now }).where('provider_id', '=', providerId)
  await removals.where('next_at', 'is not', null).execute()
}

/** Makes the steps due that failed because of the external account at an authority. */
export async function retryOrdersAt(db: Db, directory: string, now: number): Promise<void> {
  const retry = retryOrders(db, now).where('directory', '=', directory)
  await retry.where('problem', 'like', '{"code":"external-account"%').execute()
}

/** Deletes a provider, and forgets the TXT records that were made through it. */
export async function deleteProvider(db: Db, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('challenge_records').where('provider_id', '=', id).execute()
    await trx.deleteFrom('dns_providers').where('id', '=', id).execute()
  })
}

/** Stores the key of an account, unless there is one for the directory; returns the account that counts. */
export async function settleAccount(db: Db, row: AcmeAccountRow): Promise<AcmeAccountRow> {
  const insert = db.insertInto('acme_accounts').values(row)
  await insert.onConflict((conflict) => conflict.column('directory').doNothing()).execute()
  return db.selectFrom('acme_accounts').selectAll().where('directory', '=', row.directory).executeTakeFirstOrThrow()
}

export function findAccount(db: Db, directory: string): Promise<AcmeAccountRow | undefined> {
  return db.selectFrom('acme_accounts').selectAll().where('directory', '=', directory).executeTakeFirst()
}

/** Stores the address of an account; null when the authority does not know it any more. */
export async function nameAccount(db: Db, directory: string, url: string | null): Promise<void> {
  await db.updateTable('acme_accounts').set({ url }).where('directory', '=', directory).execute()
}

export function listOrders(db: Db): Promise<OrderRow[]> {
  return db.selectFrom('certificate_orders').selectAll().orderBy('name').orderBy('id').execute()
}

export function findOrder(db: Db, id: string): Promise<OrderRow | undefined> {
  return db.selectFrom('certificate_orders').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Resolves to the ids of the stored certificates that come from orders. */
export async function orderedCertificates(db: Db): Promise<Map<number, string>> {
  const rows = await db.selectFrom('certificate_orders').select(['id', 'certificate_id']).execute()
  return new Map(rows.flatMap(({ id, certificate_id: number }) => (number === null ? [] : [[number, id] as const])))
}

export async function countOrders(db: Db): Promise<number> {
  const rows = db.selectFrom('certificate_orders').select((eb) => eb.fn.countAll<number>().as('count'))
  return (await rows.executeTakeFirstOrThrow()).count
}

export async function insertOrder(db: Db, row: OrderRow): Promise<void> {
  await db.insertInto('certificate_orders').values(row).execute()
}

/** Orders whose next step is due, the longest waiting first. */
export function dueOrders(db: Db, now: number, limit: number): Promise<OrderRow[]> {
  const due = db.selectFrom('certificate_orders').selectAll().where(isDue(now))
  return due.orderBy('next_at').orderBy('id').limit(limit).execute()
}

/** The time of the next step of any order, record or revocation; undefined for none. */
export async function nextDue(db: Db, now: number): Promise<number | undefined> {
  const tables = ['certificate_orders', 'challenge_records', 'certificate_revocations'] as const
  const found = await Promise.all(
    tables.map((table) => {
      const times = db
        .selectFrom(table)
        .select(({ fn }) => [fn.min('next_at').as('first'), fn.max('next_at').as('last')])
      return times.executeTakeFirst()
    }),
  )
  const times = found.flatMap((row) => [row?.first ?? [], row?.last ?? []].flat())
  return firstDue(times, now)
}

/** A change of an order. */
export interface OrderWrite {
  readonly values: Partial<Omit<OrderRow, 'id'>>
  /** The records of the order are no longer needed, and are due to be removed. */
  readonly isOver: boolean
  /** A certificate is issued: a revocation that waits for it is due. */
  readonly isIssued?: boolean
  /** Stored with the order, in place of an earlier one. */
  readonly revocation?: RevocationRow
  readonly now: number
}

/** Writes the result of a step, unless the order was changed or deleted since it was read. */
export async function changeOrder(
  db: Db,
  { id, changed_at: readAt }: Pick<OrderRow, 'id' | 'changed_at'>,
  { values, isOver, isIssued = false, revocation, now }: OrderWrite,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const change = trx.updateTable('certificate_orders').set({ ...values, changed_at: Math.max(now, readAt + 1) })
    const { numUpdatedRows } = await change.where('id', '=', id).where('changed_at', '=', readAt).executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    if (isOver) await releaseRecords(trx, id, now)
    if (isIssued) await releaseRevocation(trx, id, now)
    if (revocation !== undefined) await putRevocation(trx, revocation)
    return true
  })
}

/** Deletes an order; its records are removed afterwards, and what was to be revoked is revoked. */
export async function deleteOrder(db: Db, id: string, now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('certificate_orders').where('id', '=', id).execute()
    await releaseRecords(trx, id, now)
    const done = trx.deleteFrom('certificate_revocations').where('order_id', '=', id)
    await done.where('revoked_at', 'is not', null).execute()
    await releaseRevocation(trx, id, now)
  })
}

async function releaseRecords(db: Db, orderId: string, now: number): Promise<void> {
  const due = db.updateTable('challenge_records').set({ next_at: now }).where('order_id', '=', orderId)
  await due.where('next_at', 'is', null).execute()
}

/**
 * Notes a record before it is made; false when the order is gone. An authority may ask for the proof of an earlier order again:
 * its records stay then, also those of another provider, which may reach the same zone.
 */
export async function noteRecord(db: Db, row: ChallengeRecordRow): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const order = trx.selectFrom('certificate_orders').select('id').where('id', '=', row.order_id)
    if ((await order.executeTakeFirst()) === undefined) return false
    const records = trx.selectFrom('challenge_records').selectAll().where('order_id', '=', row.order_id)
    const same = await records.where('name', '=', row.name).where('value', '=', row.value).execute()
    for (const { id } of same) await postponeRecord(trx, { id, attempts: 0, problem: null, next_at: null })
    const isKnown = same.some(({ provider_id: id, zone }) => id === row.provider_id && zone === row.zone)
    if (!isKnown) await trx.insertInto('challenge_records').values(row).execute()
    return true
  })
}

export function recordsOf(db: Db, orderId: string): Promise<ChallengeRecordRow[]> {
  return db.selectFrom('challenge_records').selectAll().where('order_id', '=', orderId).orderBy('name').execute()
}

export function recordsAt(db: Db, providerId: string): Promise<ChallengeRecordRow[]> {
  return db.selectFrom('challenge_records').selectAll().where('provider_id', '=', providerId).orderBy('name').execute()
}

export function listRecords(db: Db): Promise<ChallengeRecordRow[]> {
  return db.selectFrom('challenge_records').selectAll().orderBy('name').execute()
}

/** Records that are due to be removed, and those whose order was deleted while they were made. */
export function dueRecords(db: Db, now: number, limit: number): Promise<ChallengeRecordRow[]> {
  const due = db
    .selectFrom('challenge_records')
    .selectAll()
    .where((row) => {
      const orders = row.selectFrom('certificate_orders').select('id')
      const order = orders.whereRef('certificate_orders.id', '=', 'challenge_records.order_id')
      const isOrphan = row.and([row('next_at', 'is', null), row.not(row.exists(order))])
      return row.or([isDue(now), isOrphan])
    })
  return due.orderBy('next_at').limit(limit).execute()
}

/** True if another order needs the same record: then it is removed with that one's. */
export async function isNeededElsewhere(db: Db, row: ChallengeRecordRow): Promise<boolean> {
  const others = db.selectFrom('challenge_records').select('id').where('id', '<>', row.id)
  const same = others.where('provider_id', '=', row.provider_id).where('zone', '=', row.zone)
  const needed = same.where('name', '=', row.name).where('value', '=', row.value).where('next_at', 'is', null)
  return (await needed.executeTakeFirst()) !== undefined
}

export async function postponeRecord(
  db: Db,
  { id, ...values }: Pick<ChallengeRecordRow, 'id' | 'attempts' | 'problem' | 'next_at'>,
): Promise<void> {
  await db.updateTable('challenge_records').set(values).where('id', '=', id).execute()
}

export async function deleteRecord(db: Db, id: string): Promise<void> {
  await db.deleteFrom('challenge_records').where('id', '=', id).execute()
}
