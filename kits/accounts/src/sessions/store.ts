import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'

/** The column of the table `sessions` that names the user. */
export type OwnerColumn = 'user_id' | 'username'

/** A row of the table `sessions`, with the columns that a service adds. */
export type SessionRow<Owner extends OwnerColumn, Extra extends object = object> = Record<Owner, string> & {
  /** SHA-256 of the cookie. */
  key_hash: string
  created_at: number
  last_used_at: number
  /** Address and User-Agent of the sign-in; null for a session from before they were stored. */
  address: string | null
  user_agent: string | null
} & Extra

/** In the types the column is always `user_id`; its name in the table is given. */
type Row = SessionRow<'user_id'>
type Db = Kysely<{ sessions: Row }>

export const sessionsIn = (query: AnyQuery): Db => query as Db

const columnOf = (owner: OwnerColumn) => owner as 'user_id'

export async function findSessionRow(db: Db, keyHash: string): Promise<Row | undefined> {
  return db.selectFrom('sessions').selectAll().where('key_hash', '=', keyHash).executeTakeFirst()
}

export async function insertSessionRow(db: Db, row: object): Promise<void> {
  await db
    .insertInto('sessions')
    .values(row as Row)
    .execute()
}

/** Changes a session that has this key; of two concurrent changes of its key one succeeds. */
export async function updateSessionRow(db: Db, keyHash: string, values: object): Promise<boolean> {
  const result = await db.updateTable('sessions').set(values).where('key_hash', '=', keyHash).executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Sessions of a user that were used since one time and begun since another, at most a thousand, last used first. */
export async function listSessionRowsOf(
  db: Db,
  { owner, id }: OwnerOfRows,
  since: { lastUsed: number; created: number },
): Promise<Row[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(columnOf(owner), '=', id)
    .where('last_used_at', '>', since.lastUsed)
    .where('created_at', '>', since.created)
    .orderBy('last_used_at', 'desc')
    .limit(1000)
    .execute()
}

export async function deleteSessionRow(db: Db, keyHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('key_hash', '=', keyHash).execute()
}

/** Deletes the sessions with these hashes, and returns their users. */
export async function deleteSessionRowsWith(db: Db, owner: OwnerColumn, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return []
  const column = columnOf(owner)
  const rows = await db.deleteFrom('sessions').where('key_hash', 'in', hashes).returning(column).execute()
  return rows.map((row) => row[column])
}

export async function deleteSessionRowsOf(db: Db, { owner, id, except = '' }: OwnerOfRows): Promise<void> {
  await db.deleteFrom('sessions').where(columnOf(owner), '=', id).where('key_hash', '!=', except).execute()
}

/** The user whose rows are meant, except the row with this key hash. */
export interface OwnerOfRows {
  readonly owner: OwnerColumn
  readonly id: string
  readonly except?: string | undefined
}

export async function deleteAllSessionRows(db: Db): Promise<void> {
  await db.deleteFrom('sessions').execute()
}

/** Deletes expired sessions: unused since one time, or started before another. */
export async function deleteStaleSessionRows(db: Db, before: { lastUsed: number; created: number }): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((row) => row.or([row('last_used_at', '<', before.lastUsed), row('created_at', '<', before.created)]))
    .execute()
}

/** Deletes all but the most recently used sessions of a user. */
export async function keepNewestSessionRows(db: Db, { owner, id }: OwnerOfRows, count: number): Promise<void> {
  const rows = await db
    .selectFrom('sessions')
    .select('key_hash')
    .where(columnOf(owner), '=', id)
    .orderBy('last_used_at', 'desc')
    .offset(count)
    .limit(1000)
    .execute()
  if (rows.length === 0) return
  const old = rows.map(({ key_hash }) => key_hash)
  await db.deleteFrom('sessions').where('key_hash', 'in', old).execute()
}
