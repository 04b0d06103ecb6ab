import type { Kysely } from 'kysely'
import type { CookieJarRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

export async function findJarRow(db: Db, platform: string): Promise<CookieJarRow | undefined> {
  return db.selectFrom('cookie_jars').selectAll().where('platform', '=', platform).executeTakeFirst()
}

/** Adds or replaces a platform's jar. */
export async function saveJarRow(db: Db, row: CookieJarRow): Promise<void> {
  const { content_sealed, updated_at } = row
  await db
    .insertInto('cookie_jars')
    .values(row)
    .onConflict((conflict) => conflict.column('platform').doUpdateSet({ content_sealed, updated_at }))
    .execute()
}

/** Deletes a platform's jar; false when there is none. */
export async function deleteJarRow(db: Db, platform: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('cookie_jars').where('platform', '=', platform).executeTakeFirst()
  return numDeletedRows > 0n
}
