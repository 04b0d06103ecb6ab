import type { Kysely } from 'kysely'

/** What profiles of the DNS filter have search engines and YouTube leave out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('dns_profiles')
    .addColumn('safe_search', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('dns_profiles').addColumn('youtube', 'text').execute()
}
