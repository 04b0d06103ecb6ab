import { createPasskeyTables, createRecoveryCodeTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** Passkeys and recovery codes of the account, which is no row but a setting. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPasskeyTables(db, null)
  await createRecoveryCodeTable(db, null)
}
