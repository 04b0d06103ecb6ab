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
    ])
    .where('sessions.key_hash', '=', keyHash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { key_hash, user_id, session_created_at, last_used_at, ...user } = row
  return { user, session: { key_hash, user_id, created_at: session_created_at, last_used_at } }
}

export async function insertSessionRow(db: Db, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function touchSession(db: Db, keyHash: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('key_hash', '=', keyHash).execute()
}

export async function deleteSessionRow(db: Db, keyHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('key_hash', '=', keyHash).execute()
}

/** Sessions nobody can use any more: unused since one moment, or begun before another. */
export async function deleteStaleSessions(db: Db, before: { lastUsed: number; created: number }): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((row) => row.or([row('last_used_at', '<', before.lastUsed), row('created_at', '<', before.created)]))
    .execute()
}
