import type { Kysely } from 'kysely'
import type { EnergyCoverage, EnergyDayRow, EnergyMeterRow, EnergySlotRow, Tables } from '../tables.ts'
import { balanceOf, knownOf, pickEnergies, sumEnergies } from './balance.ts'
import type { LocalDay, LocalDays } from './local-days.ts'
import { noEnergies, noPowers, slotAt, slotMs, sources, startOfSlot, type SlotSource } from './quantities.ts'
import type { EnergyBucket, EnergyHistory, Period, Resolution } from './schema.ts'
import { dayRows, beginOfHistory, hourRows, slotRows } from './store.ts'

/** The period of an answer, and how it is divided. */
interface Span {
  readonly period: Period
  readonly from: number
  readonly until: number
  readonly resolution: Resolution
}

const hourMs = 3_600_000

/** What history is read from. */
export interface HistorySource {
  readonly db: Kysely<Tables>
  readonly days: LocalDays
  readonly now: number
  readonly meter: EnergyMeterRow | undefined
}

/** Returns balance and course of the period that a date is in. Stretches of which nothing is known have no energies, not zero. */
export async function readHistory(
  source: HistorySource,
  { deviceId, period, date }: { deviceId: string; period: Period; date: string | undefined },
): Promise<EnergyHistory> {
  const { db, days, now, meter } = source
  const begin = meter === undefined ? undefined : await beginOfHistory(db, meter.number)
  const firstDate = begin?.firstDay ?? null
  const span = spanOf(period, date ?? days.at(now).date, { days, now, firstDate, oldest: begin?.oldest ?? null })
  const { from, until, resolution } = span
  const rows = meter === undefined ? [] : await daysIn(source, meter.number, span)
  const buckets = meter === undefined ? [] : await bucketsOf(source, meter.number, { span, rows })
  const knownSlots = rows.reduce((sum, row) => sum + knownOf(row), 0)
  const first = Math.max(from, beginOf(days, firstDate, begin?.oldest ?? null))
  const expected = Math.max(1, slotAt(Math.min(now, until)) - slotAt(first))
  return {
    device_id: deviceId,
    period,
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    time_zone: days.zone,
    resolution,
    first_date: firstDate,
    balance: balanceOf({
      energies: sumEnergies(rows),
      known: shareOf(knownSlots, expected),
      capacityWh: meter?.capacity_wh ?? null,
      socBefore: meter === undefined ? null : await socBefore(source, meter.number, { from, rows }),
      socAfter: rows.at(-1)?.soc ?? null,
    }),
    missing: [],
    buckets,
  }
}

/** Returns when the history begins: with its first slot, or with its first day when the slots of it are not kept any more. */
function beginOf(days: LocalDays, firstDate: string | null, oldest: number | null): number {
  if (firstDate === null) return 0
  const { from, until } = days.on(firstDate)
  const first = oldest === null ? from : startOfSlot(oldest)
  return first < until ? first : from
}

interface SpanContext {
  readonly days: LocalDays
  readonly now: number
  readonly firstDate: string | null
  /** Oldest slot that is stored. */
  readonly oldest: number | null
}

/** Returns the period of the calendar around a date; a day whose five minutes are not kept any more is divided into hours. */
function spanOf(period: Period, date: string, { days, now, firstDate, oldest }: SpanContext): Span {
  const day = Temporal.PlainDate.from(date)
  const from = (first: Temporal.PlainDate) => days.on(first.toString()).from
  switch (period) {
    case 'day': {
      const { from: begin, until } = days.on(date)
      const isFine = oldest === null || startOfSlot(oldest) < until
      return { period, from: begin, until, resolution: isFine ? 'five_minutes' : 'hour' }
    }
    case 'month': {
      const first = day.with({ day: 1 })
      return { period, from: from(first), until: from(first.add({ months: 1 })), resolution: 'day' }
    }
    case 'year': {
      const first = day.with({ month: 1, day: 1 })
      return { period, from: from(first), until: from(first.add({ years: 1 })), resolution: 'month' }
    }
    case 'total': {
      const today = Temporal.PlainDate.from(days.at(now).date)
      const first = firstDate === null ? today : Temporal.PlainDate.from(firstDate)
      const end = today.with({ month: 1, day: 1 }).add({ years: 1 })
      return { period, from: from(first.with({ month: 1, day: 1 })), until: from(end), resolution: 'year' }
    }
  }
}

/** Days of a period; of a single day its own row alone. */
const daysIn = ({ db, days }: HistorySource, meter: number, { from, until }: Span): Promise<EnergyDayRow[]> =>
  dayRows(db, meter, { from: days.at(from).date, until: days.at(until).date })

