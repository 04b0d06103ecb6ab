import { sql, type Kysely } from 'kysely'

/** The tables of the first version; `tables.ts` says what is in them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['facts', 'settings'])
    await db.schema
      .createTable(name)
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
  await addAccounts(db)
  await addDevices(db)
  await addDispatch(db)
}

async function addAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('administrators')
    .addColumn('username', 'text', (column) => column.primaryKey())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('password_change_required', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('sessions')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn('username', 'text', (column) =>
      column.notNull().references('administrators.username').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute()
}

async function addDevices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('devices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('display_name', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('network_id', 'bigint')
    .addColumn('is_simulated', 'integer', (column) => column.notNull())
    .addColumn('request_gap_ms', 'integer', (column) => column.notNull())
    .addColumn('periodic_reads', 'integer', (column) => column.notNull())
    .addColumn('max_charge_power_w', 'double precision')
    .addColumn('max_discharge_power_w', 'double precision')
    .addColumn('engineering_mode', 'integer', (column) => column.notNull())
    .addColumn('firmware', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('approvals')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('approved_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function addDispatch(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('capabilities')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('capabilities_key', ['device_id', 'name'])
    .execute()
  await db.schema
    .createTable('energy_modes')
    .addColumn('device_id', 'text', (column) => column.primaryKey())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('energy_stops')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('operation_id', 'text', (column) => column.notNull())
    .execute()
  await sql`create index energy_stops_device on energy_stops (device_id, id)`.execute(db)
  await db.schema
    .createTable('dispatch_records')
    .addColumn('device_id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('restore_required', 'integer', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('journal')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('metric', 'text', (column) => column.notNull())
    .addColumn('old_value', 'text')
    .addColumn('new_value', 'text', (column) => column.notNull())
    .addColumn('readback_value', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('caller', 'text')
    .addColumn('operation_id', 'text')
    .execute()
  await sql`create index journal_device on journal (device_id, id)`.execute(db)
}
