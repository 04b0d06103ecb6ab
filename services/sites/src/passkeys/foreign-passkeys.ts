import type { Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { countForeignPasskeys } from './store.ts'

/** Warns of passkeys that were made under another name: browsers do not offer them any more, until it is that name again. */
export async function warnOfForeignPasskeys(db: Kysely<Tables>, id: string, log: Log): Promise<void> {
  for (const { rp_id, count } of await countForeignPasskeys(db, id))
    log.warn(`passkeys belong to ${id} now: ${count} made for ${rp_id} work only there; see RP_ID and PUBLIC_URL`)
}
