/** Upper ends of the buckets, milliseconds; what took longer is in one more. */
export const latencyBounds = [
  0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000,
  15_000, 30_000, 60_000,
] as const

const bucketCount = latencyBounds.length + 1

/** Histogram of request durations. The buckets never change, so histograms of different times can be added. */
export type LatencyHistogram = Float64Array

export const emptyHistogram = (): LatencyHistogram => new Float64Array(bucketCount)

export function addLatency(histogram: LatencyHistogram, milliseconds: number): void {
  const found = latencyBounds.findIndex((bound) => milliseconds <= bound)
  const index = found === -1 ? bucketCount - 1 : found
  histogram[index] = (histogram[index] ?? 0) + 1
}

export function addHistogram(target: LatencyHistogram, other: LatencyHistogram): void {
  for (const [index, count] of other.entries()) target[index] = (target[index] ?? 0) + count
}

/** The time so large a part of the requests took at most, milliseconds, to within its bucket; undefined without requests. */
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

/** As it is stored: `3:12,7:1`, buckets without requests left out. */
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
