import type { Kysely } from 'kysely'

/** Connections of peers, one row each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('peer_connections')
    .addColumn('peer_id', 'text', (column) => column.notNull().references('peers.id').onDelete('cascade'))
    .addColumn('began', 'bigint', (column) => column.notNull())
    .addColumn('ended', 'bigint')
    .addColumn('rx_before', 'bigint', (column) => column.notNull())
    .addColumn('tx_before', 'bigint', (column) => column.notNull())
    .addColumn('rx_bytes', 'bigint', (column) => column.notNull())
    .addColumn('tx_bytes', 'bigint', (column) => column.notNull())
    .addColumn('addresses', 'text', (column) => column.notNull())
    .addColumn('address_changes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('peer_connections_key', ['peer_id', 'began'])
    .execute()
  await db.schema.createIndex('peer_connections_began').on('peer_connections').column('began').execute()
}
