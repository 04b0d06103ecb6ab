import { type Kysely, sql } from 'kysely'

/**
 * Networks behind peers, JSON; null for none. `given_routes` stands for the networks of others in the configuration that a peer
 * was given last: none for those that are there, whose devices know of no such networks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('peers').addColumn('networks', 'text').execute()
  await db.schema.alterTable('peers').addColumn('given_routes', 'text').execute()
  await sql`update peers set given_routes = ''`.execute(db)
  // Few peers have networks, and every change of one compares all of them.
  await sql`create index peers_with_networks on peers (interface) where networks is not null`.execute(db)
}
