import type { Kysely } from 'kysely'

/** Sites, the Caddy servers they run on, and what was applied. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createSites(db)
  await createNodes(db)
  await createRevisions(db)
}

async function createSites(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sites')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('domains', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('extras', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('site_domains')
    .addColumn('domain', 'text', (column) => column.primaryKey())
    .addColumn('site_id', 'integer', (column) => column.notNull().references('sites.id').onDelete('cascade'))
    .execute()
  await db.schema.createIndex('site_domains_site').on('site_domains').column('site_id').execute()
  await db.schema
    .createTable('site_versions')
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('extras', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('site_versions_key', ['site_id', 'revision'])
    .execute()
}

async function createNodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('admin', 'text')
    .addColumn('http_port', 'integer', (column) => column.notNull())
    .addColumn('https_port', 'integer', (column) => column.notNull())
    .addColumn('bind', 'text', (column) => column.notNull())
    .addColumn('log_file', 'text')
    .addColumn('onboarded_at', 'bigint')
    .addColumn('baseline_sha', 'text')
    .addColumn('expected_sha', 'text')
    .addColumn('expected_config', 'text')
    .addColumn('announced_sha', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('site_states')
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('node_id', 'integer', (column) => column.notNull().references('nodes.id').onDelete('cascade'))
    .addColumn('applied_revision', 'integer')
    .addColumn('refused_revision', 'integer')
    .addColumn('error', 'text')
    .addPrimaryKeyConstraint('site_states_key', ['site_id', 'node_id'])
    .execute()
}

async function createRevisions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('revisions')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('site_count', 'integer', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('nodes', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('revision_sites')
    .addColumn('revision_id', 'integer', (column) => column.notNull().references('revisions.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('before_revision', 'integer')
    .addColumn('after_revision', 'integer')
    .addPrimaryKeyConstraint('revision_sites_key', ['revision_id', 'site_id'])
    .execute()
  await db.schema.createIndex('revision_sites_site').on('revision_sites').columns(['site_id', 'revision_id']).execute()
}
