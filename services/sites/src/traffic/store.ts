import type { Kysely } from 'kysely'
import type { LogPosition } from './access-log/log-source.ts'
import type { CountBatch } from './counts/pending-counts.ts'
import { addCount, countOfRow, rowOfCount } from './counts/traffic-count.ts'
import type { TrafficCountRow, TrafficTables } from './tables.ts'

/** Rows of one statement. */
const together = 50

/** Adds counts to those of the same time and writes down how far the log was read: all of it, or nothing. */
export async function writeBatch(db: Kysely<TrafficTables>, path: string, batch: CountBatch): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let start = 0; start < batch.counts.length; start += together)
      await addCounts(trx, batch.counts.slice(start, start + together))
    const seen = [...batch.lastSeen].map(([site_id, at]) => ({ site_id, at }))
    for (let start = 0; start < seen.length; start += together) await noteSeen(trx, seen.slice(start, start + together))
    const { rolledAfter, offset, head } = batch.position
    const position = { rolled_after: rolledAfter, byte_offset: offset, head }
    await trx
      .insertInto('traffic_positions')
      .values({ path, ...position })
      .onConflict((conflict) => conflict.column('path').doUpdateSet(position))
      .execute()
  })
}

async function noteSeen(trx: Kysely<TrafficTables>, rows: { site_id: number; at: number }[]): Promise<void> {
  await trx
    .insertInto('traffic_last_seen')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('site_id')
        .doUpdateSet((eb) => ({ at: eb.ref('excluded.at') }))
        .whereRef('traffic_last_seen.at', '<', 'excluded.at'),
    )
    .execute()
}

async function addCounts(trx: Kysely<TrafficTables>, entries: CountBatch['counts']): Promise<void> {
  const known = await trx
    .selectFrom('traffic_counts')
    .selectAll()
    .where((eb) => eb.or(entries.map(({ key }) => eb.and({ ...key }))))
    .execute()
  const byName = new Map(known.map((row) => [nameOf(row), row]))
  const rows = entries.map(({ key, count }) => {
    const row = byName.get(nameOf(key))
    if (row === undefined) return rowOfCount(key, count)
    const sum = countOfRow(row)
    addCount(sum, count)
    return rowOfCount(key, sum)
  })
  await trx
    .insertInto('traffic_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'span', 'starts_at']).doUpdateSet((eb) => ({
        requests: eb.ref('excluded.requests'),
        bytes: eb.ref('excluded.bytes'),
        status_1: eb.ref('excluded.status_1'),
        status_2: eb.ref('excluded.status_2'),
        status_3: eb.ref('excluded.status_3'),
        status_4: eb.ref('excluded.status_4'),
        status_5: eb.ref('excluded.status_5'),
        latency: eb.ref('excluded.latency'),
      })),
    )
    .execute()
}

const nameOf = ({ site_id, span, starts_at }: Pick<TrafficCountRow, 'site_id' | 'span' | 'starts_at'>): string =>
  `${site_id} ${span} ${starts_at}`

/** Reads the position up to which a log was read. */
export async function readPosition(db: Kysely<TrafficTables>, path: string): Promise<LogPosition | undefined> {
  const row = await db.selectFrom('traffic_positions').selectAll().where('path', '=', path).executeTakeFirst()
  return row === undefined ? undefined : { rolledAfter: row.rolled_after, offset: row.byte_offset, head: row.head }
}

/** The counts of one site since a moment, oldest first. */
export function countsOf(
  db: Kysely<TrafficTables>,
  { siteId, span, since }: { siteId: number; span: number; since: number },
): Promise<TrafficCountRow[]> {
  return db
    .selectFrom('traffic_counts')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('span', '=', span)
    .where('starts_at', '>=', since)
    .orderBy('starts_at')
    .execute()
}

/** Reads the sites with most requests since a time. */
export async function busiestSites(
  db: Kysely<TrafficTables>,
  { span, since, limit }: { span: number; since: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('traffic_counts')
    .select('site_id')
    .where('span', '=', span)
    .where('starts_at', '>=', since)
    .where('site_id', '>', 0)
    .groupBy('site_id')
    .orderBy((eb) => eb.fn.sum('requests'), 'desc')
    .orderBy('site_id')
    .limit(limit)
    .execute()
  return rows.map(({ site_id }) => site_id)
}

/** Reads the time of the last request to each site. */
export async function lastSeen(db: Kysely<TrafficTables>): Promise<Map<number, number>> {
  const rows = await db.selectFrom('traffic_last_seen').selectAll().execute()
  return new Map(rows.map(({ site_id, at }) => [site_id, at]))
}

/** Forgets counts of a span from before a moment. */
export async function deleteCountsBefore(db: Kysely<TrafficTables>, span: number, moment: number): Promise<void> {
  await db.deleteFrom('traffic_counts').where('span', '=', span).where('starts_at', '<', moment).execute()
}
