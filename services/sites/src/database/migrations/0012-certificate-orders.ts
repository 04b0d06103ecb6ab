import type { Kysely } from 'kysely'

/** Certificates that the service orders itself: DNS providers, accounts at authorities, orders, and their TXT records. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dns_providers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('settings_sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('acme_accounts')
    .addColumn('directory', 'text', (column) => column.primaryKey())
    .addColumn('key_sealed', 'text', (column) => column.notNull())
    .addColumn('url', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await createOrders(db)
}

async function createOrders(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificate_orders')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('domains', 'text', (column) => column.notNull())
    .addColumn('provider_id', 'text', (column) => column.notNull().references('dns_providers.id'))
    .addColumn('directory', 'text', (column) => column.notNull())
    .addColumn('certificate_id', 'integer')
    .addColumn('progress', 'text', (column) => column.notNull())
    .addColumn('key_sealed', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('problem', 'text')
    .addColumn('history', 'text', (column) => column.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('renew_at', 'bigint')
    .addColumn('not_after', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('challenge_records')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('order_id', 'text', (column) => column.notNull())
    .addColumn('provider_id', 'text', (column) => column.notNull().references('dns_providers.id'))
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('problem', 'text')
    .addColumn('next_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}
