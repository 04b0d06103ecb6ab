import type { Kysely } from 'kysely'

/** Users who sign in to sites only, groups of users, and the sessions and tokens of protected sites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('email', 'text').execute()
  await db.schema
    .alterTable('users')
    .addColumn('sites_only', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await createGroups(db)
  await db.schema
    .createTable('portal_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('proved_at', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('portal_sessions_user').on('portal_sessions').column('user_id').execute()
  await db.schema
    .createTable('portal_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('site_id', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .execute()
  await db.schema.createIndex('portal_tokens_user').on('portal_tokens').column('user_id').execute()
}

async function createGroups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_groups')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('access_group_members')
    .addColumn('group_name', 'text', (column) => column.notNull().references('access_groups.name').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('access_group_members_key', ['group_name', 'user_id'])
    .execute()
}
