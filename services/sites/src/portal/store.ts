import type { Kysely } from 'kysely'
import type { AccessGroupMemberRow, AccessGroupRow, PortalTables, PortalTokenRow } from './tables.ts'

/** A database with these tables, or a transaction of one. */
type Query = Pick<Kysely<PortalTables>, 'deleteFrom' | 'insertInto' | 'selectFrom'>

/** Returns the groups by name. */
export function listGroupRows(db: Query): Promise<AccessGroupRow[]> {
  return db.selectFrom('access_groups').selectAll().orderBy('name').execute()
}

/** Returns who is in which group. */
export function listMemberRows(db: Query): Promise<AccessGroupMemberRow[]> {
  return db.selectFrom('access_group_members').selectAll().orderBy('group_name').orderBy('user_id').execute()
}

/** Returns the groups by name, each with the ids of its users. */
export async function listGroups(db: Query): Promise<(AccessGroupRow & { readonly user_ids: string[] })[]> {
  const members = Map.groupBy(await listMemberRows(db), (row) => row.group_name)
  const groups = await listGroupRows(db)
  return groups.map(({ name, created_at }) => {
    const rows = members.get(name) ?? []
    return { name, created_at, user_ids: rows.map(({ user_id: id }) => id) }
  })
}

/** Stores a new group; false when there is one of this name. */
export async function insertGroupRow(db: Query, row: AccessGroupRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('access_groups')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows) === 1
}

/** Replaces the members of a group. */
export async function replaceMemberRows(db: Query, name: string, userIds: readonly string[]): Promise<void> {
  await db.deleteFrom('access_group_members').where('group_name', '=', name).execute()
  if (userIds.length === 0) return
  const rows = userIds.map((id) => ({ group_name: name, user_id: id }))
  await db.insertInto('access_group_members').values(rows).execute()
}

/** Deletes a group with its memberships; false when there is none of this name. */
export async function deleteGroupRow(db: Query, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('access_groups').where('name', '=', name).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Returns the tokens, oldest first. */
export function listTokenRows(db: Query): Promise<PortalTokenRow[]> {
  return db.selectFrom('portal_tokens').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function insertTokenRow(db: Query, row: PortalTokenRow): Promise<void> {
  await db.insertInto('portal_tokens').values(row).execute()
}

/** Deletes a token and returns it; undefined when there is none with this id. */
export function deleteTokenRow(db: Query, id: string): Promise<PortalTokenRow | undefined> {
  return db.deleteFrom('portal_tokens').where('id', '=', id).returningAll().executeTakeFirst()
}
