import { createSecurityLogTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** Sign-ins, refusals, and changes of the ways in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createSecurityLogTable(db)
}
