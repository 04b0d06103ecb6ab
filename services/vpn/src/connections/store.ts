import { sql, type Kysely } from 'kysely'
import type { PeerConnectionRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Rows of one statement. */
const rowsAtOnce = 500

/** Name of the fact that holds the time of the last sample. */
const sampledAtFact = 'connections_sampled_at'

/** Reads the connections that have not ended. */
export function openConnectionRows(db: Db): Promise<PeerConnectionRow[]> {
  return db.selectFrom('peer_connections').selectAll().where('ended', 'is', null).orderBy('began').execute()
}

/** Reads the time of the last sample in which anybody was connected; 0 before the first. */
export async function readSampledAt(db: Db): Promise<number> {
  const fact = await db.selectFrom('facts').select('value').where('name', '=', sampledAtFact).executeTakeFirst()
  return Number(fact?.value ?? 0)
}

export async function writeSampledAt(db: Db, at: number): Promise<void> {
  await db
    .insertInto('facts')
    .values({ name: sampledAtFact, value: String(at) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(at) }))
    .execute()
}

/** Adds connections or writes them anew. Those of peers that are gone meanwhile are passed over. */
export async function writeConnectionRows(db: Db, rows: readonly PeerConnectionRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const part = rows.slice(start, start + rowsAtOnce)
    const ids = part.map((row) => row.peer_id)
    const found = await db.selectFrom('peers').select('id').where('id', 'in', ids).execute()
    const there = new Set(found.map(({ id }) => id))
    // One statement may not hold a key twice; the last one is the newest.
    const byKey = new Map(part.map((row) => [`${row.peer_id} ${row.began}`, row]))
    const known = [...byKey.values()].filter((row) => there.has(row.peer_id))
    if (known.length > 0) await upsert(db, known)
  }
}

async function upsert(db: Db, rows: PeerConnectionRow[]): Promise<void> {
  await db
    .insertInto('peer_connections')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['peer_id', 'began']).doUpdateSet((row) => ({
        ended: row.ref('excluded.ended'),
        rx_before: row.ref('excluded.rx_before'),
        tx_before: row.ref('excluded.tx_before'),
        rx_bytes: row.ref('excluded.rx_bytes'),
        tx_bytes: row.ref('excluded.tx_bytes'),
        addresses: row.ref('excluded.addresses'),
        address_changes: row.ref('excluded.address_changes'),
      })),
    )
    .execute()
}

/** Connections of a peer that lasted at some time of a period; without limits, all. */
export interface ConnectionRange {
  readonly peerId: string
  readonly from?: number | undefined
  readonly to?: number | undefined
}

function inRange(db: Db, { peerId, from, to }: ConnectionRange) {
  let rows = db.selectFrom('peer_connections').where('peer_id', '=', peerId)
  if (to !== undefined) rows = rows.where('began', '<', to)
  if (from !== undefined)
    rows = rows.where((where) => where.or([where('ended', 'is', null), where('ended', '>', from)]))
  return rows
}

/** Reads one page of connections, newest first, and their number. */
export async function listConnectionRows(
  db: Db,
  range: ConnectionRange,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: PeerConnectionRow[]; total: number }> {
  const rows = inRange(db, range).selectAll().orderBy('began', 'desc').limit(limit).offset(offset)
  const { count } = await inRange(db, range)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { rows: await rows.execute(), total: count }
}

/** Reads connections that began before another, newest first. */
export function listConnectionRowsBefore(
  db: Db,
  range: ConnectionRange,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<PeerConnectionRow[]> {
  const rows = inRange(db, range).selectAll().orderBy('began', 'desc').limit(limit)
  return (before === undefined ? rows : rows.where('began', '<', before)).execute()
}

/** Reads when the connections of a period began and ended, oldest first. */
export function listSpans(db: Db, range: ConnectionRange): Promise<Pick<PeerConnectionRow, 'began' | 'ended'>[]> {
  return inRange(db, range).select(['began', 'ended']).orderBy('began').execute()
}

export async function isPeerThere(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('peers').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** The begin of the connection after so many newer ones; undefined when there are not so many. */
export async function beganAfter(db: Db, count: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('peer_connections')
    .select('began')
    .orderBy('began', 'desc')
    .offset(count)
    .limit(1)
    .executeTakeFirst()
  return row?.began
}

/** Deletes at most so many ended connections that began until a time; returns their number. */
export async function deleteSomeConnections(db: Db, until: number, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from peer_connections where (peer_id, began) in (
      select peer_id, began from peer_connections where began <= ${until} and ended is not null limit ${max}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
