import type { Page } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { Tables, TokenRow, UserRow } from '../database/tables.ts'

type Db = Kysely<Tables>

/** A token with what matters of its owner. */
export type TokenWithOwner = TokenRow & Pick<UserRow, 'username' | 'role' | 'is_active'>

export async function listTokenRows(
  db: Db,
  userId: string,
  page: { limit: number; offset: number },
): Promise<Page<TokenRow>> {
  const own = db.selectFrom('tokens').where('user_id', '=', userId)
  const rows = await own.selectAll().orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute()
  const { count } = await own.select((row) => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return { rows, total: count }
}

export function findTokenByHash(db: Db, hash: string): Promise<TokenWithOwner | undefined> {
  return withOwner(db).where('tokens.hash', '=', hash).executeTakeFirst()
}

export function findTokenById(db: Db, id: string): Promise<TokenWithOwner | undefined> {
  return withOwner(db).where('tokens.id', '=', id).executeTakeFirst()
}

function withOwner(db: Db) {
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .selectAll('tokens')
    .select(['users.username', 'users.role', 'users.is_active'])
}

export async function insertTokenRow(db: Db, row: TokenRow): Promise<void> {
  await db.insertInto('tokens').values(row).execute()
}

export async function recordTokenUse(
  db: Db,
  id: string,
  use: { last_used_at: number; last_used_ip: string },
): Promise<void> {
  await db.updateTable('tokens').set(use).where('id', '=', id).execute()
}

/** Removes a token of this user; undefined when there is none. */
export function deleteTokenRow(db: Db, userId: string, id: string): Promise<TokenRow | undefined> {
  return db.deleteFrom('tokens').where('id', '=', id).where('user_id', '=', userId).returningAll().executeTakeFirst()
}
