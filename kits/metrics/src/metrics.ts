import type { ServerOptions } from '@hearth/http'
import type { Log } from '@hearth/runtime'
import type PromClient from 'prom-client'
import { familiesOf, type Collector, type Family } from './collector.ts'
import type { DurationHistogram } from './duration-histogram.ts'
import { createHttpRequests } from './http-requests.ts'
import { measureProcess, processMetricNames } from './process-families.ts'

/** Figures that a service exposes to Prometheus. */
export interface MetricsOptions {
  /** Name of the service, as in `hearth_build_info`. */
  readonly service: string
  readonly version: string
  readonly collectors: readonly Collector[]
  readonly histograms?: readonly DurationHistogram[]
  readonly log: Log
  /** Longest time that a scrape waits for a collector, milliseconds; 5 s when left out. */
  readonly timeoutMs?: number
}

/** The text of one scrape and its media type. */
export interface Exposition {
  readonly text: string
  readonly contentType: string
}

const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const scrapeErrors = 'hearth_scrape_errors_total'
const buildInfo = 'hearth_build_info'

/** The metrics of a service. */
export class Metrics {
  /** Counts an answered request; for the server's option of that name. */
  readonly onAnswered: NonNullable<ServerOptions['onAnswered']>
  readonly #options: MetricsOptions
  readonly #http = createHttpRequests()
  readonly #readings: readonly CollectorReading[]
  #library: Promise<{ client: typeof PromClient; readProcess: () => Promise<Family[]> }> | undefined
  #collection: Promise<Family[]> | undefined

  constructor(options: MetricsOptions) {
    this.#options = options
    this.onAnswered = this.#http.onAnswered
    this.#readings = options.collectors.map((collector) => new CollectorReading(collector, options))
  }

  /** Names of every metric that a scrape may show. */
  names(): string[] {
    const { collectors, histograms = [] } = this.#options
    return [
      ...processMetricNames,
      ...this.#http.names,
      ...histograms.map(({ name }) => name),
      ...collectors.flatMap(({ figures }) => Object.keys(figures)),
      scrapeErrors,
      buildInfo,
    ]
  }

  /**
   * Reads every figure, in the format that the `Accept` header prefers: Prometheus text or OpenMetrics. Scrapes that come
   * together share one reading. Never fails because of a collector.
   */
  async scrape(accept: string | undefined): Promise<Exposition> {
    this.#collection ??= this.#collect().finally(() => (this.#collection = undefined))
    const [{ client }, families] = await Promise.all([this.#load(), this.#collection])
    const isOpen = prefersOpenMetrics(accept)
    const registry = client.AggregatorRegistry.aggregate([isOpen ? families.map(withoutTotal) : families])
    if (isOpen) registry.setContentType(openMetricsType)
    return { text: await registry.metrics(), contentType: registry.contentType }
  }

  /** Loads the library at the first scrape. */
  #load() {
    this.#library ??= import('prom-client').then(({ default: client }) => ({
      client,
      readProcess: measureProcess(client),
    }))
    return this.#library
  }

  async #collect(): Promise<Family[]> {
    const { service, version, histograms = [] } = this.#options
    const { readProcess } = await this.#load()
    const [processFigures, ...readings] = await Promise.all([
      readProcess(),
      ...this.#readings.map((reading) => reading.read()),
    ])
    return [
      gauge(buildInfo, 'Version of the running service', { service, version }),
      ...processFigures,
      ...this.#http.families(),
      ...histograms.flatMap((histogram) => histogram.families()),
      ...readings.flat(),
      {
        name: scrapeErrors,
        help: 'Collectors that failed or took too long, since the start of the service',
        type: 'counter',
        aggregator: 'first',
        values: this.#readings.map(({ name, failures }) => ({ labels: { collector: name }, value: failures })),
      },
    ]
  }
}

const gauge = (name: string, help: string, labels: Readonly<Record<string, string>>): Family => ({
  name,
  help,
  type: 'gauge',
  aggregator: 'first',
  values: [{ labels, value: 1 }],
})

/** The registry adds the suffix of a counter itself in this format. */
const withoutTotal = (family: Family): Family =>
  family.type === 'counter' ? { ...family, name: family.name.replace(/_total$/, '') } : family

/** Readings of one collector, one at a time. */
class CollectorReading {
  failures = 0
  readonly #collector: Collector
  readonly #log: Log
  readonly #timeoutMs: number
  #running: Promise<Family[]> | undefined
  #isFailing = false

  constructor(collector: Collector, { log, timeoutMs = 5000 }: Pick<MetricsOptions, 'log' | 'timeoutMs'>) {
    this.#collector = collector
    this.#log = log
    this.#timeoutMs = timeoutMs
  }

  get name(): string {
    return this.#collector.name
  }

  /** A collector that timed out in an earlier scrape is awaited again, not started a second time. */
  async read(): Promise<Family[]> {
    this.#running ??= this.#readOnce().finally(() => (this.#running = undefined))
    try {
      const families = await within(this.#running, this.#timeoutMs)
      this.#isFailing = false
      return families
    } catch (error) {
      this.failures += 1
      // Logged once, because scrapes come every few seconds.
      if (!this.#isFailing) this.#log.warn({ err: error, collector: this.name }, 'metrics could not be read')
      this.#isFailing = true
      return []
    }
  }

  async #readOnce(): Promise<Family[]> {
    return familiesOf(this.#collector, await this.#collector.read())
  }
}

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`took longer than ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** True when the header ranks OpenMetrics above the plain text format. */
function prefersOpenMetrics(accept = ''): boolean {
  const ranks = accept.split(',').map((part) => {
    const [media = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const quality = parameters.find((text) => text.startsWith('q='))
    return { media, rank: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
  })
  const rankOf = (...names: string[]) =>
    Math.max(0, ...ranks.flatMap(({ media, rank }) => (names.includes(media) ? [rank] : [])))
  const open = rankOf('application/openmetrics-text')
  return open > 0 && open >= rankOf('text/plain', 'text/*')
}
