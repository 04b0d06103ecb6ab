import type { Kysely } from 'kysely'
import type { AdministratorRow, SessionRow, Tables } from '../database/tables.ts'

type Db = Kysely<Tables>

export async function findAdministrator(db: Db, username: string): Promise<AdministratorRow | undefined> {
  return db.selectFrom('administrators').selectAll().where('username', '=', username).executeTakeFirst()
}

/** False when somebody of that name is there already. */
export async function insertAdministratorIfNew(db: Db, row: AdministratorRow): Promise<boolean> {
  const result = await db
    .insertInto('administrators')
    .values(row)
    .onConflict((conflict) => conflict.column('username').doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateAdministrator(
  db: Db,
  username: string,
  values: Partial<Omit<AdministratorRow, 'username'>>,
): Promise<void> {
  await db.updateTable('administrators').set(values).where('username', '=', username).execute()
}

/** A session with its administrator. */
export async function findSession(
  db: Db,
  keyHash: string,
): Promise<(SessionRow & Omit<AdministratorRow, 'username'>) | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('administrators', 'administrators.username', 'sessions.username')
    .selectAll('sessions')
    .select(['administrators.password_hash', 'administrators.password_change_required'])
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()
}

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function touchSession(db: Db, keyHash: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('key_hash', '=', keyHash).execute()
}

export async function deleteSession(db: Db, keyHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('key_hash', '=', keyHash).execute()
}

/** Ends all sessions of an administrator but one. */
export async function deleteOtherSessions(db: Db, username: string, kept?: string): Promise<void> {
  let query = db.deleteFrom('sessions').where('username', '=', username)
  if (kept !== undefined) query = query.where('key_hash', '!=', kept)
  await query.execute()
}

export async function deleteSessionsBefore(db: Db, createdAt: number): Promise<void> {
  await db.deleteFrom('sessions').where('created_at', '<', createdAt).execute()
}
