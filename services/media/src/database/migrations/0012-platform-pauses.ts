import type { Kysely } from 'kysely'

/** Platforms that refuse this server for a while, and what a tool said when a job failed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('platform_pauses')
    .addColumn('platform', 'text', (column) => column.primaryKey())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('began_at', 'bigint', (column) => column.notNull())
    .addColumn('paused_until', 'bigint', (column) => column.notNull())
    .addColumn('refusals', 'integer', (column) => column.notNull())
    .addColumn('probe_job', 'text')
    .addColumn('probe_attempt', 'integer')
    .execute()
  await db.schema
    .createTable('job_failures')
    .addColumn('job_id', 'text', (column) => column.primaryKey().references('jobs.id').onDelete('cascade'))
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('failed_at', 'bigint', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('tool_version', 'text')
    .addColumn('exit_code', 'integer')
    .addColumn('output', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('job_failures_time').on('job_failures').column('failed_at').execute()
  await db.schema
    .alterTable('jobs')
    .addColumn('refusals', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('jobs_platform').on('jobs').columns(['platform', 'finished_at']).execute()
}
