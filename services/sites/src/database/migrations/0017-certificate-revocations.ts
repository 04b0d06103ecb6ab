import type { Kysely } from 'kysely'

/** Revocations of ordered certificates: one of each order, until it is done and after. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificate_revocations')
    .addColumn('order_id', 'text', (column) => column.primaryKey())
    .addColumn('directory', 'text', (column) => column.notNull())
    .addColumn('certificate', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('problem', 'text')
    .addColumn('next_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute()
}
