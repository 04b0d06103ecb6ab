import type { Kysely } from 'kysely'

/** The tables of the Hearth portal that this service is connected to. */
export interface OpenIdConnectionTables {
  openid_connection: OpenIdConnectionRow
  openid_sessions: OpenIdSessionRow
}

/** The connection to a Hearth portal. There is at most one. */
export interface OpenIdConnectionRow {
  /** Always `portal`. */
  id: string
  issuer: string
  client_id: string
  /** Sealed JSON: the client's secret, and the token that reads and removes its registration. */
  secrets: string
  /** Where the registration is read and removed (RFC 7592). */
  registration_uri: string
  /** JSON: groups that may sign in, and those of administrators. */
  groups: string
  /** User name. */
  connected_by: string
  /** Milliseconds since the epoch. */
  connected_at: number
}

/** A session that began at the portal, so that it ends with the session there. */
export interface OpenIdSessionRow {
  /** SHA-256 of the session's key. */
  session_hash: string
  client_id: string
  /** The portal's name of the session there. */
  sid: string
  /** Milliseconds since the epoch. */
  created_at: number
}

/** Creates the tables, for a migration of a service. Released: what it makes never changes; later columns are steps of their own. */
export async function createOpenIdConnectionTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('openid_connection')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('registration_uri', 'text', (column) => column.notNull())
    .addColumn('groups', 'text', (column) => column.notNull())
    .addColumn('connected_by', 'text', (column) => column.notNull())
    .addColumn('connected_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('openid_sessions')
    .addColumn('session_hash', 'text', (column) => column.notNull().primaryKey())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('sid', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}
