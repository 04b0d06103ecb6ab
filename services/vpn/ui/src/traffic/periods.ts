import type { TrafficSeries } from '../api.ts'
import { formatDay, formatTime } from '@hearth/ui/format-time'

/** A stretch of time one can look at, and how finely. */
export interface Period {
  readonly name: string
  readonly label: string
  readonly hours: number
  readonly resolution: TrafficSeries['resolution']
}

/** From a day by the hour to a year by the week. */
export const periods: readonly Period[] = [
  { name: 'day', label: '24 hours', hours: 24, resolution: 'hourly' },
  { name: 'week', label: '7 days', hours: 168, resolution: 'hourly' },
  { name: 'month', label: '30 days', hours: 720, resolution: 'daily' },
  { name: 'year', label: '1 year', hours: 8760, resolution: 'weekly' },
]

/** The period of that name; the first when there is none. */
export function periodNamed(name: string | null): Period {
  const [first] = periods
  if (first === undefined) throw new Error('there is no period')
  return periods.find((period) => period.name === name) ?? first
}

/** The period that ends now, as the API wants it. */
export function toTrafficQuery({ hours, resolution }: Period, now: Date) {
  return { start: new Date(now.getTime() - hours * 3_600_000).toISOString(), resolution }
}

/** A bucket's beginning in words; days and weeks begin on boundaries of UTC. */
export function bucketText(time: string, resolution: TrafficSeries['resolution']): string {
  const at = new Date(time)
  if (resolution === 'hourly') return `${formatDay(at, { weekday: 'short' })} ${formatTime(at)}`
  const date = formatDay(at, { weekday: 'short', timeZone: 'UTC' })
  return resolution === 'weekly' ? `Week from ${date}` : date
}
