import type { Kysely } from 'kysely'

/** Orders of a certificate that failed one after the other: each is tried later than the one before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('certificate_orders').addColumn('failed_orders', 'text').execute()
}
