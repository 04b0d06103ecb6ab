import type { Kysely } from 'kysely'

/**
 * What an inverter of a plant gave to the house and the grid in five minutes, negative for what it took; and what was planned for a
 * day and happened on it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('energy_slots').addColumn('ac_wh', 'integer').execute()
  await db.schema.alterTable('plan_days').addColumn('course', 'text').execute()
}
