import { ImportReport } from './import-report.ts'
import { secondsOf } from './caddy-values.ts'
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
  readonly tellsSecureUpstreamsTheirName?: boolean
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
    this.report.add(outcome, location.path, { what, site: this.site })
  }

  /** Returns how long WebSockets survive a change, or null for the default of the setting. */
  closeDelayOf(location: JsonLocation | undefined): number | null {
    const seconds = secondsOf(location)
    return seconds === undefined || seconds === (this.options.streamCloseDelay ?? 300) ? null : seconds
  }
}
