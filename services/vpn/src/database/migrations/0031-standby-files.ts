import type { Kysely } from 'kysely'

/** Of a peer is known since when the standby of its interface is another one, or at another endpoint, than in the configuration it has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('peers').addColumn('standby_changed_at', 'bigint').execute()
}
