import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** SQLite cannot take a rule of uniqueness away: the table of interfaces, which others refer to, is made anew. */
export const isRebuild = true

/**
 * Interfaces on nodes: a port is one of its host and no longer of all. A node has a host name for the configurations of peers, the
 * last traffic that was counted for it, and its last report of what it runs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('endpoint', 'text').execute()
  await db.schema.alterTable('nodes').addColumn('traffic_count', 'text').execute()
  await db.schema.alterTable('nodes').addColumn('traffic_number', 'bigint').execute()
  await db.schema.alterTable('nodes').addColumn('reported', 'text').execute()
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`alter table interfaces drop constraint interfaces_listen_port_key`.execute(db)
    await sql`alter table interfaces add column node_id text references nodes (id)`.execute(db)
  } else await rebuildInterfaces(db)
  await sql`create unique index interfaces_listen_port on interfaces (coalesce(node_id, ''), listen_port)`.execute(db)
}

async function rebuildInterfaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('interfaces_next')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('address6', 'text')
    .addColumn('listen_port', 'integer', (column) => column.notNull())
    .addColumn('dns', 'text', (column) => column.notNull())
    .addColumn('mtu', 'integer', (column) => column.notNull())
    .addColumn('nat', 'integer', (column) => column.notNull())
    .addColumn('forwarding', 'integer', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('private_key', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull().unique())
    .addColumn('next_host', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('node_id', 'text', (column) => column.references('nodes.id'))
    .execute()
  await sql`insert into interfaces_next select interfaces.name, address, address6, listen_port, dns, mtu, nat, forwarding,
    enabled, private_key, public_key, next_host, created_at, updated_at, null from interfaces`.execute(db)
  await db.schema.dropTable('interfaces').execute()
  await db.schema.alterTable('interfaces_next').renameTo('interfaces').execute()
}
