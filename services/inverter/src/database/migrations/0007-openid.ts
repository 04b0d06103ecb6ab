import type { Kysely } from 'kysely'

/** The method of each sign-in: whoever came through an OpenID Connect provider need not change the generated password. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('method', 'text').execute()
}
