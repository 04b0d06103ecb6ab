import type { Kysely } from 'kysely'

/** Accounts of customers at authorities, to which accounts of this service are bound. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('external_accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('directory', 'text', (column) => column.notNull().unique())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('key_sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute()
}
