import { isPostgres } from '@hearth/database'
import { sql, type Kysely } from 'kysely'

/** Which files are stored and for whom, what they take together, and what went to make room. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createFiles(db)
  await db.schema
    .createTable('evictions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('evicted_at', 'bigint', (column) => column.notNull())
    .addColumn('job_id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('evictions_time').on('evictions').column('evicted_at').execute()
  for (const name of ['pinned', 'reserved_bytes'] as const)
    await db.schema
      .alterTable('jobs')
      .addColumn(name, name === 'pinned' ? 'integer' : 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  await db.schema.alterTable('jobs').addColumn('last_used_at', 'bigint').execute()
  await db.schema.alterTable('jobs').addColumn('output_form', 'text').execute()
  // In the order in which they are read: SQLite has those without a value first by itself.
  const first = isPostgres(db) ? 'last_used_at nulls first' : 'last_used_at'
  await sql.raw(`create index jobs_last_used on jobs (${first}, finished_at, id)`).execute(db)
  // Words that wait to be sorted into the index were read by every search.
  if (isPostgres(db)) {
    await sql.raw('alter index library_items_words set (fastupdate = off)').execute(db)
    await sql.raw("select gin_clean_pending_list('library_items_words')").execute(db)
  }
  await sql.raw('create index jobs_pinned on jobs (id) where pinned = 1').execute(db)
}

async function createFiles(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('artifacts')
    .addColumn('job_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('folder_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('content_hash', 'text')
    .addColumn('is_stored', 'integer', (column) => column.notNull())
    .addColumn('put_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('artifacts_key', ['job_id', 'name'])
    .execute()
  await db.schema.createIndex('artifacts_folder').on('artifacts').columns(['folder_id', 'name']).execute()
  await db.schema.createIndex('artifacts_hash').on('artifacts').column('content_hash').execute()
  await db.schema.createIndex('artifacts_kind').on('artifacts').columns(['kind', 'put_at']).execute()
  await db.schema
    .createTable('departing_artifacts')
    .addColumn('folder_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('left_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('departing_artifacts_key', ['folder_id', 'name'])
    .execute()
  await db.schema
    .createTable('storage_totals')
    .addColumn('kind', 'text', (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('files', 'bigint', (column) => column.notNull())
    .execute()
}
