import type { Kysely } from 'kysely'

/** The table of people who sign in through an OpenID Connect provider. */
export interface OpenIdTables {
  openid_identities: OpenIdIdentityRow
}

/** A person at a provider, and the user they are here. */
export interface OpenIdIdentityRow {
  issuer: string
  subject: string
  user_id: string
  /** Milliseconds since the epoch. */
  created_at: number
}

/** Creates the table, for a migration of a service. Released: what it makes never changes; later columns are steps of their own. */
export async function createOpenIdTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('openid_identities')
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().unique().references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('openid_identities_key', ['issuer', 'subject'])
    .execute()
}
