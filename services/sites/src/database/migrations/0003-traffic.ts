import type { Kysely } from 'kysely'

/** Requests by site, minute and hour, and how far the access log was read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  let counts = db.schema
    .createTable('traffic_counts')
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('span', 'integer', (column) => column.notNull())
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
  for (const name of ['requests', 'bytes', 'status_1', 'status_2', 'status_3', 'status_4', 'status_5'])
    counts = counts.addColumn(name, 'bigint', (column) => column.notNull())
  await counts
    .addColumn('latency', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('traffic_counts_key', ['site_id', 'span', 'starts_at'])
    .execute()
  await db.schema.createIndex('traffic_counts_time').on('traffic_counts').columns(['span', 'starts_at']).execute()
  await db.schema
    .createTable('traffic_last_seen')
    .addColumn('site_id', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('traffic_positions')
    .addColumn('path', 'text', (column) => column.primaryKey())
    .addColumn('rolled_after', 'text', (column) => column.notNull())
    .addColumn('byte_offset', 'bigint', (column) => column.notNull())
    .addColumn('head', 'text', (column) => column.notNull())
    .execute()
}
