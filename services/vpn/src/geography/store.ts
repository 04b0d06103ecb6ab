import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type Kysely, type OnConflictBuilder } from 'kysely'
import type { PlaceTrafficRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Kind of a place: where peers connect from, or where their traffic goes. */
export type PlaceSource = PlaceTrafficRow['source']

/** Rows of one statement; the databases' limits on parameters are higher. */
const rowsAtOnce = 500
/** Rows that are added up at a time: some 20 ms on SQLite, during which nothing else is answered. */
const rowsPerRead = 20_000
/** Named in every query on time alone: the key begins with the source. */
const sources: PlaceSource[] = ['endpoint', 'destination']
const keyColumns = ['source', 'start', 'peer_id', 'country', 'asn'] as const

/** Adds to what is known of places. Rows of one key are put together first: in one statement they would be an error. */
export async function addPlaceRows(db: Db, given: Iterable<PlaceTrafficRow>): Promise<void> {
  const byKey = new Map<string, PlaceTrafficRow>()
  for (const row of given) {
    const key = keyColumns.map((column) => row[column]).join(' ')
    const sum = byKey.get(key)
    if (sum === undefined) byKey.set(key, { ...row })
    else {
      sum.rx_bytes += row.rx_bytes
      sum.tx_bytes += row.tx_bytes
    }
  }
  const rows = [...byKey.values()]
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    await db
      .insertInto('place_traffic')
      .values(rows.slice(first, first + rowsAtOnce))
      .onConflict(addingUp)
      .execute()
  }
}

const addingUp = (conflict: OnConflictBuilder<Tables, 'place_traffic'>) =>
  conflict.columns(keyColumns).doUpdateSet((row) => ({
    rx_bytes: sql`${row.ref('place_traffic.rx_bytes')} + ${row.ref('excluded.rx_bytes')}`,
    tx_bytes: sql`${row.ref('place_traffic.tx_bytes')} + ${row.ref('excluded.tx_bytes')}`,
  }))

/** Remembers who runs a network; the newest name holds. */
export async function saveNetworks(db: Db, networks: ReadonlyMap<number, string>): Promise<void> {
  if (networks.size === 0) return
  await db
    .insertInto('networks')
    .values([...networks].map(([asn, organization]) => ({ asn, organization })))
    .onConflict((conflict) =>
      conflict.column('asn').doUpdateSet((row) => ({ organization: row.ref('excluded.organization') })),
    )
    .execute()
}

/** Reads the names of networks. */
export async function networkNames(db: Db, asns: readonly number[]): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for (let first = 0; first < asns.length; first += rowsAtOnce) {
    const part = asns.slice(first, first + rowsAtOnce)
    const rows = await db.selectFrom('networks').selectAll().where('asn', 'in', part).execute()
    for (const { asn, organization } of rows) names.set(asn, organization)
  }
  return names
}

/** Period and peer to sum up; all peers when none is named. */
export interface PlacesQuery {
  readonly source: PlaceSource
  readonly since: number
  /** Not included. */
  readonly until: number
  readonly peerId: string | undefined
}

/**
 * Traffic of peers by place, in parts: the same peer and place may come again. Thousands of peers leave millions of rows in a
 * year, so everybody else has a turn between two parts; hours that are joined to a day meanwhile may be missed.
 */
export async function* placeSums(db: Db, query: PlacesQuery): AsyncGenerator<PlaceSumRow[]> {
  const { until } = query
  for (let since = query.since; since < until;) {
    const last = await startAfter(db, { ...query, since }, rowsPerRead)
    const next = last === undefined ? until : last + 1
    yield await sumsBetween(db, { ...query, since, until: next })
    since = next
    if (since < until) await nextTurn()
  }
}

/** Traffic of one peer at one place. */
export type PlaceSumRow = Omit<PlaceTrafficRow, 'source' | 'start'>

function matchingRows(db: Db, { source, since, until, peerId }: PlacesQuery) {
  return db
    .selectFrom('place_traffic')
    .where('source', '=', source)
    .where('start', '>=', since)
    .where('start', '<', until)
    .$if(peerId !== undefined, (rows) => rows.where('peer_id', '=', peerId ?? ''))
}

/** The start of the row behind so many others; undefined when there are no more than that. */
async function startAfter(db: Db, query: PlacesQuery, count: number): Promise<number | undefined> {
  const row = await matchingRows(db, query).select('start').orderBy('start').limit(1).offset(count).executeTakeFirst()
  return row?.start
}

function sumsBetween(db: Db, query: PlacesQuery): Promise<PlaceSumRow[]> {
  return matchingRows(db, query)
    .groupBy(['peer_id', 'country', 'asn'])
    .select((row) => [
      'peer_id',
      'country',
      'asn',
      row.fn.sum<number>('rx_bytes').as('rx_bytes'),
      row.fn.sum<number>('tx_bytes').as('tx_bytes'),
    ])
    .execute()
}

export async function deletePlacesBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('place_traffic').where('source', 'in', sources).where('start', '<', before).execute()
}

const hour = 3_600_000
const wholeDay = 24 * hour

/** Hours that were not merged for longer than this stay as they are; they count as well as a day. */
const joinedWithin = 31 * wholeDay

/** The day of the oldest hours before a time that are not yet merged; undefined for none. */
export async function oldestHourlyDay(db: Db, before: number): Promise<number | undefined> {
  const { oldest } = await db
    .selectFrom('place_traffic')
    .where('source', 'in', sources)
    .where('start', '>=', before - joinedWithin)
    .where('start', '<', before)
    .where(sql<number>`start % ${sql.lit(wholeDay)}`, '<>', 0)
    .select((row) => row.fn.min<number | null>('start').as('oldest'))
    .executeTakeFirstOrThrow()
  return oldest === null ? undefined : Math.floor(oldest / wholeDay) * wholeDay
}

/** Merges the hours of one day into one row for each peer and place: hour by hour, so that others have their turn. */
export async function joinHoursOfDay(db: Db, day: number): Promise<void> {
  for (let start = day + hour; start < day + wholeDay; start += hour) {
    await db.transaction().execute((trx) => addHourToDay(trx, { start, day }))
    await nextTurn()
  }
}

async function addHourToDay(trx: Db, { start, day }: { start: number; day: number }): Promise<void> {
  await trx
    .insertInto('place_traffic')
    .columns([...keyColumns, 'rx_bytes', 'tx_bytes'])
    .expression((build) =>
      build
        .selectFrom('place_traffic')
        .where('source', 'in', sources)
        .where('start', '=', start)
        .select(['source', sql.lit(day).as('start'), 'peer_id', 'country', 'asn', 'rx_bytes', 'tx_bytes']),
    )
    .onConflict(addingUp)
    .execute()
  await trx.deleteFrom('place_traffic').where('source', 'in', sources).where('start', '=', start).execute()
}

/** Reads the addresses of all peers on their interfaces. */
export function peerAddresses(db: Db): Promise<{ id: string; ip: string; ipv6: string | null }[]> {
  return db.selectFrom('peers').select(['id', 'ip', 'ipv6']).execute()
}
