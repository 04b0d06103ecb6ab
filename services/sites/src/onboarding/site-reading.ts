import { ImportReport } from './import-report.ts'
import { secondsOf } from './caddy-values.ts'
import type { Place } from './json-place.ts'

/** How a configuration is read. */
export interface ReadOptions {
  /**
   * Whether the configuration is one of ours that somebody changed. Then numbers of certificates and sites in it are trusted.
   */
  readonly isOurs?: boolean
  /** Ports of the node for plain HTTP and HTTPS, where the configuration does not say which they are. */
  readonly ports?: { readonly http: number; readonly https: number }
  /** Addresses the node serves sites at; all of the machine when there is none. */
  readonly bind?: readonly string[]
  /** Whether the Caddy it runs on tells an HTTPS upstream its own name where nothing is said, as versions from 2.11 on do. */
  readonly tellsSecureUpstreamsTheirName?: boolean
  /** Seconds of the setting that proxies have when their site says nothing; see `ConfigOptions.streamCloseDelay`. */
  readonly streamCloseDelay?: number
  /** The number of an uploaded authority, from its certificates (base64 of DER). */
  readonly authorityOf?: (certificates: readonly string[]) => number | undefined
  /** Directives of the block for a host, where the configuration was a Caddyfile and sites of kind raw are wanted. */
  readonly rawOf?: (host: string) => string | undefined
}

/** What the parts of one site are read with: where they report to. */
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
  lost(place: Place | undefined, what: string): void {
    this.#note('lost', place, what)
  }

  /** Notes what the site does otherwise than before. */
  changed(place: Place | undefined, what: string): void {
    this.#note('changed', place, what)
  }

  #note(outcome: 'lost' | 'changed', place: Place | undefined, what: string): void {
    if (place === undefined || this.#seen.has(`${place.path} ${what}`)) return
    this.#seen.add(`${place.path} ${what}`)
    this.report.add(outcome, place.path, { what, site: this.site })
  }

  /** How long WebSockets live on, or null for what the setting says. */
  closeDelayOf(place: Place | undefined): number | null {
    const seconds = secondsOf(place)
    return seconds === undefined || seconds === (this.options.streamCloseDelay ?? 300) ? null : seconds
  }
}
