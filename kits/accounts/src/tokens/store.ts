import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import type { TokenTables } from './tables.ts'

/** The column of the table `tokens` that holds the hash. */
export type HashColumn = 'hash' | 'token_hash'

/** A row of the table `tokens`, with the columns that a service adds. */
export type TokenRow<Hash extends HashColumn, Extra extends object = object> = Record<Hash, string> & Token & Extra

/** An API token as stored, without its hash. Times are milliseconds since the epoch. */
export interface Token {
  id: string
  name: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

/** In the types the column is always `hash`; its name in the table is given. */
type Row = TokenRow<'hash'>
type Db = Kysely<{ tokens: Row }>

export const tokensIn = (query: AnyQuery): Db => query as Db

/** Columns and the values that rows must have in them. */
export type Columns = Readonly<Record<string, unknown>>

export async function findTokenRow(db: Db, where: Columns): Promise<Row | undefined> {
  return allWhere(db, where).selectAll().executeTakeFirst()
}

/** Tokens in the order in which they were made. */
export async function listTokenRows(db: Db, where: Columns, page?: { limit: number; offset: number }): Promise<Row[]> {
  const rows = allWhere(db, where).selectAll().orderBy('created_at').orderBy('id')
  return (page === undefined ? rows : rows.limit(page.limit).offset(page.offset)).execute()
}

export async function countTokenRows(db: Db, where: Columns): Promise<number> {
  const { count } = await allWhere(db, where)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function allWhere(db: Db, where: Columns) {
  return db.selectFrom('tokens').where((row) => row.and(where as Partial<Row>))
}

export async function insertTokenRow(db: Db, row: object): Promise<void> {
  await db
    .insertInto('tokens')
    .values(row as Row)
    .execute()
}

export async function updateTokenRow(db: Db, id: string, values: object): Promise<void> {
  await db.updateTable('tokens').set(values).where('id', '=', id).execute()
}

/** Deletes a token and returns it; undefined when there is no such token. */
export async function deleteTokenRow(db: Db, where: Columns): Promise<Row | undefined> {
  return db
    .deleteFrom('tokens')
    .where((row) => row.and(where as Partial<Row>))
    .returningAll()
    .executeTakeFirst()
}

/** Deletes all tokens of a user. */
export async function deleteTokensOf(query: AnyQuery, userId: string): Promise<void> {
  const db = query as Kysely<TokenTables<string>>
  await db.deleteFrom('tokens').where('user_id', '=', userId).execute()
}
