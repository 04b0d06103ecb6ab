import { addCount, countOfRow, emptyCount, latencyQuantile, type TrafficCount } from './counts/traffic-count.ts'
import type { TrafficNumbers, TrafficRange, TrafficSpan } from './schema.ts'
import type { TrafficCountRow } from './tables.ts'

/** Lengths of the ranges and of one point, seconds. */
const trafficRanges: Readonly<Record<TrafficRange, { readonly seconds: number; readonly step: number }>> = {
  '1h': { seconds: 3600, step: 60 },
  '6h': { seconds: 21_600, step: 60 },
  '24h': { seconds: 86_400, step: 3600 },
  '7d': { seconds: 604_800, step: 3600 },
  '30d': { seconds: 2_592_000, step: 3600 },
}

/** Returns the length of a point of a range that ends now, seconds, and the beginning of the first one, milliseconds. */
export function rowsOfRange(range: TrafficRange, now: number): { span: number; since: number } {
  const { seconds, step } = trafficRanges[range]
  return { span: step, since: Math.floor(now / (step * 1000)) * step * 1000 - (seconds - step) * 1000 }
}

/** Points without gaps, and their sum. */
export function reportOf(rows: readonly TrafficCountRow[], range: TrafficRange, now: number): TrafficSpan {
  const { span, since } = rowsOfRange(range, now)
  const counts = new Map(rows.map((row) => [row.starts_at, countOfRow(row)]))
  const total = emptyCount()
  const points: TrafficSpan['points'] = []
  for (let at = since; at <= now; at += span * 1000) {
    const count = counts.get(at) ?? emptyCount()
    addCount(total, count)
    points.push({ at: new Date(at).toISOString(), ...numbersOf(count) })
  }
  return { range, step_seconds: span, totals: numbersOf(total), points }
}

function numbersOf({ requests, bytes, status, latency }: TrafficCount): TrafficNumbers {
  const [one, two, three, four, five] = status
  const quantile = (part: number) => latencyQuantile(latency, part) ?? null
  return {
    requests,
    bytes,
    status: { '1xx': one, '2xx': two, '3xx': three, '4xx': four, '5xx': five },
    p50_ms: quantile(0.5),
    p95_ms: quantile(0.95),
  }
}
