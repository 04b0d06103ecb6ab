import type { Kysely } from 'kysely'

/** How the resolver of a node is, as it reported last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('reported_dns', 'text').execute()
}
