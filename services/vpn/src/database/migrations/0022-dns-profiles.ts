import type { Kysely } from 'kysely'

/** Profiles of the DNS filter, and the peers, groups and interfaces that they are assigned to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dns_profiles')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('number', 'integer', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('lists', 'text')
    .addColumn('rules', 'text', (column) => column.notNull())
    .addColumn('services', 'text', (column) => column.notNull())
    .addColumn('block_mode', 'text')
    .addColumn('schedule', 'text')
    .addColumn('paused_until', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text')
    .execute()
  await db.schema
    .createTable('dns_profile_targets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('profile_id', 'text', (column) => column.notNull().references('dns_profiles.id').onDelete('cascade'))
    .addColumn('peer_id', 'text', (column) => column.unique().references('peers.id').onDelete('cascade'))
    .addColumn('group_id', 'text', (column) => column.unique().references('access_groups.id').onDelete('cascade'))
    .addColumn('interface', 'text', (column) => column.unique().references('interfaces.name').onDelete('cascade'))
    .execute()
  await db.schema.createIndex('dns_profile_targets_profile').on('dns_profile_targets').column('profile_id').execute()
}
