import { sql, type Kysely } from 'kysely'
import type { PlaceTrafficRow, Tables } from '../database/tables.ts'

type Db = Kysely<Tables>

/** What is asked about: where peers connect from, or where their traffic goes. */
export type PlaceSource = PlaceTrafficRow['source']

/** Rows of one statement; the databases' limits on parameters are higher. */
const rowsAtOnce = 500
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
      .onConflict((conflict) =>
        conflict.columns(keyColumns).doUpdateSet((row) => ({
          rx_bytes: sql`${row.ref('place_traffic.rx_bytes')} + ${row.ref('excluded.rx_bytes')}`,
          tx_bytes: sql`${row.ref('place_traffic.tx_bytes')} + ${row.ref('excluded.tx_bytes')}`,
        })),
      )
      .execute()
  }
}

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

/** Who runs which network. */
export async function networkNames(db: Db, asns: readonly number[]): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for (let first = 0; first < asns.length; first += rowsAtOnce) {
    const part = asns.slice(first, first + rowsAtOnce)
    const rows = await db.selectFrom('networks').selectAll().where('asn', 'in', part).execute()
    for (const { asn, organization } of rows) names.set(asn, organization)
  }
  return names
}

/** What peers moved since a moment, by place; of one peer or of all. */
export function placeSums(
  db: Db,
  { source, since, peerId }: { source: PlaceSource; since: number; peerId: string | undefined },
): Promise<Omit<PlaceTrafficRow, 'source' | 'start'>[]> {
  return db
    .selectFrom('place_traffic')
    .where('source', '=', source)
    .where('start', '>=', since)
    .$if(peerId !== undefined, (rows) => rows.where('peer_id', '=', peerId ?? ''))
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

const day = 86_400_000

/** Hours that were not thrown together for longer than this stay as they are; they count as well as a day. */
const joinedWithin = 31 * day

/** The day of the oldest hours before a moment that are not yet thrown together; undefined for none. */
export async function oldestHourlyDay(db: Db, before: number): Promise<number | undefined> {
  const { oldest } = await db
    .selectFrom('place_traffic')
    .where('source', 'in', sources)
    .where('start', '>=', before - joinedWithin)
    .where('start', '<', before)
    .where(sql<number>`start % ${sql.lit(day)}`, '<>', 0)
    .select((row) => row.fn.min<number | null>('start').as('oldest'))
    .executeTakeFirstOrThrow()
  return oldest === null ? undefined : Math.floor(oldest / day) * day
}

/** Throws the hours of one day together into one row for each peer and place. */
export async function joinHoursOfDay(db: Db, start: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('place_traffic')
      .where('source', 'in', sources)
      .where('start', '>', start)
      .where('start', '<', start + day)
      .groupBy(['source', 'peer_id', 'country', 'asn'])
      .select((row) => [
        'source',
        'peer_id',
        'country',
        'asn',
        row.fn.sum<number>('rx_bytes').as('rx_bytes'),
        row.fn.sum<number>('tx_bytes').as('tx_bytes'),
      ])
      .execute()
    await addPlaceRows(
      trx,
      rows.map((row) => Object.assign(row, { start })),
    )
    await trx
      .deleteFrom('place_traffic')
      .where('source', 'in', sources)
      .where('start', '>', start)
      .where('start', '<', start + day)
      .execute()
  })
}
