import type { Kysely } from 'kysely'

/** Who reaches a site, and the link with a Hearth VPN. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('sites')
    .addColumn('reach', 'text', (column) => column.notNull().defaultTo('everyone'))
    .execute()
  await db.schema
    .createTable('vpn_link')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('manager', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('token_sealed', 'text')
    .addColumn('records', 'text', (column) => column.notNull())
    .addColumn('inside_addresses', 'text', (column) => column.notNull())
    .addColumn('home_networks', 'text', (column) => column.notNull())
    .addColumn('tunnels', 'text', (column) => column.notNull())
    .addColumn('tunnels_at', 'bigint')
    .execute()
}