/** State of charge at the end of the day before. */
async function socBefore(
  { db, days }: HistorySource,
  meter: number,
  { from, rows }: { from: number; rows: readonly EnergyDayRow[] },
): Promise<number | null> {
  const begin = rows.at(0)?.day
  const first = begin === undefined ? from : days.on(begin).from
  const before = days.at(first - 1).date
  const [day] = await dayRows(db, meter, { from: before, until: days.at(first).date })
  return day?.soc ?? null
}

async function bucketsOf(
  source: HistorySource,
  meter: number,
  { span, rows }: { span: Span; rows: readonly EnergyDayRow[] },
): Promise<EnergyBucket[]> {
  const { db, days } = source
  const { from, until, resolution } = span
  switch (resolution) {
    case 'five_minutes':
      return slotBuckets(await slotRows(db, meter, { from: slotAt(from), until: slotAt(until) }), days, { from, until })
    case 'hour': {
      const range = { from: Math.floor(from / hourMs), until: Math.ceil(until / hourMs) }
      const hours = new Map((await hourRows(db, meter, range)).map((row) => [row.hour, row]))
      return steps(range.from, range.until).map((hour) =>
        sumBucket({ from: hour * hourMs, until: (hour + 1) * hourMs }, days.at(hour * hourMs), [hours.get(hour)]),
      )
    }
    case 'day':
    case 'month':
    case 'year':
      return dateBuckets(rows, days, span)
  }
}

/** Characters of a date that tell its day, month and year. */
const lengths = { day: 10, month: 7, year: 4 } as const
const lengthsOf = { day: { days: 1 }, month: { months: 1 }, year: { years: 1 } } as const

/** Returns the days, months or years of a period; those without rows are unknown. */
function dateBuckets(
  rows: readonly EnergyDayRow[],
  days: LocalDays,
  { from, until, resolution }: Span,
): EnergyBucket[] {
  if (resolution === 'five_minutes' || resolution === 'hour') return []
  const groups = Map.groupBy(rows, ({ day }) => day.slice(0, lengths[resolution]))
  const buckets: EnergyBucket[] = []
  let date = Temporal.PlainDate.from(days.at(from).date)
  for (let begin = from; begin < until;) {
    date = date.add(lengthsOf[resolution])
    const end = days.on(date.toString()).from
    const first = days.at(begin)
    buckets.push(
      sumBucket({ from: begin, until: end }, first, groups.get(first.date.slice(0, lengths[resolution])) ?? []),
    )
    begin = end
  }
  return buckets
}

const steps = (from: number, until: number): number[] =>
  Array.from({ length: Math.max(0, until - from) }, (_, index) => from + index)

/** Returns a bucket for every slot of a stretch; one that is not stored, or only counted, has no powers. */
function slotBuckets(
  rows: readonly EnergySlotRow[],
  days: LocalDays,
  { from, until }: { from: number; until: number },
): EnergyBucket[] {
  const known = new Map(rows.map((row) => [row.slot, row]))
  return steps(slotAt(from), slotAt(until)).map((slot) => slotBucket(slot, known.get(slot), days))
}

/** Returns five minutes as the wire has them. */
export function slotBucket(slot: number, row: EnergySlotRow | undefined, days: LocalDays): EnergyBucket {
  const start = startOfSlot(slot)
  const { pv_w, load_w, grid_w, battery_w } = row ?? noPowers
  return {
    start: new Date(start).toISOString(),
    date: days.at(start).date,
    ...pickEnergies(row ?? noEnergies),
    pv_w,
    load_w,
    grid_w,
    battery_w,
    soc_percent: percentOf(row?.soc ?? null),
    known: row === undefined ? 0 : 1,
    source: row === undefined ? null : (sources[row.source] ?? null),
  }
}

type SumRow = Pick<EnergyDayRow, 'soc' | keyof typeof noEnergies | keyof EnergyCoverage>

/** Returns the sum of hours or days as the wire has it. */
export function sumBucket(
  { from, until }: { from: number; until: number },
  { date }: Pick<LocalDay, 'date'>,
  rows: readonly (SumRow | undefined)[],
): EnergyBucket {
  const stored = rows.filter((row) => row !== undefined)
  const known = stored.reduce((sum, row) => sum + knownOf(row), 0)
  return {
    start: new Date(from).toISOString(),
    date,
    ...sumEnergies(stored),
    ...noPowers,
    soc_percent: percentOf(stored.at(-1)?.soc ?? null),
    known: shareOf(known, Math.max(1, Math.round((until - from) / slotMs))),
    source: sourceOf(stored),
  }
}

function sourceOf(rows: readonly EnergyCoverage[]): SlotSource | 'mixed' | null {
  const found = sources.filter((source) => rows.some((row) => row[`from_${source}`] > 0))
  return found.length > 1 ? 'mixed' : (found[0] ?? null)
}

const percentOf = (thousandths: number | null): number | null => (thousandths === null ? null : thousandths / 10)

const shareOf = (part: number, whole: number): number => Math.min(1, Math.round((part / whole) * 1000) / 1000)
