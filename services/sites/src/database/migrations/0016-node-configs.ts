import { sql, type Kysely } from 'kysely'

/**
 * The last configuration of a Caddy gets its own table: it has megabytes with thousands of sites, and SQLite writes a whole row
 * again for each change of one column.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('node_configs')
    .addColumn('node_id', 'integer', (column) => column.primaryKey())
    .addColumn('config', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into node_configs (node_id, config) select id, expected_config from nodes where expected_config is not null`.execute(
    db,
  )
  // The column stays: backups of older versions have it.
  await sql`update nodes set expected_config = null where expected_config is not null`.execute(db)
}
