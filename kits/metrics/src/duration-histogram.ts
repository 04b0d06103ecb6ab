import type { Family, Labels } from './collector.ts'

/** A histogram of durations. Observing costs one look-up and two additions, and needs no library. */
export class DurationHistogram {
  readonly name: string
  readonly #help: string
  /** Upper bounds of the buckets, seconds. */
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, { labels: Labels; counts: Float64Array; sum: number }>()

  constructor({ name, help, bounds }: { name: string; help: string; bounds: readonly number[] }) {
    this.name = name
    this.#help = help
    this.#bounds = bounds
  }

  /** Counts a duration, seconds. `key` identifies the labels, which are made when the key is new. */
  observe(key: string, seconds: number, labels: () => Labels): void {
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels: labels(), counts: new Float64Array(this.#bounds.length + 1), sum: 0 }
      this.#series.set(key, series)
    }
    let bucket = 0
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += seconds
  }

  /** The metric for the registry; none before the first observation. */
  families(): Family[] {
    if (this.#series.size === 0) return []
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = Array.from(counts, (count, index) => {
        total += count
        const le = String(this.#bounds[index] ?? '+Inf')
        const labelled: Labels = { le, ...labels }
        return { labels: labelled, value: total, metricName: `${this.name}_bucket` }
      })
      return buckets.concat(
        { labels, value: sum, metricName: `${this.name}_sum` },
        { labels, value: total, metricName: `${this.name}_count` },
      )
    })
    return [{ name: this.name, help: this.#help, type: 'histogram', aggregator: 'first', values }]
  }
}
