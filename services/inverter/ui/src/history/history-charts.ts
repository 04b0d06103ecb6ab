import type { ChartSeries } from '@hearth/ui'
import { formatDay } from '@hearth/ui/format-time'
import type { EnergyBucket, EnergyHistory } from '../api.ts'
import { energy, power, spell } from '../values/quantity.ts'

/** A chart of the page. `history.css` gives the tones the colours that sun, house, battery and grid have on the dashboard. */
export interface HistoryChart {
  readonly title: string
  readonly summary: string
  readonly times: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly shape: 'bars' | 'lines'
  readonly isUtc: boolean
  readonly format: (value: number) => string
  readonly formatTime: (time: string) => string
}

const watts = (value: number) => spell(power(value))
const wattHours = (value: number) => spell(energy(value))
const shown = (value: number | null) => spell(energy(value ?? undefined))

/** Where the energy that was used came from; null where it is not known. */
export function usedFrom({ load_wh: load, import_wh: imported, discharge_wh: discharged }: EnergyBucket) {
  if (load === null) return { sun: null, battery: null, grid: null }
  const grid = Math.min(imported ?? 0, load)
  const battery = Math.min(discharged ?? 0, load - grid)
  return { sun: load - grid - battery, battery, grid }
}

/** Where the energy that was produced went; null where it is not known. */
export function producedFor({ pv_wh: pv, export_wh: exported, charge_wh: charged }: EnergyBucket) {
  if (pv === null) return { house: null, battery: null, grid: null }
  const grid = Math.min(exported ?? 0, pv)
  const battery = Math.min(charged ?? 0, pv - grid)
  return { house: pv - grid - battery, battery, grid }
}

/** Returns the charts of a period: curves of a day, or bars of a longer one. */
export const chartsOf = (history: EnergyHistory): readonly HistoryChart[] =>
  history.resolution === 'five_minutes' ? dayCharts(history) : barCharts(history)

function dayCharts(history: EnergyHistory): readonly HistoryChart[] {
  const { buckets, balance } = history
  const axis = dayAxis(history)
  const values = (read: (bucket: EnergyBucket) => number | null) => buckets.map((bucket) => read(bucket))
  const charts: HistoryChart[] = [
    {
      ...axis,
      title: 'Power',
      summary: `${shown(balance.pv_wh)} produced and ${shown(balance.load_wh)} used.`,
      shape: 'lines',
      format: watts,
      series: [
        { name: 'Produced', tone: 'accent', values: values(({ pv_w }) => pv_w) },
        { name: 'Used', tone: 'bad', values: values(({ load_w }) => load_w) },
        {
          name: 'From the grid',
          tone: 'warn',
          isDashed: true,
          values: values(({ grid_w }) => (grid_w === null ? null : Math.max(0, grid_w))),
        },
      ],
    },
  ]
  const soc = values(({ soc_percent }) => soc_percent)
  const last = soc.findLast((value) => value !== null)
  if (last !== undefined && last !== null)
    charts.push({
      ...axis,
      title: 'Battery',
      summary: `${shown(balance.charge_wh)} charged and ${shown(balance.discharge_wh)} discharged.`,
      shape: 'lines',
      format: (value) => `${Math.round(value)} %`,
      series: [{ name: 'State of charge', tone: 'quiet', values: soc }],
    })
  return charts
}

/** The times of a day as the clocks of the history's time zone show them. */
function dayAxis({ buckets, time_zone: timeZone, from }: EnergyHistory) {
  const formatTime = (start: string) =>
    new Date(start).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', timeZone })
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const starts = buckets.map(({ start }) => start)
  if (own === timeZone) return { times: starts, isUtc: false, formatTime }
  const offset = offsetOf(timeZone, new Date(from))
  const shifted = (start: string, by: number) => new Date(Date.parse(start) + by).toISOString()
  return {
    times: starts.map((start) => shifted(start, offset)),
    isUtc: true,
    formatTime: (time: string) => formatTime(shifted(time, -offset)),
  }
}

/** Offset of a time zone from UTC, milliseconds. */
export function offsetOf(timeZone: string, at: Date): number {
  const text = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(text ?? '') ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function barCharts(history: EnergyHistory): readonly HistoryChart[] {
  const { buckets, balance } = history
  const axis = barAxis(history)
  const used = buckets.map(usedFrom)
  const produced = buckets.map(producedFor)
  const suns = used.map(({ sun }) => sun)
  const discharged = used.map(({ battery }) => battery)
  const imported = used.map(({ grid }) => grid)
  const atOnce = produced.map(({ house }) => house)
  const charged = produced.map(({ battery }) => battery)
  const exported = produced.map(({ grid }) => grid)
  return [
    {
      ...axis,
      title: 'Used',
      summary: `${shown(balance.load_wh)} used.`,
      series: [
        barsOf('Directly from the sun', 'accent', suns),
        barsOf('From the battery', 'quiet', discharged),
        barsOf('From the grid', 'warn', imported),
      ],
    },
    {
      ...axis,
      title: 'Produced',
      summary: `${shown(balance.pv_wh)} produced.`,
      series: [
        barsOf('Used at once', 'bad', atOnce),
        barsOf('Into the battery', 'quiet', charged),
        barsOf('To the grid', 'warn', exported),
      ],
    },
  ]
}

/** Bars with their sum in the legend. */
function barsOf(name: string, tone: ChartSeries['tone'], values: readonly (number | null)[]): ChartSeries {
  return { name, tone, values, total: wattHours(values.reduce<number>((sum, value) => sum + (value ?? 0), 0)) }
}

/** Times of bars. Dates stand at midnight in UTC, so that they are the same in every browser. */
function barAxis({ buckets, resolution, time_zone: zone }: EnergyHistory) {
  const isHourly = resolution === 'hour'
  return {
    times: buckets.map(({ start, date }) => (isHourly ? start : `${date}T00:00:00.000Z`)),
    isUtc: !isHourly,
    shape: 'bars' as const,
    format: wattHours,
    formatTime: (time: string) => bucketText(time, resolution, zone),
  }
}

function bucketText(time: string, resolution: EnergyHistory['resolution'], timeZone: string): string {
  const at = new Date(time)
  switch (resolution) {
    case 'five_minutes':
    case 'hour':
      return at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', timeZone })
    case 'day':
      return formatDay(at, { weekday: 'short', timeZone: 'UTC' })
    case 'month':
      return at.toLocaleDateString(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })
    case 'year':
      return at.toLocaleDateString(undefined, { year: 'numeric', timeZone: 'UTC' })
  }
}
