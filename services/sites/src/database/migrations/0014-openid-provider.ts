import type { Kysely } from 'kysely'

/** The OpenID Connect provider: applications, signing keys, tokens, who signed in to what, and consents. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('portal_sessions').addColumn('proved_by', 'text').execute()
  await createClients(db)
  await db.schema
    .createTable('openid_keys')
    .addColumn('kid', 'text', (column) => column.primaryKey())
    .addColumn('private_sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('signs_from', 'bigint')
    .addColumn('published_until', 'bigint')
    .execute()
  await createArtifacts(db)
  await db.schema
    .createTable('openid_logins')
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull().references('openid_clients.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('sid', 'text', (column) => column.notNull())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint')
    .addPrimaryKeyConstraint('openid_logins_key', ['session_id', 'client_id'])
    .execute()
}

async function createClients(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('openid_clients')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('secret_hash', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('last_user_id', 'text')
    .execute()
  await db.schema
    .createTable('openid_consents')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('client_id', 'text', (column) => column.notNull().references('openid_clients.id').onDelete('cascade'))
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('given_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('openid_consents_key', ['user_id', 'client_id'])
    .execute()
}

async function createArtifacts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('openid_artifacts')
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('id_hash', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.references('openid_clients.id').onDelete('cascade'))
    .addColumn('grant_hash', 'text')
    .addColumn('session_id', 'text')
    .addColumn('browser_hash', 'text')
    .addColumn('payload_sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('consumed_at', 'bigint')
    .addPrimaryKeyConstraint('openid_artifacts_key', ['model', 'id_hash'])
    .execute()
  for (const column of ['client_id', 'grant_hash', 'session_id', 'expires_at'])
    await db.schema.createIndex(`openid_artifacts_${column}`).on('openid_artifacts').column(column).execute()
}
