import type { Kysely } from 'kysely'

/** The next keys of a peer, sealed like its keys, and when they replace these at the latest; null when no rotation waits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['next_public_key', 'next_private_key', 'next_preshared_key'])
    await db.schema.alterTable('peers').addColumn(column, 'text').execute()
  await db.schema.alterTable('peers').addColumn('next_due', 'bigint').execute()
  await db.schema.createIndex('peers_next_public_key').on('peers').column('next_public_key').unique().execute()
}
