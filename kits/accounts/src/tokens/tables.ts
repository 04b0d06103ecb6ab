import type { Kysely } from 'kysely'
import { ownedBy, type OwnerReference } from '../owner-reference.ts'
import type { TokenRow } from './store.ts'

/** The table of API tokens that belong to users and may be bound to addresses. */
export interface TokenTables<Permissions extends string> {
  tokens: TokenRow<'hash', BoundTokenColumns<Permissions>>
}

/** Columns of a token beside those of every token. */
export interface BoundTokenColumns<Permissions extends string> {
  user_id: string
  /** First characters of the value. */
  prefix: string
  permissions: Permissions
  /** Addresses and networks it may be used from, as a JSON list; an empty one allows all. */
  ip_whitelist: string
  last_used_ip: string | null
}

/**
 * Creates the table, for a migration of a service. Released: what it makes never changes.
 *
 * @param owner column that `user_id` refers to; null where the account is no row
 */
export async function createTokenTable(db: Kysely<unknown>, owner: OwnerReference = 'users.id'): Promise<void> {
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => ownedBy(column.notNull(), owner))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('ip_whitelist', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('last_used_ip', 'text')
    .execute()
  await db.schema.createIndex('tokens_user').on('tokens').column('user_id').execute()
}
