import type { Kysely } from 'kysely'

/** The serial number that a device reported last, to notice that another one answers in its place. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('devices').addColumn('serial', 'text').execute()
}
