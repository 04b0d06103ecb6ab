import type { Labels, Sample } from './collector.ts'

/** Counts by labels. Adding costs one look-up and one addition, and needs no library. */
export class LabelledCounts {
  readonly #entries = new Map<string, { readonly labels: Labels; count: number }>()

  /** Adds one. `key` identifies the labels, which are made when the key is new. */
  add(key: string, labels: () => Labels): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, { labels: labels(), count: 1 })
    else entry.count += 1
  }

  /** The counts so far, as samples of a figure. */
  samples(): Sample[] {
    return Array.from(this.#entries.values(), ({ labels, count }) => [labels, count] as const)
  }
}

/** Returns how many items have the same labels, as samples of a figure. */
export function countByLabels<Item>(items: Iterable<Item>, labelsOf: (item: Item) => Labels): Sample[] {
  const counts = new LabelledCounts()
  for (const item of items) {
    const labels = labelsOf(item)
    counts.add(JSON.stringify(labels), () => labels)
  }
  return counts.samples()
}
