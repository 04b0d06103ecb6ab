import type { Kysely } from 'kysely'

/** Names that peers ask for, pauses of their filters, and how long a profile lets its devices pause. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('dns_profiles')
    .addColumn('self_pause_minutes', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('peer_filter_pauses')
    .addColumn('peer_id', 'text', (column) => column.primaryKey().references('peers.id').onDelete('cascade'))
    .addColumn('paused_until', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('name_requests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('peer_id', 'text', (column) => column.notNull().references('peers.id').onDelete('cascade'))
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('allowed_for', 'text')
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('answered_by', 'text')
    .execute()
  await db.schema.createIndex('name_requests_peer').on('name_requests').column('peer_id').execute()
  await db.schema.createIndex('name_requests_created').on('name_requests').columns(['status', 'created_at']).execute()
}
