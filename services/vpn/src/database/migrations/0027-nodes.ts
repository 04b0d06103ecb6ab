import type { Kysely } from 'kysely'

/** Nodes, the tokens with which they join, and the certificate authority that knows them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('node_authority')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('certificate', 'text', (column) => column.notNull())
    .addColumn('private_key', 'text', (column) => column.notNull())
    .addColumn('server_certificate', 'text', (column) => column.notNull())
    .addColumn('server_key', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .addColumn('fingerprint', 'text', (column) => column.unique())
    .addColumn('joined_at', 'bigint')
    .addColumn('last_seen_at', 'bigint')
    .addColumn('address', 'text')
    .addColumn('version', 'text')
    .execute()
  await db.schema
    .createTable('node_join_tokens')
    .addColumn('node_id', 'text', (column) => column.primaryKey().references('nodes.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
}
