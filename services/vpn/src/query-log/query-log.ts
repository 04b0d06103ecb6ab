import { domainToASCII } from 'node:url'
import type { Clock } from '@hearth/runtime'
import type { PageRequest, QueryFilter } from './page-search.ts'
import { type LoggedQuery, ReadingThread, type ReadingLimits, type RuleHits } from './reading-thread.ts'
import type { Preview, PreviewRequest } from './rule-preview.ts'
import { bucketsOf, type Bucket, type Statistics } from './statistics.ts'

/** Milliseconds for which statistics are answered again as they were. */
const statisticsFreshMs = 2000
const defaultLimits: ReadingLimits = { idleMs: 60_000, answerMs: 10_000, waiting: 64 }

/**
 * The query log at a file, which another process writes; the file may be missing. Everything rejects with
 * `QueryLogUnavailable`; without a log everything is empty.
 */
export class QueryLog {
  readonly #clock: Clock
  readonly #thread: ReadingThread
  readonly #kept = new Map<string, { at: number; statistics: Promise<Statistics> }>()

  constructor({ file, clock, limits }: { file: string; clock: Clock; limits?: Partial<ReadingLimits> }) {
    this.#clock = clock
    this.#thread = new ReadingThread(file, { ...defaultLimits, ...limits })
  }

  /** One page, newest first; `total` is exact and the same for every page of a filter. */
  async list(filter: QueryFilter, page: PageRequest): Promise<{ rows: LoggedQuery[]; total: number }> {
    const asStored = { ...filter, domain: domainPart(filter.domain) }
    return (await this.#thread.request('list', { filter: asStored, page })) ?? { rows: [], total: 0 }
  }

  /** Statistics of the last hours, the current one included; at most 2 s old. */
  statistics(hours: number, bucket: Bucket): Promise<Statistics> {
    const key = `${hours} ${bucket}`
    const known = this.#kept.get(key)
    if (known !== undefined && this.#clock.monotonic() - known.at < statisticsFreshMs) return known.statistics
    const statistics = this.#count(hours, bucket)
    // Pages use few periods; this bounds the memory when a client requests all of them.
    if (this.#kept.size > 16) this.#kept.clear()
    this.#kept.set(key, { at: this.#clock.monotonic(), statistics })
    statistics.catch(() => this.#kept.delete(key))
    return statistics
  }

  /** Returns the statistics of a log without entries. */
  noStatistics(hours: number, bucket: Bucket): Statistics {
    return noStatistics({ hours, bucket, now: this.#clock.now() })
  }

  /** The numbers of the peers that have or had this name, id or address; 0 stands for clients that are no peers (`unknown`). */
  async clientsCalled(text: string): Promise<number[]> {
    return (await this.#thread.request('clients', text)) ?? []
  }

  /** Reads the hits of all rules, by rule number. */
  async ruleHits(): Promise<Map<number, RuleHits>> {
    return new Map(((await this.#thread.request('hits', null)) ?? []).map((hits) => [hits.rule, hits]))
  }

  /** Counts the queries of the last 24 hours that a rule would have changed. */
  async preview(request: Omit<PreviewRequest, 'now'>): Promise<Preview> {
    const preview = await this.#thread.request('preview', { ...request, now: this.#clock.now() })
    return preview ?? { changed: 0, matching: 0, clients: [] }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #count(hours: number, bucket: Bucket): Promise<Statistics> {
    const period = { hours, bucket, now: this.#clock.now() }
    return (await this.#thread.request('statistics', period)) ?? noStatistics(period)
  }
}

function noStatistics(period: { hours: number; bucket: Bucket; now: number }): Statistics {
  const { start, width, count } = bucketsOf(period)
  const nothing = { total: 0, blocked: 0, cached: 0, uniqueDomains: 0, uniqueClients: 0, averageMs: 0 }
  const empty = { topDomains: [], topBlocked: [], topClients: [], types: [] }
  const series = Array.from({ length: count }, (_, index) => ({ time: start + index * width, total: 0, blocked: 0 }))
  return { ...nothing, ...empty, series }
}

/** Converts a name to its form in the log: lower case, and letters beyond ASCII in punycode, which works for whole labels only. */
function domainPart(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const lower = text.toLowerCase()
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(lower) ? lower : domainToASCII(lower) || lower
}
