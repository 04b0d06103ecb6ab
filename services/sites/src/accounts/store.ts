import type { Kysely } from 'kysely'
import type { SessionRow, Tables, UserRow } from '../database/tables.ts'

type Db = Kysely<Tables>

/** A session with its user. */
export interface SessionWithUser {
  readonly session: SessionRow
  readonly user: UserRow
}

export async function findSession(db: Db, keyHash: string): Promise<SessionWithUser | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .select([
      'sessions.key_hash',
      'sessions.user_id',
      'sessions.created_at as session_created_at',
      'sessions.last_used_at',
      'sessions.proved_at',
      'sessions.proved_by',
    ])
    .where('sessions.key_hash', '=', keyHash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { key_hash, user_id, session_created_at, last_used_at, proved_at, proved_by, ...user } = row
  return { user, session: { key_hash, user_id, created_at: session_created_at, last_used_at, proved_at, proved_by } }
}

export async function insertSessionRow(db: Db, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

/** Gives a session another key and proof, in one step: of two who try, one does. */
export async function replaceSessionRow(db: Db, oldKeyHash: string, row: SessionRow): Promise<boolean> {
  const result = await db.updateTable('sessions').set(row).where('key_hash', '=', oldKeyHash).executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export async function touchSession(db: Db, keyHash: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('key_hash', '=', keyHash).execute()
}

export async function deleteSessionRow(db: Db, keyHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('key_hash', '=', keyHash).execute()
}

export async function deleteSessionsOfUser(db: Db, userId: string, exceptKeyHash = ''): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('key_hash', '!=', exceptKeyHash).execute()
}

/** Sessions nobody can use any more: unused since one moment, or begun before another. */
export async function deleteStaleSessions(db: Db, before: { lastUsed: number; created: number }): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((row) => row.or([row('last_used_at', '<', before.lastUsed), row('created_at', '<', before.created)]))
    .execute()
}

/** Keeps the newest sessions of a user, and ends the rest. */
export async function keepNewestSessions(db: Db, userId: string, count: number): Promise<void> {
  const rows = await db
    .selectFrom('sessions')
    .select('key_hash')
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .offset(count)
    .limit(1000)
    .execute()
  if (rows.length === 0) return
  const old = rows.map(({ key_hash }) => key_hash)
  await db.deleteFrom('sessions').where('key_hash', 'in', old).execute()
}

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
