import type { Kysely } from 'kysely'

/** Jobs, the account's sessions, share links and separations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['facts', 'settings']) {
    await db.schema
      .createTable(table)
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
  }
  await createJobs(db)
  await createSessions(db)
  await createShares(db)
  await createSecondary(db)
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('media_key', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('quality', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('interruptions', 'integer', (column) => column.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('video_title', 'text')
    .addColumn('video_meta_hover', 'text')
    .addColumn('message', 'text')
    .addColumn('error_code', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('queued_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('filesize_bytes', 'bigint')
    .addColumn('duration_ms', 'bigint')
    .addColumn('codec', 'text')
    .addColumn('bitrate_kbps', 'integer')
    .addColumn('bpm', 'integer')
    .addColumn('bpm_confidence', 'double precision')
    .addColumn('bpm_alternative', 'double precision')
    .addColumn('audio_hash', 'text')
    .addColumn('artifact', 'text')
    .addColumn('stem_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('jobs_newest').on('jobs').columns(['created_at desc', 'id desc']).execute()
  await db.schema.createIndex('jobs_status').on('jobs').columns(['status', 'queued_at', 'id']).execute()
  await db.schema.createIndex('jobs_media').on('jobs').columns(['media_key', 'type', 'quality']).execute()
  await db.schema.createIndex('jobs_finished').on('jobs').column('finished_at').execute()
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function createShares(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('share_links')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('token_sealed', 'text', (column) => column.notNull())
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('max_uses', 'integer', (column) => column.notNull())
    .addColumn('uses', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .execute()
  await db.schema.createIndex('share_links_job').on('share_links').column('job_id').execute()
  await db.schema
    .createTable('share_uses')
    .addColumn('token_hash', 'text', (column) =>
      column.notNull().references('share_links.token_hash').onDelete('cascade'),
    )
    .addColumn('client_hash', 'text', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('share_uses_key', ['token_hash', 'client_hash'])
    .execute()
}

async function createSecondary(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stem_splits')
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('variant', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('lease_until', 'bigint')
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('stem_splits_key', ['job_id', 'variant'])
    .execute()
  await db.schema
    .createTable('cookie_jars')
    .addColumn('platform', 'text', (column) => column.primaryKey())
    .addColumn('content_sealed', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('files')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .execute()
}
