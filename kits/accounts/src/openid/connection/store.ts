import type { Kysely } from 'kysely'
import type { AnyQuery } from '../../any-query.ts'
import type { OpenIdConnectionRow, OpenIdConnectionTables, OpenIdSessionRow } from './tables.ts'

const connectionsIn = (query: AnyQuery) => query as Kysely<OpenIdConnectionTables>

export function findConnectionRow(query: AnyQuery): Promise<OpenIdConnectionRow | undefined> {
  return connectionsIn(query).selectFrom('openid_connection').selectAll().executeTakeFirst()
}

/** Stores the connection; false when there is one already. */
export async function insertConnectionRow(query: AnyQuery, row: OpenIdConnectionRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: count } = await connectionsIn(query)
    .insertInto('openid_connection')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (count ?? 0n) > 0n
}

export async function updateConnectionGroups(query: AnyQuery, clientId: string, groups: string): Promise<void> {
  await connectionsIn(query)
    .updateTable('openid_connection')
    .set({ groups })
    .where('client_id', '=', clientId)
    .execute()
}

/** Removes the connection of this client; false when it is gone already. */
export async function deleteConnectionRow(query: AnyQuery, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await connectionsIn(query)
    .deleteFrom('openid_connection')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Stores that a session began at the portal, and forgets those that began before a time. */
export async function insertOpenIdSessionRow(query: AnyQuery, row: OpenIdSessionRow, before: number): Promise<void> {
  await connectionsIn(query).deleteFrom('openid_sessions').where('created_at', '<', before).execute()
  await connectionsIn(query).insertInto('openid_sessions').values(row).execute()
}

/** Returns hashes of the keys of sessions that began with one of the portal. */
export async function listOpenIdSessions(
  query: AnyQuery,
  { clientId, sid }: { readonly clientId: string; readonly sid: string },
): Promise<string[]> {
  const rows = await connectionsIn(query)
    .selectFrom('openid_sessions')
    .where('client_id', '=', clientId)
    .where('sid', '=', sid)
    .select('session_hash')
    .execute()
  return rows.map(({ session_hash: hash }) => hash)
}

/** Forgets that sessions began at the portal. */
export async function deleteOpenIdSessions(query: AnyQuery, hashes: readonly string[]): Promise<void> {
  if (hashes.length > 0)
    await connectionsIn(query).deleteFrom('openid_sessions').where('session_hash', 'in', hashes).execute()
}
