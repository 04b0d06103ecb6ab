import type { Kysely } from 'kysely'

/** Traffic quotas of peers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('peer_quotas')
    .addColumn('peer_id', 'text', (column) => column.primaryKey().references('peers.id').onDelete('cascade'))
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('counts', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('start_day', 'integer', (column) => column.notNull())
    .addColumn('at_limit', 'text', (column) => column.notNull())
    .addColumn('slow_to', 'integer')
    .addColumn('marks', 'text', (column) => column.notNull())
    .addColumn('told', 'integer', (column) => column.notNull())
    .execute()
}
