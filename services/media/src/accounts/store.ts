import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../database/tables.ts'

type Db = Kysely<Tables>

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function findSession(db: Db, keyHash: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('key_hash', '=', keyHash).executeTakeFirst()
}

export async function touchSession(db: Db, keyHash: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('key_hash', '=', keyHash).execute()
}

export async function deleteSession(db: Db, keyHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('key_hash', '=', keyHash).execute()
}

export async function deleteAllSessions(db: Db): Promise<void> {
  await db.deleteFrom('sessions').execute()
}

/** Sessions nobody can use any more. */
export async function deleteStaleSessions(db: Db, before: { lastUsed: number; created: number }): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((row) => row.or([row('last_used_at', '<', before.lastUsed), row('created_at', '<', before.created)]))
    .execute()
}
