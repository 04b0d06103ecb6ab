import type { ReportItem } from '../schema.ts'
import type { JsonLocation } from './json-location.ts'

/** Options of reading a configuration. */
export interface ReadOptions {
  /**
   * True when the configuration is one of this service that somebody changed. Then numbers of certificates and sites in it are trusted.
   */
  readonly isOurs?: boolean
  /** Ports of the node for plain HTTP and HTTPS, where the configuration does not say which they are. */
  readonly ports?: { readonly http: number; readonly https: number }
  /** Addresses the node serves sites at; all of the machine when there is none. */
  readonly bind?: readonly string[]
  /** True when its Caddy sends HTTPS upstreams their own name by default, as versions from 2.11 on do. */
  readonly sendsOwnHostToSecureUpstreams?: boolean
  /** Seconds of the setting that proxies have when their site says nothing; see `ConfigOptions.streamCloseDelay`. */
  readonly streamCloseDelay?: number
  /** The number of an uploaded authority, from its certificates (base64 of DER). */
  readonly authorityOf?: (certificates: readonly string[]) => number | undefined
  /** Directives of the block for a host, where the configuration was a Caddyfile and sites of kind raw are wanted. */
  readonly rawOf?: (host: string) => string | undefined
}

/** Context of reading one site: its options and its report. */
export class SiteReading {
  readonly options: ReadOptions
  readonly report = new ImportReport()
  readonly site: string
  readonly #seen = new Set<string>()

  constructor(site: string, options: ReadOptions) {
    this.site = site
    this.options = options
  }

  /** Notes what the site goes without, if it is there at all. */
  lost(location: JsonLocation | undefined, what: string): void {
    this.#note('lost', location, what)
  }

  /** Notes what the site does otherwise than before. */
  changed(location: JsonLocation | undefined, what: string): void {
    this.#note('changed', location, what)
  }

  #note(outcome: 'lost' | 'changed', location: JsonLocation | undefined, what: string): void {
    if (location === undefined || this.#seen.has(`${location.path} ${what}`)) return
    this.#seen.add(`${location.path} ${what}`)
    this.report.add({ outcome, path: location.path, what, site: this.site })
  }
}

/** Items a report has at most; what comes later is only counted. */
const maxItems = 2000

/** Collects what an import could not take over. */
export class ImportReport {
  readonly #items: ReportItem[] = []
  #more = 0

  add({ path, what, outcome, site = null }: Omit<ReportItem, 'site'> & { readonly site?: string | null }): void {
    if (this.#items.length >= maxItems) this.#more += 1
    else this.#items.push({ path: path === '' ? '/' : path, what, outcome, site })
  }

  /** Notes a part that no site has. */
  lost({ path }: Pick<JsonLocation, 'path'>, what: string): void {
    this.add({ outcome: 'lost', path, what })
  }

  /** Notes what is not taken over at all. */
  leftOut({ path }: Pick<JsonLocation, 'path'>, what: string, site: string | null = null): void {
    this.add({ outcome: 'left_out', path, what, site })
  }

  items(): ReportItem[] {
    if (this.#more === 0) return [...this.#items]
    const rest = { path: '/', what: `and ${this.#more} more`, outcome: 'left_out' as const, site: null }
    return [...this.#items, rest]
  }

  append(items: readonly ReportItem[]): void {
    for (const item of items) this.add(item)
  }
}
