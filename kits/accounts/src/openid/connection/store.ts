import type { Kysely } from 'kysely'
import type { AnyQuery } from '../../any-query.ts'
import type { OpenIdConnectionRow, OpenIdConnectionTables } from './tables.ts'

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
