import type { Kysely } from 'kysely'

/** Links that hand a device its configuration, once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('setup_links')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('peer_id', 'text', (column) => column.notNull().references('peers.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .addColumn('used_at', 'bigint')
    .addColumn('used_from', 'text')
    .execute()
  await db.schema.createIndex('setup_links_peer').on('setup_links').columns(['peer_id', 'created_at']).execute()
}
