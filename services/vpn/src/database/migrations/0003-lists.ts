import type { Kysely } from 'kysely'

/** Block lists: where they come from and what was found in them. Their texts are files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lists')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('number', 'integer', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('url', 'text', (column) => column.notNull().unique())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('sha256', 'text')
    .addColumn('entries', 'integer', (column) => column.notNull())
    .addColumn('unsupported', 'text', (column) => column.notNull())
    .addColumn('last_updated', 'bigint')
    .addColumn('last_checked', 'bigint')
    .addColumn('last_error', 'text')
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('expires_seconds', 'integer')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}
