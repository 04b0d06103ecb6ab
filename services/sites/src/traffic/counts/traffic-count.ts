import type { LogLine } from '../access-log/log-line.ts'
import type { TrafficCountRow } from '../tables.ts'

/** Upper bounds of the buckets, milliseconds; one more bucket holds longer durations. */
export const latencyBounds = [
  0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000,
  15_000, 30_000, 60_000,
] as const

const bucketCount = latencyBounds.length + 1

/** Histogram of request durations. The buckets never change, so histograms of different times can be added. */
type LatencyHistogram = Float64Array

export const emptyHistogram = (): LatencyHistogram => new Float64Array(bucketCount)

export function addLatency(histogram: LatencyHistogram, milliseconds: number): void {
  const found = latencyBounds.findIndex((bound) => milliseconds <= bound)
  const index = found === -1 ? bucketCount - 1 : found
  histogram[index] = (histogram[index] ?? 0) + 1
}

function addHistogram(target: LatencyHistogram, other: LatencyHistogram): void {
  for (const [index, count] of other.entries()) target[index] = (target[index] ?? 0) + count
}

/**
 * Returns the duration that a part of the requests, 0 to 1, does not exceed, milliseconds, interpolated within its
 * bucket; undefined without requests.
 */
export function latencyQuantile(histogram: LatencyHistogram, part: number): number | undefined {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let below = 0
  for (const [index, count] of histogram.entries()) {
    if (count > 0 && below + count >= total * part) {
      const low = latencyBounds[index - 1] ?? 0
      const high = latencyBounds[index] ?? low
      return low + (high - low) * Math.min(1, Math.max(0, (total * part - below) / count))
    }
    below += count
  }
  return latencyBounds.at(-1)
}

/** Encodes a histogram for storage, as `3:12,7:1`, without empty buckets. */
export const encodeHistogram = (histogram: LatencyHistogram): string =>
  [...histogram.entries()].flatMap(([index, count]) => (count === 0 ? [] : [`${index}:${count}`])).join(',')

export function decodeHistogram(text: string): LatencyHistogram {
  const histogram = emptyHistogram()
  for (const pair of text.split(',')) {
    const [index, count] = pair.split(':').map(Number)
    if (index !== undefined && count !== undefined && index < bucketCount) histogram[index] = count
  }
  return histogram
}

/** Requests in a span of time. */
export interface TrafficCount {
  requests: number
  bytes: number
  /** By class: 1xx to 5xx. */
  readonly status: [number, number, number, number, number]
  readonly latency: LatencyHistogram
}

/** In place of a site's id: all requests together. */
export const everySite = 0

/** In place of a site's id: requests for hosts that no site has. */
export const noSite = -1

/** Returns a new count of zero, which its callers may change. */
export const emptyCount = (): TrafficCount => ({
  requests: 0,
  bytes: 0,
  status: [0, 0, 0, 0, 0],
  latency: emptyHistogram(),
})

export function addLine(count: TrafficCount, line: LogLine): void {
  count.requests += 1
  count.bytes += line.bytes
  // A client that disconnects before the answer has the status 0.
  const index = Math.floor(line.status / 100) - 1
  if (index >= 0 && index < 5) count.status[index] = (count.status[index] ?? 0) + 1
  addLatency(count.latency, line.durationMs)
}

/** Adds another count to `target`, which changes. */
export function addCount(target: TrafficCount, other: TrafficCount): void {
  target.requests += other.requests
  target.bytes += other.bytes
  for (const [index, count] of other.status.entries()) target.status[index] = (target.status[index] ?? 0) + count
  addHistogram(target.latency, other.latency)
}

/** Site, length in seconds, and start. */
export type CountKey = Pick<TrafficCountRow, 'site_id' | 'span' | 'starts_at'>

/** Maps a count to a stored row. */
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

/** Maps a stored row to a count; missing buckets are 0. */
export function countOfRow(row: TrafficCountRow): TrafficCount {
  return {
    requests: row.requests,
    bytes: row.bytes,
    status: [row.status_1, row.status_2, row.status_3, row.status_4, row.status_5],
    latency: decodeHistogram(row.latency),
  }
}
