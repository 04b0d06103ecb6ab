import { createTokenTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** API tokens of the users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTokenTable(db)
}
