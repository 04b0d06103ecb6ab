import { randomBytes } from 'node:crypto'
import { createPasskeyTables, createRecoveryCodeTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** Passkeys and recovery codes of the administrator, and a random name for authenticators. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const owner = 'administrators.username'
  await createPasskeyTables(db, owner)
  await createRecoveryCodeTable(db, owner)
  await db.schema.alterTable('administrators').addColumn('user_handle', 'text').execute()
  // There is one administrator at most.
  const accounts = db as Kysely<{ administrators: { user_handle: string } }>
  await accounts
    .updateTable('administrators')
    .set({ user_handle: randomBytes(32).toString('base64url') })
    .execute()
}
