import type { Kysely } from 'kysely'

/** Secrets by which devices outside the tunnels are known in DNS, as hashes: one for each peer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('peer_private_dns')
    .addColumn('peer_id', 'text', (column) => column.primaryKey().references('peers.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .execute()
}
