import type { Kysely } from 'kysely'

/** Tags of peers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('peers')
    .addColumn('tags', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .alterTable('peers')
    .addColumn('tag_keys', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}
