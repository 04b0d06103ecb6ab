import { sql, type Kysely } from 'kysely'

/** Plans for the battery, the prices and forecasts they are made of, what people set by hand, and what each day cost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('plans')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('plans_by_device').on('plans').columns(['device_id', 'id']).execute()
  for (const [table, value] of [
    ['plan_prices', 'price'],
    ['plan_forecasts', 'watts'],
  ] as const)
    await db.schema
      .createTable(table)
      .addColumn('from_at', 'bigint', (column) => column.primaryKey())
      .addColumn('until_at', 'bigint', (column) => column.notNull())
      .addColumn(value, 'double precision', (column) => column.notNull())
      .modifyEnd(sql`without rowid`)
      .execute()
  await db.schema
    .createTable('plan_choices')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('from_at', 'bigint', (column) => column.notNull())
    .addColumn('until_at', 'bigint', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('plan_choices_key', ['device_id', 'from_at'])
    .execute()
  await db.schema
    .createTable('plan_days')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('cost', 'double precision', (column) => column.notNull())
    .addColumn('cost_without', 'double precision', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('plan_days_key', ['device_id', 'day'])
    .execute()
}
