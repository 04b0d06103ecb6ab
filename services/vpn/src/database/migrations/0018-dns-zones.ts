import type { Kysely } from 'kysely'

/** Zones whose names the resolver sends to servers of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dns_zones')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('servers', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .execute()
  await db.schema.createIndex('dns_zones_key').unique().on('dns_zones').column('zone').execute()
}
