import type { Kysely } from 'kysely'

/** What the workbench keeps of each job, and the files that are made there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workbench_sessions')
    .addColumn('job_id', 'text', (column) => column.primaryKey().references('jobs.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('exports')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('interruptions', 'integer', (column) => column.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('progress', 'integer', (column) => column.notNull())
    .addColumn('message', 'text')
    .addColumn('files', 'text')
    .addColumn('has_files', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute()
  await db.schema.createIndex('exports_queue').on('exports').columns(['status', 'created_at']).execute()
  await db.schema.createIndex('exports_job').on('exports').column('job_id').execute()
}
