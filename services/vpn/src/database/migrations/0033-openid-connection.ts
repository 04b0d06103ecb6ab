import { createOpenIdConnectionTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** The Hearth portal through which people sign in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOpenIdConnectionTable(db)
}
