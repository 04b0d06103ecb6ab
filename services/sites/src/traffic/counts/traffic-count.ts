import type { LogLine } from '../access-log/log-line.ts'
import type { TrafficCountRow } from '../tables.ts'
import {
  addHistogram,
  addLatency,
  decodeHistogram,
  emptyHistogram,
  encodeHistogram,
  type LatencyHistogram,
} from './latency-histogram.ts'

/** Requests in a span of time. */
export interface TrafficCount {
  requests: number
  bytes: number
  /** By class: 1xx to 5xx. */
  readonly status: [number, number, number, number, number]
  readonly latency: LatencyHistogram
}

/** In place of a site's id: all requests together, and those for hosts of no site. */
export const everySite = 0
export const noSite = -1

export const emptyCount = (): TrafficCount => ({
  requests: 0,
  bytes: 0,
  status: [0, 0, 0, 0, 0],
  latency: emptyHistogram(),
})

export function addLine(count: TrafficCount, line: LogLine): void {
  count.requests += 1
  count.bytes += line.bytes
  // Whoever leaves before an answer has the status 0; nothing was answered.
  const index = Math.floor(line.status / 100) - 1
  if (index >= 0 && index < 5) count.status[index] = (count.status[index] ?? 0) + 1
  addLatency(count.latency, line.durationMs)
}

export function addCount(target: TrafficCount, other: TrafficCount): void {
  target.requests += other.requests
  target.bytes += other.bytes
  for (const [index, count] of other.status.entries()) target.status[index] = (target.status[index] ?? 0) + count
  addHistogram(target.latency, other.latency)
}

/** Which site, how long (seconds), and from when. */
export type CountKey = Pick<TrafficCountRow, 'site_id' | 'span' | 'starts_at'>

export function rowOfCount(key: CountKey, { requests, bytes, status, latency }: TrafficCount): TrafficCountRow {
  const [status_1, status_2, status_3, status_4, status_5] = status
  return {
    ...key,
    requests,
    bytes,
    status_1,
    status_2,
    status_3,
    status_4,
    status_5,
    latency: encodeHistogram(latency),
  }
}

export function countOfRow(row: TrafficCountRow): TrafficCount {
  return {
    requests: row.requests,
    bytes: row.bytes,
    status: [row.status_1, row.status_2, row.status_3, row.status_4, row.status_5],
    latency: decodeHistogram(row.latency),
  }
}
