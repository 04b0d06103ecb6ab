import { createPasskeyTables, createRecoveryCodeTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** Passkeys and recovery codes of users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPasskeyTables(db)
  await createRecoveryCodeTable(db)
}
