import type { Kysely } from 'kysely'

/** Local records that another service keeps; they yield to those of operators. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('managed_dns_records')
    .addColumn('manager', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('below_only', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('ttl', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('managed_dns_records_key', ['domain', 'below_only', 'type', 'value'])
    .execute()
}
