import { sql, type CreateTableBuilder, type Kysely } from 'kysely'

const energies = ['pv_wh', 'load_wh', 'import_wh', 'export_wh', 'charge_wh', 'discharge_wh']
const powers = ['pv_w', 'load_w', 'grid_w', 'battery_w']

/**
 * The history of energy: five minutes, hours and days of each inverter. Rows are found by their key alone, so the tables are
 * stored in its order and need no further index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('energy_meters')
    .addColumn('device_id', 'text', (column) => column.primaryKey())
    .addColumn('number', 'integer', (column) => column.notNull().unique())
    .addColumn('meter', 'text')
    .addColumn('filling', 'text')
    .addColumn('capacity_wh', 'integer')
    .execute()
  await withIntegers(start(db, 'energy_slots', 'slot'), [...energies, ...powers, 'soc'])
    .addColumn('source', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('energy_slots_key', ['meter', 'slot'])
    .modifyEnd(sql`without rowid`)
    .execute()
  for (const [table, key] of [
    ['energy_hours', 'hour'],
    ['energy_days', 'day'],
  ] as const)
    await withIntegers(start(db, table, key), [...energies, 'soc'])
      .addColumn('from_gateway', 'integer', (column) => column.notNull())
      .addColumn('from_logger', 'integer', (column) => column.notNull())
      .addColumn('from_counter', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['meter', key])
      .modifyEnd(sql`without rowid`)
      .execute()
}

const start = (db: Kysely<unknown>, table: string, key: string) =>
  db.schema
    .createTable(table)
    .addColumn('meter', 'integer', (column) => column.notNull())
    .addColumn(key, key === 'day' ? 'text' : 'integer', (column) => column.notNull())

const withIntegers = <T extends string, C extends string>(table: CreateTableBuilder<T, C>, names: readonly string[]) =>
  names.reduce<CreateTableBuilder<string, string>>(
    (built, name) => built.addColumn(name, 'integer'),
    table as unknown as CreateTableBuilder<string, string>,
  )
