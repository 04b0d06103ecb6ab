import type { Kysely } from 'kysely'

/** Uploaded certificates, grades, and what is known of SSL Labs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('uploaded_certificates')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('chain', 'text', (column) => column.notNull())
    .addColumn('key_sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute()
  await db.schema
    .createTable('certificate_grades')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('grade', 'text', (column) => column.notNull())
    .addColumn('grade_trust_ignored', 'text')
    .addColumn('parts', 'text')
    .addColumn('findings', 'text', (column) => column.notNull())
    .addColumn('not_after', 'bigint')
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('certificate_grades_host')
    .on('certificate_grades')
    .columns(['host', 'source', 'checked_at'])
    .execute()
  await db.schema.createIndex('certificate_grades_time').on('certificate_grades').column('checked_at').execute()
  await createSslLabs(db)
}

async function createSslLabs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ssl_labs_scans')
    .addColumn('host', 'text', (column) => column.primaryKey())
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('is_fresh', 'integer', (column) => column.notNull())
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('last_fresh_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('grade', 'text')
    .addColumn('message', 'text')
    .execute()
  await db.schema
    .createTable('ssl_labs_facts')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
}
