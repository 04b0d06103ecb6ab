import type { Kysely } from 'kysely'
import type { AccountTables, PortalSessionRow } from './tables.ts'

/** A database with the sessions of the portal, or a transaction of one. */
type Query = Pick<Kysely<AccountTables>, 'deleteFrom' | 'insertInto' | 'selectFrom' | 'updateTable'>

/** Returns the sessions that began at this time or later, oldest first. */
export function listPortalSessionRows(db: Query, since: number): Promise<PortalSessionRow[]> {
  return db.selectFrom('portal_sessions').selectAll().where('created_at', '>=', since).orderBy('created_at').execute()
}

/** Most sessions of one user; the oldest end for new ones. */
const maxPerUser = 50

/** Stores a session, and deletes all that began before `expired`. */
export async function insertPortalSessionRow(db: Query, row: PortalSessionRow, expired: number): Promise<void> {
  await db.deleteFrom('portal_sessions').where('created_at', '<', expired).execute()
  await db.insertInto('portal_sessions').values(row).execute()
  const own = db.selectFrom('portal_sessions').select('id').where('user_id', '=', row.user_id)
  const ids = (await own.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(({ id }) => id)
  const surplus = ids.slice(maxPerUser)
  if (surplus.length > 0) await db.deleteFrom('portal_sessions').where('id', 'in', surplus).execute()
}

/** Gives a session of a user another key, and lets it begin anew; false when it is over. */
export async function renewPortalSessionRow(
  db: Query,
  { id, userId }: { readonly id: string; readonly userId: string },
  values: Pick<PortalSessionRow, 'key_hash' | 'created_at' | 'proved_at' | 'proved_by'>,
): Promise<boolean> {
  const renewing = db.updateTable('portal_sessions').set(values).where('id', '=', id).where('user_id', '=', userId)
  const { numUpdatedRows } = await renewing.executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes a session; false when there is none with this id. */
export async function deletePortalSessionRow(db: Query, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('portal_sessions').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Ends all sessions of a user at protected sites, but not the one with the id `except`. */
export async function endPortalSessionsOf(db: Query, userId: string, except = ''): Promise<void> {
  await db.deleteFrom('portal_sessions').where('user_id', '=', userId).where('id', '!=', except).execute()
}
