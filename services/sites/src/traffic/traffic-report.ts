import type { TrafficCountRow } from './tables.ts'
import { addCount, countOfRow, emptyCount, latencyQuantile, type TrafficCount } from './counts/traffic-count.ts'

/** Ranges of time, with the seconds of one point. */
export const trafficRanges = {
  '1h': { seconds: 3600, step: 60 },
  '6h': { seconds: 21_600, step: 60 },
  '24h': { seconds: 86_400, step: 3600 },
  '7d': { seconds: 604_800, step: 3600 },
  '30d': { seconds: 2_592_000, step: 3600 },
} as const
export type TrafficRange = keyof typeof trafficRanges

/** Numbers of a span. Times are null without requests. */
export interface TrafficNumbers {
  readonly requests: number
  readonly bytes: number
  /** 1xx to 5xx. */
  readonly status: readonly [number, number, number, number, number]
  readonly p50: number | null
  readonly p95: number | null
}

/** Numbers of one minute or hour. */
export interface TrafficPoint extends TrafficNumbers {
  readonly at: number
}

/** Beginning of the first point of a range that ends now, milliseconds. */
export function rangeStart(range: TrafficRange, now: number): number {
  const { seconds, step } = trafficRanges[range]
  return Math.floor(now / (step * 1000)) * step * 1000 - (seconds - step) * 1000
}

/** Points without gaps, and their sum. */
export function reportOf(
  rows: readonly TrafficCountRow[],
  range: TrafficRange,
  now: number,
): { totals: TrafficNumbers; points: TrafficPoint[] } {
  const { step } = trafficRanges[range]
  const counts = new Map(rows.map((row) => [row.starts_at, countOfRow(row)]))
  const total = emptyCount()
  const points: TrafficPoint[] = []
  for (let at = rangeStart(range, now); at <= now; at += step * 1000) {
    const count = counts.get(at) ?? emptyCount()
    addCount(total, count)
    points.push({ at, ...numbersOf(count) })
  }
  return { totals: numbersOf(total), points }
}

function numbersOf({ requests, bytes, status, latency }: TrafficCount): TrafficNumbers {
  const quantile = (part: number) => latencyQuantile(latency, part) ?? null
  return { requests, bytes, status, p50: quantile(0.5), p95: quantile(0.95) }
}
