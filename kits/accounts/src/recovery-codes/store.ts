import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import { ownedBy, type OwnerReference } from '../owner-reference.ts'

/** The table of recovery codes. */
export interface RecoveryCodeTables {
  recovery_codes: RecoveryCodeRow
}

/** A recovery code that was not used yet. */
export interface RecoveryCodeRow {
  user_id: string
  /** SHA-256 of the code. */
  code_hash: string
}

type Db = Kysely<RecoveryCodeTables>

export const recoveryCodesIn = (query: AnyQuery): Db => query as Db

/**
 * Creates the table, for a migration of a service. Released: what it makes never changes.
 *
 * @param owner column that `user_id` refers to; null where the account is no row
 */
export async function createRecoveryCodeTable(db: Kysely<unknown>, owner: OwnerReference = 'users.id'): Promise<void> {
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'text', (column) => ownedBy(column.notNull(), owner))
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_hash'])
    .execute()
}

/** Replaces all codes of the user. */
export async function replaceRecoveryCodeRows(db: Db, userId: string, hashes: readonly string[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (hashes.length === 0) return
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute()
}

/** Deletes a code; false when the user has no such code. Of two concurrent calls one succeeds. */
export async function takeRecoveryCodeRow(db: Db, userId: string, hash: string): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function countRecoveryCodeRows(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
