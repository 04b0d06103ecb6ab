import type { Kysely } from 'kysely'

/** Local records of the resolver: one row a value. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dns_records')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('below_only', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('ttl', 'integer', (column) => column.notNull())
    .addColumn('reverse', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .execute()
  await db.schema
    .createIndex('dns_records_key')
    .unique()
    .on('dns_records')
    .columns(['domain', 'below_only', 'type', 'value'])
    .execute()
}
