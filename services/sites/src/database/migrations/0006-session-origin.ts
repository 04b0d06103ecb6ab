import { addSessionOrigin } from '@hearth/accounts'
import type { Kysely } from 'kysely'

/** Address and device of each sign-in, for the list of one's own sessions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addSessionOrigin(db)
}
