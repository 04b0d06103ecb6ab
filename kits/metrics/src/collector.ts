/** Labels of one sample. Values come from a bounded set: never an address, a title or a path as a client sent it. */
export type Labels = Readonly<Record<string, string>>

/** A metric that a collector fills at each scrape. Durations are in seconds, sizes in bytes; a counter's name ends in `_total`. */
export interface Figure {
  readonly type: 'counter' | 'gauge'
  readonly help: string
}

/** A value with its labels. */
export type Sample = readonly [Labels, number | undefined]

/** Value of a figure without labels, or its samples. `undefined` and numbers that are not finite are left out. */
export type Value = number | undefined | Iterable<Sample>

/**
 * Returns a function that makes the samples of one figure: the value of each item with the item's labels.
 *
 * @example
 * const samples = samplesOf(lists, ({ name }) => ({ list: name }))
 * return { list_entries: samples(({ entries }) => entries) }
 */
export const samplesOf =
  <Item>(items: readonly Item[], labelsOf: (item: Item) => Labels) =>
  (valueOf: (item: Item) => number | undefined): Sample[] =>
    items.map((item) => [labelsOf(item), valueOf(item)] as const)

/** Figures that are read together at each scrape. */
export interface Collector {
  /** Its name in `hearth_scrape_errors_total`. */
  readonly name: string
  readonly figures: Readonly<Record<string, Figure>>
  /** May query the database or another service. When it throws or takes too long, its figures are absent from the scrape. */
  read(): Readonly<Record<string, Value>> | Promise<Readonly<Record<string, Value>>>
}

/** Makes a collector whose `read` can only return figures that it declares. */
export function defineCollector<Name extends string>(collector: {
  readonly name: string
  readonly figures: Readonly<Record<Name, Figure>>
  read(): Readonly<Partial<Record<Name, Value>>> | Promise<Readonly<Partial<Record<Name, Value>>>>
}): Collector {
  return collector
}

/** A metric as prom-client's registry shows it. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: 'first'
  readonly values: readonly { readonly labels: Labels; readonly value: number; readonly metricName?: string }[]
}

/** The metrics of one reading. */
export function familiesOf({ figures }: Collector, reading: Readonly<Record<string, Value>>): Family[] {
  return Object.entries(figures).flatMap(([name, figure]) => {
    const given = reading[name]
    const samples = typeof given === 'object' ? [...given] : [[{}, given] as const]
    // A scraper refuses two samples of one series: of those the first counts.
    const byLabels = new Map<string, { labels: Labels; value: number }>()
    for (const [labels, value] of samples) {
      const key = JSON.stringify(labels)
      if (value !== undefined && Number.isFinite(value) && !byLabels.has(key)) byLabels.set(key, { labels, value })
    }
    const values = [...byLabels.values()]
    return values.length === 0 ? [] : [{ name, ...figure, aggregator: 'first' as const, values }]
  })
}
