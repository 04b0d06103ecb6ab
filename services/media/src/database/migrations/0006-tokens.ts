import { createTokenTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** API tokens of the account, which is no row but a setting. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTokenTable(db, null)
}
