import type { JsonLocation } from './json-location.ts'
import type { ImportOutcome, ReportItem } from '../schema.ts'

/** Items a report has at most; what comes later is only counted. */
const maxItems = 2000

/** Collects what an import could not take over. */
export class ImportReport {
  readonly #items: ReportItem[] = []
  #more = 0

  add(outcome: ImportOutcome, path: string, about: { readonly what: string; readonly site?: string | null }): void {
    if (this.#items.length >= maxItems) this.#more += 1
    else this.#items.push({ path: path === '' ? '/' : path, what: about.what, outcome, site: about.site ?? null })
  }

  items(): ReportItem[] {
    if (this.#more === 0) return [...this.#items]
    const rest = { path: '/', what: `and ${this.#more} more`, outcome: 'left_out' as const, site: null }
    return [...this.#items, rest]
  }

  append(items: readonly ReportItem[]): void {
    for (const { outcome, path, what, site } of items) this.add(outcome, path, { what, site })
  }
}

/** Something that keeps a site from being taken over whole. */
export class NotMappable extends Error {
  override readonly name = 'NotMappable'
  readonly location: JsonLocation

  constructor(location: JsonLocation, what: string) {
    super(what)
    this.location = location
  }
}

/** Gives up on the site that is being read. */
export function giveUp(location: JsonLocation, what: string): never {
  throw new NotMappable(location, what)
}
