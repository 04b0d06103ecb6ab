import type { Kysely } from 'kysely'
import type { StatusPageRow, UptimeTables } from '../tables.ts'

type Db = Kysely<UptimeTables>

/** Returns every status page by its title. */
export function allPageRows(db: Db): Promise<StatusPageRow[]> {
  return db.selectFrom('status_pages').selectAll().orderBy('title').orderBy('slug').execute()
}

export function findPageRow(db: Db, slug: string): Promise<StatusPageRow | undefined> {
  return db.selectFrom('status_pages').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** Returns the last part of the address of each page that everybody may see. */
export async function publicSlugs(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('status_pages').select('slug').where('is_public', '=', 1).execute()
  return rows.map(({ slug }) => slug)
}

/** Inserts a status page. Resolves to false when its address is taken. */
export async function insertPageRow(db: Db, row: StatusPageRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await db
    .insertInto('status_pages')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  return (inserted ?? 0n) > 0n
}

/** Replaces the values of a status page. Resolves to false when there is none. */
export async function updatePageRow(db: Db, { slug, ...values }: Omit<StatusPageRow, 'created_at'>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('status_pages')
    .set(values)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a status page. Resolves to false when there was none. */
export async function deletePageRow(db: Db, slug: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('status_pages').where('slug', '=', slug).executeTakeFirst()
  return numDeletedRows > 0n
}
