import type { ColumnDataType, Kysely } from 'kysely'

/** Results of checks, incidents, maintenance windows and status pages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('uptime_subjects')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint')
    .addColumn('credited_until', 'bigint', (column) => column.notNull())
    .addColumn('checked_at', 'bigint')
    .addColumn('latency_ms', 'integer')
    .addColumn('failure', 'text')
    .execute()
  await createCounts(db, 'uptime_days', ['day', 'up_ms', 'down_ms', 'maintenance_ms'])
  await createCounts(db, 'uptime_points', ['starts_at'])
  await db.schema
    .createTable('uptime_incidents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('began_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('lasted_ms', 'bigint', (column) => column.notNull())
    .addColumn('failure', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('uptime_incidents_subject')
    .on('uptime_incidents')
    .columns(['subject', 'began_at'])
    .execute()
  await createPages(db)
}

/** Creates a table of counts by subject and time; the first of the columns is the time. */
async function createCounts(db: Kysely<unknown>, name: string, columns: readonly [string, ...string[]]): Promise<void> {
  const [time] = columns
  const totals = [...columns, 'latency_total'].map((column) => [column, 'bigint'] as const)
  const counts = ['checks', 'failed', 'latency_count', 'latency_max'].map((column) => [column, 'integer'] as const)
  let table = db.schema.createTable(name).addColumn('subject', 'text', (column) => column.notNull())
  for (const [column, type] of [...totals, ...counts] as [string, ColumnDataType][])
    table = table.addColumn(column, type, (made) => made.notNull())
  await table.addPrimaryKeyConstraint(`${name}_key`, ['subject', time] as never).execute()
  await db.schema.createIndex(`${name}_time`).on(name).column(time).execute()
}

async function createPages(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('maintenance_windows')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('site_ids', 'text')
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('repeats', 'text', (column) => column.notNull())
    .addColumn('time_zone', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('status_pages')
    .addColumn('slug', 'text', (column) => column.primaryKey())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('is_public', 'integer', (column) => column.notNull())
    .addColumn('sites', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
}
