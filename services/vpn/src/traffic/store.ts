import { sql, type Kysely } from 'kysely'
import type { InterfaceTrafficRow, PeerTrafficRow, Tables } from '../tables.ts'
import { bucketStart, tiers, type Tier } from './bucket.ts'

type Db = Kysely<Tables>

/** Sum of one bucket. */
export interface BucketSum {
  readonly start: number
  readonly rx_bytes: number
  readonly tx_bytes: number
  readonly active_ms: number
}

/** Stored buckets of one length that begin in a stretch of time, the end left out. */
export interface BucketRange {
  readonly seconds: Tier
  readonly from: number
  readonly until: number
}

/** Whose buckets: one peer's, one interface's, or those of all interfaces. */
export interface Whose {
  readonly id?: string | undefined
  readonly interface?: string | undefined
}

/** Rows of one statement; the databases' limits on parameters are higher. */
const rowsAtOnce = 500

/** Adds fine buckets to the tables, each into its fine bucket, its hour and its day, of the peer and of the interface. */
export async function addTraffic(db: Db, closed: readonly ClosedAmounts[]): Promise<void> {
  const peers = new Map<string, PeerTrafficRow>()
  const interfaces = new Map<string, InterfaceTrafficRow>()
  for (const { id, interface: name, bucket } of closed) {
    for (const seconds of Object.values(tiers)) {
      const start = bucketStart(bucket.start, seconds)
      const none = { seconds, start, rx_bytes: 0, tx_bytes: 0, active_ms: 0 }
      if (id !== null) add(peers, { ...none, peer_id: id }, { key: `${id} ${seconds} ${start}`, bucket })
      add(interfaces, { ...none, interface: name }, { key: `${name} ${seconds} ${start}`, bucket })
    }
  }
  await inParts([...peers.values()], (rows) => addPeerRows(db, rows))
  await inParts([...interfaces.values()], (rows) => addInterfaceRows(db, rows))
}

interface ClosedAmounts {
  readonly id: string | null
  readonly interface: string
  readonly bucket: { readonly start: number; readonly rx: number; readonly tx: number; readonly activeMs: number }
}

/** Two rows of one key in one statement would be an error. */
function add<Row extends PeerTrafficRow | InterfaceTrafficRow>(
  rows: Map<string, Row>,
  none: Row,
  { key, bucket }: { key: string; bucket: ClosedAmounts['bucket'] },
): void {
  const row = rows.get(key) ?? none
  rows.set(key, row)
  row.rx_bytes += bucket.rx
  row.tx_bytes += bucket.tx
  row.active_ms += Math.round(bucket.activeMs)
}

async function inParts<Row>(rows: readonly Row[], write: (part: Row[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) await write(rows.slice(start, start + rowsAtOnce))
}

function addPeerRows(db: Db, rows: PeerTrafficRow[]): Promise<unknown> {
  return db
    .insertInto('peer_traffic')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['peer_id', 'seconds', 'start']).doUpdateSet((row) => ({
        rx_bytes: sql`${row.ref('peer_traffic.rx_bytes')} + ${row.ref('excluded.rx_bytes')}`,
        tx_bytes: sql`${row.ref('peer_traffic.tx_bytes')} + ${row.ref('excluded.tx_bytes')}`,
        active_ms: sql`${row.ref('peer_traffic.active_ms')} + ${row.ref('excluded.active_ms')}`,
      })),
    )
    .execute()
}

function addInterfaceRows(db: Db, rows: InterfaceTrafficRow[]): Promise<unknown> {
  return db
    .insertInto('interface_traffic')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['interface', 'seconds', 'start']).doUpdateSet((row) => ({
        rx_bytes: sql`${row.ref('interface_traffic.rx_bytes')} + ${row.ref('excluded.rx_bytes')}`,
        tx_bytes: sql`${row.ref('interface_traffic.tx_bytes')} + ${row.ref('excluded.tx_bytes')}`,
        active_ms: sql`${row.ref('interface_traffic.active_ms')} + ${row.ref('excluded.active_ms')}`,
      })),
    )
    .execute()
}

/** The stored buckets of a stretch of time that hold anything, oldest first. */
export function bucketSums(db: Db, whose: Whose, { seconds, from, until }: BucketRange): Promise<BucketSum[]> {
  const inRange = whose.id === undefined ? ofInterfaces(db, whose.interface) : ofPeer(db, whose.id)
  return inRange
    .where('seconds', '=', seconds)
    .where('start', '>=', from)
    .where('start', '<', until)
    .groupBy('start')
    .orderBy('start')
    .execute()
}

function ofPeer(db: Db, id: string) {
  return db
    .selectFrom('peer_traffic')
    .where('peer_id', '=', id)
    .select((row) => [
      'start',
      row.fn.sum<number>('rx_bytes').as('rx_bytes'),
      row.fn.sum<number>('tx_bytes').as('tx_bytes'),
      row.fn.sum<number>('active_ms').as('active_ms'),
    ])
}

/** The shape of the columns is the same as a peer's, which the two kinds of rows have in common. */
function ofInterfaces(db: Db, name: string | undefined): ReturnType<typeof ofPeer> {
  const query = db
    .selectFrom('interface_traffic')
    .$if(name !== undefined, (rows) => rows.where('interface', '=', name ?? ''))
    .select((row) => [
      'start',
      row.fn.sum<number>('rx_bytes').as('rx_bytes'),
      row.fn.sum<number>('tx_bytes').as('tx_bytes'),
      row.fn.sum<number>('active_ms').as('active_ms'),
    ])
  return query as unknown as ReturnType<typeof ofPeer>
}

/** Resolves to true if there is such an interface, or was one that moved something. */
export async function hasInterfaceTraffic(db: Db, name: string): Promise<boolean> {
  const there = await db.selectFrom('interfaces').select('name').where('name', '=', name).executeTakeFirst()
  if (there !== undefined) return true
  const was = db.selectFrom('interface_traffic').select('interface').where('interface', '=', name)
  return (await was.limit(1).executeTakeFirst()) !== undefined
}

/** Reads the traffic of some peers in a period; those without any are left out. */
export function peerSums(
  db: Db,
  ids: readonly string[],
  { seconds, from, until }: BucketRange,
): Promise<{ peer_id: string; rx_bytes: number; tx_bytes: number }[]> {
  return db
    .selectFrom('peer_traffic')
    .where('peer_id', 'in', [...ids])
    .where('seconds', '=', seconds)
    .where('start', '>=', from)
    .where('start', '<', until)
    .groupBy('peer_id')
    .select((row) => [
      'peer_id',
      row.fn.sum<number>('rx_bytes').as('rx_bytes'),
      row.fn.sum<number>('tx_bytes').as('tx_bytes'),
    ])
    .execute()
}

/** Deletes the buckets of one length that begin before a time, of some peers. */
export async function deletePeerBuckets(
  db: Db,
  ids: readonly string[],
  { seconds, until }: Omit<BucketRange, 'from'>,
): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('peer_traffic')
    .where('peer_id', 'in', [...ids])
    .where('seconds', '=', seconds)
    .where('start', '<', until)
    .execute()
}

export async function deleteInterfaceBuckets(db: Db, { seconds, until }: Omit<BucketRange, 'from'>): Promise<void> {
  await db.deleteFrom('interface_traffic').where('seconds', '=', seconds).where('start', '<', until).execute()
}
