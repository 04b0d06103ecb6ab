import type { Kysely } from 'kysely'

/** What MQTT has to know after a restart: retained messages at the broker, and the counters as they were published. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mqtt_published')
    .addColumn('discovery_topic', 'text', (column) => column.primaryKey())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('topics', 'text', (column) => column.notNull())
    .addColumn('components', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('mqtt_counters')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('metric', 'text', (column) => column.notNull())
    .addColumn('counter', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('mqtt_counters_key', ['device_id', 'metric'])
    .execute()
}
