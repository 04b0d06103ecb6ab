import type { Kysely } from 'kysely'

/** Bandwidth limits of peers, in kbit/s; null for none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('peers').addColumn('limit_down', 'integer').execute()
  await db.schema.alterTable('peers').addColumn('limit_up', 'integer').execute()
}
