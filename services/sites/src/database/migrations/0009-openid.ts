import { createOpenIdTable } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** People who sign in through an OpenID Connect provider. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOpenIdTable(db)
}
