import type { Kysely } from 'kysely'

/**
 * Share links to several files, with a name, a password and a log of what was fetched. The job of a link stays its first file:
 * backups from before hold nothing else.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const link = db.schema.alterTable('share_links')
  await link.addColumn('name', 'text').execute()
  await link.addColumn('password_hash', 'text').execute()
  await link.addColumn('is_reusable', 'integer', (column) => column.notNull().defaultTo(1)).execute()
  await link.addColumn('last_fetched_at', 'bigint').execute()
  await db.schema
    .createTable('share_files')
    .addColumn('token_hash', 'text', (column) =>
      column.notNull().references('share_links.token_hash').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('share_files_key', ['token_hash', 'position'])
    .execute()
  await db.schema.createIndex('share_files_job').on('share_files').column('job_id').execute()
  await db.schema
    .createTable('share_fetches')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) =>
      column.notNull().references('share_links.token_hash').onDelete('cascade'),
    )
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('client_hash', 'text')
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('share_fetches_link').on('share_fetches').columns(['token_hash', 'fetched_at']).execute()
  await db.schema.createIndex('share_fetches_job').on('share_fetches').column('job_id').execute()
}
