import type { Kysely } from 'kysely'
import type { OpenIdLoginRow, OpenIdProviderTables } from './tables.ts'

/** A database with the logins, or a transaction of one. */
type Query = Pick<Kysely<OpenIdProviderTables>, 'deleteFrom' | 'insertInto' | 'selectFrom' | 'updateTable'>

/** Names a login. */
export type LoginKey = Pick<OpenIdLoginRow, 'session_id' | 'client_id'>

/** Stores that a session signed in to an application, and when. */
export async function storeLoginRow(db: Query, row: OpenIdLoginRow): Promise<void> {
  const { session_id: _session, client_id: _client, ...values } = row
  await db
    .insertInto('openid_logins')
    .values(row)
    .onConflict((conflict) => conflict.columns(['session_id', 'client_id']).doUpdateSet(values))
    .execute()
  const used = { last_used_at: row.created_at, last_user_id: row.user_id }
  await db.updateTable('openid_clients').set(used).where('id', '=', row.client_id).execute()
}

/** Returns the logins of sessions that last, as far as is known. */
export function listOpenLoginRows(db: Query): Promise<OpenIdLoginRow[]> {
  return db.selectFrom('openid_logins').selectAll().where('ended_at', 'is', null).execute()
}

/** Marks a login as over, so that its application is told. */
export async function endLoginRow(db: Query, { session_id, client_id }: LoginKey, now: number): Promise<void> {
  const named = db.updateTable('openid_logins').set({ ended_at: now, next_at: now })
  const open = named.where('session_id', '=', session_id).where('client_id', '=', client_id)
  await open.where('ended_at', 'is', null).execute()
}

/** Returns logins that are over and whose application is to be told by now, oldest first. */
export function listDueLoginRows(db: Query, now: number, limit: number): Promise<OpenIdLoginRow[]> {
  const due = db.selectFrom('openid_logins').selectAll().where('ended_at', 'is not', null).where('next_at', '<=', now)
  return due.orderBy('next_at').limit(limit).execute()
}

/** Returns when the next application is to be told; undefined when none is. */
export async function nextLoginTime(db: Query): Promise<number | undefined> {
  const waiting = db.selectFrom('openid_logins').select('next_at').where('next_at', 'is not', null)
  return (await waiting.orderBy('next_at').limit(1).executeTakeFirst())?.next_at ?? undefined
}

/** Stores that an application could not be told, and when to try again. A login that began anew stays as it is. */
export async function postponeLoginRow(
  db: Query,
  { session_id, client_id, ended_at }: OpenIdLoginRow,
  values: Pick<OpenIdLoginRow, 'attempts' | 'next_at'>,
): Promise<void> {
  const named = db.updateTable('openid_logins').set(values).where('session_id', '=', session_id)
  await named.where('client_id', '=', client_id).where('ended_at', '=', ended_at).execute()
}

/** Deletes a login that is over. One that began anew stays. */
export async function deleteLoginRow(db: Query, { session_id, client_id, ended_at }: OpenIdLoginRow): Promise<void> {
  const named = db.deleteFrom('openid_logins').where('session_id', '=', session_id).where('client_id', '=', client_id)
  await named.where('ended_at', '=', ended_at).execute()
}
