import type { Page } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

type Db = Kysely<Tables>

export async function listUserRows(db: Db, page: { limit: number; offset: number }): Promise<Page<UserRow>> {
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total: await countUserRows(db) }
}

export async function countUserRows(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
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
    .limit(1)
    .executeTakeFirst()
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

/** False when another process made a user of that name at the same moment. */
export async function insertUserRowIfNew(db: Db, row: UserRow): Promise<boolean> {
  const result = await db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) === 1
}

export async function updateUserRow(db: Db, id: string, changes: Partial<Omit<UserRow, 'id'>>): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', id).execute()
}

/** Sessions and tokens of the user go with it. */
export async function deleteUserRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}
