import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

type Db = Kysely<Tables>

export function findUserRow(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findUserRowByName(db: Db, username: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst()
}

export function findOldestAdministrator(db: Db): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('role', '=', 'admin')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export function listUserRows(db: Db): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function hasUserRows(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function countUserRows(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** How many active administrators there are beside this one. */
export async function countOtherAdministrators(db: Db, id: string): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('role', '=', 'admin')
    .where('is_active', '=', 1)
    .where('id', '!=', id)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertUserRow(db: Db, row: UserRow): Promise<void> {
  await db.insertInto('users').values(row).execute()
}

export async function updateUserRow(db: Db, id: string, changes: Partial<Omit<UserRow, 'id'>>): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', id).execute()
}

/** Sessions, passkeys and recovery codes of the user go with it. */
export async function deleteUserRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}

/** How many passkeys of this relying party the user has. */
export async function countUsablePasskeys(db: Db, userId: string, rpId: string): Promise<number> {
  const { count } = await db
    .selectFrom('passkeys')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('rp_id', '=', rpId)
    .executeTakeFirstOrThrow()
  return count
}

/** How many passkeys each of these users has; those without one are left out. */
export async function countPasskeysOf(db: Db, userIds: readonly string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('passkeys')
    .select(['user_id', (row) => row.fn.countAll<number>().as('count')])
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, count }) => [user_id, count]))
}

export async function deletePasskeysOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('passkeys').where('user_id', '=', userId).execute()
}
