import type { Kysely } from 'kysely'

/** Labels by which peers are found in DNS. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('peer_names')
    .addColumn('peer_id', 'text', (column) => column.primaryKey().references('peers.id').onDelete('cascade'))
    .addColumn('base', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull().unique())
    .execute()
}
