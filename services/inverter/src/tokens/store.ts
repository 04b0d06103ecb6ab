import type { Kysely } from 'kysely'
import type { Tables, TokenRow } from '../database/tables.ts'

type Db = Kysely<Tables>

export async function allTokens(db: Db): Promise<TokenRow[]> {
  return db.selectFrom('tokens').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function findTokenByHash(db: Db, hash: string): Promise<TokenRow | undefined> {
  return db.selectFrom('tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst()
}

export async function insertToken(db: Db, row: TokenRow): Promise<void> {
  await db.insertInto('tokens').values(row).execute()
}

export async function touchToken(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('tokens').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** False when there was none. */
export async function deleteToken(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('tokens').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
