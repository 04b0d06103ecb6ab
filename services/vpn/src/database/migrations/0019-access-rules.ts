import type { Kysely } from 'kysely'

/** Groups of peers, rules between them, and interfaces that deny what no rule matches. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_groups')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('color', 'text', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('access_group_peers')
    .addColumn('group_id', 'text', (column) => column.notNull().references('access_groups.id').onDelete('cascade'))
    .addColumn('peer_id', 'text', (column) => column.notNull().references('peers.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('access_group_peers_key', ['group_id', 'peer_id'])
    .execute()
  await db.schema.createIndex('access_group_peers_peer').on('access_group_peers').column('peer_id').execute()
  await db.schema
    .createTable('access_rules')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('from_kind', 'text', (column) => column.notNull())
    .addColumn('from_group', 'text', (column) => column.references('access_groups.id'))
    .addColumn('from_peer', 'text', (column) => column.references('peers.id').onDelete('cascade'))
    .addColumn('to_kind', 'text', (column) => column.notNull())
    .addColumn('to_group', 'text', (column) => column.references('access_groups.id'))
    .addColumn('to_peer', 'text', (column) => column.references('peers.id').onDelete('cascade'))
    .addColumn('to_network', 'text')
    .addColumn('protocol', 'text', (column) => column.notNull())
    .addColumn('ports', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .execute()
  for (const column of ['from_peer', 'to_peer', 'from_group', 'to_group'])
    await db.schema.createIndex(`access_rules_${column}`).on('access_rules').column(column).execute()
  await db.schema
    .createTable('access_closed')
    .addColumn('interface', 'text', (column) => column.primaryKey().references('interfaces.name').onDelete('cascade'))
    .execute()
}
