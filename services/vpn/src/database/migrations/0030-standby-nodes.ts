import { sql, type Kysely } from 'kysely'

/**
 * An interface may have a standby: a node that runs the same interface, for peers that lost the way to the other host. Of a node is
 * known which networks it reaches, as it reported last. Of a peer is known since when it is reached at another endpoint.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table interfaces add column standby_node_id text references nodes (id)`.execute(db)
  await db.schema.alterTable('peers').addColumn('endpoint_changed_at', 'bigint').execute()
  await db.schema.alterTable('nodes').addColumn('reported_networks', 'text').execute()
}
