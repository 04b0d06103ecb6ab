import type { Kysely } from 'kysely'
import type { PeerActivityRow, PeerRow, Tables } from '../tables.ts'

/** A peer as the sampler follows it, with what it did so far. */
export interface FollowedPeerRow
  extends PeerActivityRow, Pick<PeerRow, 'name' | 'interface' | 'public_key' | 'enabled' | 'expires_at'> {
  readonly interface_enabled: number
}

/** Rows written by one statement; more would pass the databases' limits on parameters. */
const rowsAtOnce = 500

export function followedPeerRows(db: Kysely<Tables>): Promise<FollowedPeerRow[]> {
  return db
    .selectFrom('peers')
    .innerJoin('peer_activity', 'peer_activity.peer_id', 'peers.id')
    .innerJoin('interfaces', 'interfaces.name', 'peers.interface')
    .selectAll('peer_activity')
    .select(['peers.name', 'peers.interface', 'peers.public_key', 'peers.enabled', 'peers.expires_at'])
    .select('interfaces.enabled as interface_enabled')
    .execute()
}

/** Writes more in the same transaction, for the peers that still exist. */
export type AlsoWrite = (trx: Kysely<Tables>, ids: ReadonlySet<string>) => Promise<void>

/** Writes what peers did, all or nothing. Rows of peers that are gone meanwhile are passed over. */
export async function writeActivity(
  db: Kysely<Tables>,
  rows: readonly PeerActivityRow[],
  also?: AlsoWrite,
): Promise<void> {
  if (rows.length === 0 && also === undefined) return
  await db.transaction().execute(async (trx) => {
    const there = await writeBatches(trx, rows)
    await also?.(trx, there)
  })
}

/** Rows that tell enough about one transaction. */
const witnesses = 100

/**
 * Resolves to true if the transaction that was to write these rows was committed: all or none of them are there. Waits for one
 * that the database has not ended yet, which is why it writes.
 */
export async function isActivityWritten(db: Kysely<Tables>, rows: readonly PeerActivityRow[]): Promise<boolean> {
  const known = new Map(rows.slice(0, witnesses).map((row) => [row.peer_id, row]))
  if (known.size === 0) return false
  const found = await db
    .updateTable('peer_activity')
    .set((row) => ({ rx_bucketed: row.ref('rx_bucketed') }))
    .where('peer_id', 'in', [...known.keys()])
    .returning(['peer_id', 'rx_bucketed', 'tx_bucketed'])
    .execute()
  return found.some(({ peer_id, rx_bucketed: rx, tx_bucketed: tx }) => {
    const meant = known.get(peer_id)
    return meant?.rx_bucketed === rx && meant.tx_bucketed === tx
  })
}

async function writeBatches(db: Kysely<Tables>, rows: readonly PeerActivityRow[]): Promise<Set<string>> {
  const written = new Set<string>()
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const part = rows.slice(start, start + rowsAtOnce)
    const ids = part.map((row) => row.peer_id)
    for (const { id } of await db.selectFrom('peers').select('id').where('id', 'in', ids).execute()) written.add(id)
    const known = part.filter((row) => written.has(row.peer_id))
    await upsert(db, known)
  }
  return written
}

async function upsert(db: Kysely<Tables>, rows: readonly PeerActivityRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('peer_activity')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('peer_id').doUpdateSet((row) => ({
        last_handshake: row.ref('excluded.last_handshake'),
        endpoint: row.ref('excluded.endpoint'),
        rx_total: row.ref('excluded.rx_total'),
        tx_total: row.ref('excluded.tx_total'),
        rx_seen: row.ref('excluded.rx_seen'),
        tx_seen: row.ref('excluded.tx_seen'),
        rx_bucketed: row.ref('excluded.rx_bucketed'),
        tx_bucketed: row.ref('excluded.tx_bucketed'),
      })),
    )
    .execute()
}
