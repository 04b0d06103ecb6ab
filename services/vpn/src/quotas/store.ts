import type { Kysely } from 'kysely'
import type { PeerQuotaRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Reads the quotas of all peers. */
export function allQuotaRows(db: Db): Promise<PeerQuotaRow[]> {
  return db.selectFrom('peer_quotas').selectAll().execute()
}

/** Sets the quota of a peer that exists; false when it does not. */
export async function setQuotaRow(db: Db, row: PeerQuotaRow): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const peer = await trx.selectFrom('peers').select('id').where('id', '=', row.peer_id).executeTakeFirst()
    if (peer === undefined) return false
    await trx.deleteFrom('peer_quotas').where('peer_id', '=', row.peer_id).execute()
    await trx.insertInto('peer_quotas').values(row).execute()
    return true
  })
}

/** Writes where the counts of these quotas stand; those of peers that are gone are passed over. */
export async function updateCounts(
  db: Db,
  rows: readonly Pick<PeerQuotaRow, 'peer_id' | 'marks' | 'told'>[],
): Promise<void> {
  if (rows.length === 0) return
  await db.transaction().execute(async (trx) => {
    for (const { peer_id, marks, told } of rows)
      await trx.updateTable('peer_quotas').set({ marks, told }).where('peer_id', '=', peer_id).execute()
  })
}

export async function deleteQuotaRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('peer_quotas').where('peer_id', '=', id).execute()
}
