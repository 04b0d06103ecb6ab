import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Names of all peers as they are compared. */
export async function readPeerNames(db: Kysely<Tables>): Promise<Set<string>> {
  const rows = await db.selectFrom('peers').select('name_key').execute()
  return new Set(rows.map((row) => row.name_key))
}
