import type { Page } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { ListRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

export async function listPage(db: Db, page: { limit: number; offset: number }): Promise<Page<ListRow>> {
  const rows = await inOrder(db).limit(page.limit).offset(page.offset).execute()
  const { count } = await db
    .selectFrom('lists')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { rows, total: count }
}

/** Reads all lists. */
export function allListRows(db: Db): Promise<ListRow[]> {
  return inOrder(db).execute()
}

const inOrder = (db: Db) => db.selectFrom('lists').selectAll().orderBy('created_at').orderBy('number')

export function findListRow(db: Db, id: string): Promise<ListRow | undefined> {
  return db.selectFrom('lists').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertListRow(db: Db, row: ListRow): Promise<void> {
  await db.insertInto('lists').values(row).execute()
}

export async function updateListRow(db: Db, id: string, changes: Partial<Omit<ListRow, 'id'>>): Promise<void> {
  await db.updateTable('lists').set(changes).where('id', '=', id).execute()
}

/** Removes the list; undefined when there is none. */
export function deleteListRow(db: Db, id: string): Promise<ListRow | undefined> {
  return db.deleteFrom('lists').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Notes that the lists of a new install were made. False when they were before. */
export async function markListsMade(db: Db): Promise<boolean> {
  const made = await db
    .insertInto('facts')
    .values({ name: 'default_lists', value: 'made' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return made.numInsertedOrUpdatedRows === 1n
}

/** Reads when a list's text last changed, milliseconds since the epoch; null before the first. */
export async function newestUpdate(db: Kysely<Tables>): Promise<number | null> {
  const row = await db
    .selectFrom('lists')
    .select((list) => list.fn.max('last_updated').as('newest'))
    .executeTakeFirst()
  return row?.newest ?? null
}
