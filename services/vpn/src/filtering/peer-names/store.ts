import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { PeerNameRow } from '../tables.ts'

type Db = Kysely<Tables>

/** Rows written by one statement. */
const rowsPerStatement = 200

/** Reads the labels of all peers. */
export function allPeerNameRows(db: Db): Promise<PeerNameRow[]> {
  return db.selectFrom('peer_names').selectAll().execute()
}

/** Stores labels of peers that have none. Peers that were deleted meanwhile get none. */
export async function putPeerNames(db: Db, rows: readonly PeerNameRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let at = 0; at < rows.length; at += rowsPerStatement) {
      const some = rows.slice(at, at + rowsPerStatement)
      const ids = some.map((row) => row.peer_id)
      const there = await trx.selectFrom('peers').select('id').where('id', 'in', ids).execute()
      const known = new Set(there.map(({ id }) => id))
      const values = some.filter((row) => known.has(row.peer_id))
      if (values.length > 0) await trx.insertInto('peer_names').values(values).execute()
    }
  })
}

export async function deletePeerNames(db: Db, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += rowsPerStatement)
    await db
      .deleteFrom('peer_names')
      .where('peer_id', 'in', ids.slice(at, at + rowsPerStatement))
      .execute()
}
