import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { PeerFilterPauseRow } from '../tables.ts'

type Db = Kysely<Tables>

/** Reads all pauses. */
export function allPauseRows(db: Db): Promise<PeerFilterPauseRow[]> {
  return db.selectFrom('peer_filter_pauses').selectAll().execute()
}

/** Reads the pauses that are not over, with the names of their peers; the next to end first. */
export function namedPauseRows(db: Db, now: number) {
  return db
    .selectFrom('peer_filter_pauses')
    .innerJoin('peers', 'peers.id', 'peer_filter_pauses.peer_id')
    .select(['peer_filter_pauses.peer_id', 'peer_filter_pauses.paused_until', 'peers.name'])
    .where('peer_filter_pauses.paused_until', '>', now)
    .orderBy('peer_filter_pauses.paused_until')
    .execute()
}

/** Pauses the filter of a peer until then, in the place of the pause it had. */
export async function putPauseRow(db: Db, row: PeerFilterPauseRow): Promise<void> {
  const { paused_until } = row
  await db
    .insertInto('peer_filter_pauses')
    .values(row)
    .onConflict((conflict) => conflict.column('peer_id').doUpdateSet({ paused_until }))
    .execute()
}

/** Ends the pause of a peer. */
export async function deletePauseRow(db: Db, peerId: string): Promise<void> {
  await db.deleteFrom('peer_filter_pauses').where('peer_id', '=', peerId).execute()
}

/** Deletes the pauses that are over. */
export async function deleteOverPauses(db: Db, now: number): Promise<void> {
  await db.deleteFrom('peer_filter_pauses').where('paused_until', '<=', now).execute()
}
