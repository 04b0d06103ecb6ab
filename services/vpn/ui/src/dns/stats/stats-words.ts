import type { DnsStats } from '../../api.ts'
import { formatCount } from '@hearth/ui/format'
import { formatDay, formatTime } from '@hearth/ui/format-time'

/** The stretches of time one can look at, in hours. */
export const statsPeriods = [
  { hours: 24, label: '24 hours' },
  { hours: 168, label: '7 days' },
  { hours: 720, label: '30 days' },
] as const

/** The period that the address names; a day when it names none. */
export function readPeriod(text: string | null): number {
  return statsPeriods.find(({ hours }) => String(hours) === text)?.hours ?? 24
}

/** The beginning of a bucket: with the hour for short stretches, the day alone for long ones. */
export function bucketTime(time: string, hours: number): string {
  const at = new Date(time)
  if (hours > 168) return formatDay(at, { weekday: 'short', timeZone: 'UTC' })
  const day = hours > 24 ? `${formatDay(at, { weekday: 'short' })} ` : ''
  return `${day}${formatTime(at)}`
}

/** The whole picture in a sentence. */
export function statsSentence(stats: Pick<DnsStats, 'total_queries' | 'blocked_queries' | 'block_percentage'>): string {
  const { total_queries: total, blocked_queries: blocked, block_percentage: share } = stats
  if (total === 0) return 'No queries in this time.'
  return `${formatCount(total, 'query', 'queries')}, ${blocked.toLocaleString('en')} of them blocked (${share} %).`
}

/** A short count for axes: `950`, `1.2k`, `3M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count))
  const [size, unit] = count < 999_950 ? ([1000, 'k'] as const) : ([1_000_000, 'M'] as const)
  return `${Number((count / size).toFixed(1))}${unit}`
}
