import { sql, type Kysely } from 'kysely'

/** Snapshots of the parameters of the inverters, which changes were told, and what a check of a capability has to put back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('parameter_snapshots')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('detail', 'text')
    .addColumn('name', 'text')
    .addColumn('note', 'text')
    .addColumn('taken_by', 'text')
    .addColumn('begun_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('firmware', 'text')
    .addColumn('serial', 'text')
    .addColumn('read_count', 'integer', (column) => column.notNull())
    .addColumn('failed_count', 'integer', (column) => column.notNull())
    .addColumn('total_count', 'integer', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .execute()
  await sql`create index parameter_snapshots_device on parameter_snapshots (device_id, id)`.execute(db)
  await db.schema
    .createTable('parameter_notices')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('metric', 'text', (column) => column.notNull())
    .addColumn('told_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('parameter_notices_key', ['device_id', 'metric'])
    .execute()
  await db.schema
    .createTable('check_restores')
    .addColumn('device_id', 'text', (column) => column.primaryKey())
    .addColumn('serial', 'text')
    .addColumn('metric', 'text', (column) => column.notNull())
    .addColumn('old_value', 'double precision', (column) => column.notNull())
    .addColumn('test_value', 'double precision', (column) => column.notNull())
    .addColumn('begun_at', 'bigint', (column) => column.notNull())
    .execute()
}
