import type { Kysely } from 'kysely'
import { ownedBy, type OwnerReference } from '../owner-reference.ts'

/** The tables of passkeys. `users` has a column `user_handle`; see `PasskeyUser`. */
export interface PasskeyTables {
  passkeys: PasskeyRow
  challenges: ChallengeRow
}

/** A passkey as stored. Times are milliseconds since the epoch. */
export interface PasskeyRow {
  id: string
  user_id: string
  /** The relying party it was made for; browsers offer it for no other. */
  rp_id: string
  /** Base64url, as authenticators name it. */
  credential_id: string
  /** COSE key, base64url. */
  public_key: string
  counter: number
  device_name: string
  /** JSON list. */
  transports: string
  aaguid: string
  /** 0 or 1. */
  backed_up: number
  created_at: number
  last_used_at: number | null
}

/** A challenge of a ceremony that has begun. */
export interface ChallengeRow {
  /** Base64url. */
  challenge: string
  ceremony: 'register' | 'login'
  /** SHA-256 of the cookie of the session, or of the visitor, that requested it. */
  session_hash: string
  user_id: string | null
  expires_at: number
}

/**
 * Creates the tables, for a migration of a service. Released: what it makes never changes; later columns are steps of their own.
 *
 * @param owner column that `user_id` refers to; null where the account is no row
 */
export async function createPasskeyTables(db: Kysely<unknown>, owner: OwnerReference = 'users.id'): Promise<void> {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => ownedBy(column.notNull(), owner))
    .addColumn('rp_id', 'text', (column) => column.notNull())
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('device_name', 'text', (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('aaguid', 'text', (column) => column.notNull())
    .addColumn('backed_up', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await db.schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute()
  await db.schema
    .createTable('challenges')
    .addColumn('challenge', 'text', (column) => column.primaryKey())
    .addColumn('ceremony', 'text', (column) => column.notNull())
    .addColumn('session_hash', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => ownedBy(column, owner))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('challenges_session').on('challenges').column('session_hash').execute()
  await db.schema.createIndex('challenges_expiry').on('challenges').column('expires_at').execute()
}
