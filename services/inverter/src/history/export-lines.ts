import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type { EnergyMeterRow, Tables } from '../tables.ts'
import type { LocalDays } from './local-days.ts'
import { slotAt } from './quantities.ts'
import { slotBucket, sumBucket } from './read-history.ts'
import type { EnergyBucket, EnergyExportQuery } from './schema.ts'
import { dayRows, hourRows, slotRows } from './store.ts'

/** What an export is read from: dates, the last one included. */
export interface ExportSource {
  readonly db: Kysely<Tables>
  readonly days: LocalDays
  readonly meter: EnergyMeterRow | undefined
  readonly resolution: EnergyExportQuery['resolution']
  readonly from: string
  readonly to: string
}

const hourMs = 3_600_000

/** Columns of the file, in this order. */
const columns = [
  'start',
  'date',
  'pv_wh',
  'load_wh',
  'import_wh',
  'export_wh',
  'charge_wh',
  'discharge_wh',
  'pv_w',
  'load_w',
  'grid_w',
  'battery_w',
  'soc_percent',
  'known',
  'source',
] as const satisfies readonly (keyof EnergyBucket)[]

/** Returns what is stored as a file, a month at a time: comma-separated values with a heading, or a list in JSON. */
export function exportFile(format: 'csv' | 'json', source: ExportSource): Readable {
  return Readable.from(format === 'csv' ? csvLines(source) : jsonLines(source))
}

/** Returns a list as comma-separated values with a heading. */
export const csvText = (buckets: readonly EnergyBucket[]): string => `${heading}${csvOf(buckets)}`

const heading = `${columns.join(',')}\n`

const csvOf = (buckets: readonly EnergyBucket[]): string =>
  buckets.map((bucket) => `${columns.map((column) => bucket[column] ?? '').join(',')}\n`).join('')

async function* csvLines(source: ExportSource): AsyncGenerator<string> {
  yield heading
  for await (const buckets of parts(source)) yield csvOf(buckets)
}

async function* jsonLines(source: ExportSource): AsyncGenerator<string> {
  let before = '['
  for await (const buckets of parts(source)) {
    if (buckets.length === 0) continue
    yield `${before}\n${buckets.map((bucket) => JSON.stringify(bucket)).join(',\n')}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

async function* parts(source: ExportSource): AsyncGenerator<EnergyBucket[]> {
  const { meter, from, to } = source
  if (meter === undefined) return
  const end = Temporal.PlainDate.from(to).add({ days: 1 })
  for (let date = Temporal.PlainDate.from(from); Temporal.PlainDate.compare(date, end) < 0;) {
    const month = date.with({ day: 1 }).add({ months: 1 })
    const next = Temporal.PlainDate.compare(month, end) < 0 ? month : end
    yield await storedBuckets(source, meter.number, { from: date.toString(), until: next.toString() })
    date = next
  }
}

async function storedBuckets(
  { db, days, resolution }: ExportSource,
  meter: number,
  dates: { from: string; until: string },
): Promise<EnergyBucket[]> {
  const [from, until] = [days.on(dates.from).from, days.on(dates.until).from]
  switch (resolution) {
    case 'five_minutes': {
      const rows = await slotRows(db, meter, { from: slotAt(from), until: slotAt(until) })
      return rows.map((row) => slotBucket(row.slot, row, days))
    }
    case 'hour': {
      const rows = await hourRows(db, meter, { from: Math.ceil(from / hourMs), until: Math.ceil(until / hourMs) })
      return rows.map((row) => {
        const start = row.hour * hourMs
        return sumBucket({ from: start, until: start + hourMs }, days.at(start), [row])
      })
    }
    case 'day':
      return (await dayRows(db, meter, dates)).map((row) => {
        const day = days.on(row.day)
        return sumBucket(day, day, [row])
      })
  }
}
