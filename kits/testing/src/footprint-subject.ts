import type { Visitor } from './visitor.ts'

/** What a service brings to the measurement of its memory and its start: `npm run bench -- footprint`. */
export interface FootprintSubject {
  readonly service: string
  /** Limits of the memory of the fresh service and of the process beside it, shared pages counted in equal parts, MiB. */
  readonly limits: { readonly service: number; readonly resolver?: number }
  /** Settings beside the data directory and the port. */
  readonly environment: Readonly<Record<string, string>>
  /** A path that answers everybody. */
  readonly liveness: string
  /** A process beside the service whose time to the first answer is measured by itself. */
  readonly beside?: {
    readonly name: string
    /** Limit of the median, milliseconds. */
    readonly limitMs: number
    /** Times of so many warm starts on one core, milliseconds. */
    timeStarts(core: number, rounds: number): Promise<number[]>
  }
  /** Signs the first administrator in. */
  signIn(visitor: Visitor, folder: string): Promise<void>
  /** How often a person's pages and a scraper ask for a path in an hour. */
  readonly hour: Readonly<Record<string, number>>
  /** The large data of a service that was installed long ago. */
  readonly large?: {
    /** Words of the table: `10,000 peers`. */
    readonly name: string
    /** Limit of resident memory, MiB; above that of the fresh service when `isAboveIdle`. */
    readonly limit?: { readonly rss: number; readonly isAboveIdle: boolean }
    /** Puts it into the data directory of a service that does not run. */
    fill(folder: string): Promise<void>
  }
}
