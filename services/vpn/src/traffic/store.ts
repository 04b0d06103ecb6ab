import { sql, type Kysely } from 'kysely'
import type { InterfaceTrafficRow, PeerTrafficRow, Tables } from '../tables.ts'
import { type Bucket, bucketStart, tiers, type Tier } from './bucket.ts'
import type { ClosedBucket } from './recorder.ts'

type Db = Kysely<Tables>

/** Sum of one bucket. */
export type BucketSum = Readonly<Pick<PeerTrafficRow, 'start' | 'rx_bytes' | 'tx_bytes' | 'active_ms'>>

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
export async function addTraffic(db: Db, closed: readonly ClosedBucket[]): Promise<void> {
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

/** Two rows of one key in one statement would be an error. */
function add<Row extends PeerTrafficRow | InterfaceTrafficRow>(
  rows: Map<string, Row>,
  none: Row,
  { key, bucket }: { key: string; bucket: Bucket },
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

/** Columns that are added up with those of a stored row. */
const addedColumns = (table: 'peer_traffic' | 'interface_traffic') => {
  const sum = (column: string) => sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`
  return { rx_bytes: sum('rx_bytes'), tx_bytes: sum('tx_bytes'), active_ms: sum('active_ms') }
}

function addPeerRows(db: Db, rows: PeerTrafficRow[]): Promise<unknown> {
  return db
    .insertInto('peer_traffic')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['peer_id', 'seconds', 'start']).doUpdateSet(addedColumns('peer_traffic')),
    )
    .execute()
}

function addInterfaceRows(db: Db, rows: InterfaceTrafficRow[]): Promise<unknown> {
  return db
    .insertInto('interface_traffic')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['interface', 'seconds', 'start']).doUpdateSet(addedColumns('interface_traffic')),
    )
    .execute()
}

/** The stored buckets of a stretch of time that hold anything, oldest first. */
export function bucketSums(db: Db, whose: Whose, { seconds, from, until }: BucketRange): Promise<BucketSum[]> {
  const rows = whose.id === undefined ? ofInterfaces(db, whose.interface) : ofPeer(db, whose.id)
  return rows
    .where('seconds', '=', seconds)
    .where('start', '>=', from)
    .where('start', '<', until)
    .select((row) => [
      'start',
      row.fn.sum<number>('rx_bytes').as('rx_bytes'),
      row.fn.sum<number>('tx_bytes').as('tx_bytes'),
      row.fn.sum<number>('active_ms').as('active_ms'),
    ])
    .groupBy('start')
    .orderBy('start')
    .execute()
}

const ofPeer = (db: Db, id: string) => db.selectFrom('peer_traffic').where('peer_id', '=', id)

/** Selects from another table, whose columns of figures are the same as a peer's. */
function ofInterfaces(db: Db, name: string | undefined): ReturnType<typeof ofPeer> {
  const rows = db.selectFrom('interface_traffic')
  return (name === undefined ? rows : rows.where('interface', '=', name)) as unknown as ReturnType<typeof ofPeer>
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
