import { domainToASCII } from 'node:url'
import type { Clock } from '@hearth/runtime'
import type { PageWish, QueryFilter } from './page-search.ts'
import type { LoggedQuery, RuleHits } from './reader-messages.ts'
import { ReadingThread, type ReadingLimits } from './reading-thread.ts'
import type { Preview, PreviewWish } from './rule-preview.ts'
import { bucketsOf, type Bucket, type Statistics } from './statistics.ts'

/** Milliseconds for which statistics are answered again as they were. */
const statisticsFreshMs = 2000
const defaultLimits: ReadingLimits = { idleMs: 60_000, answerMs: 10_000, waiting: 64 }

/** The query log, for reading. Everything rejects with `QueryLogUnavailable`; without a log everything is empty. */
export interface QueryLog {
  /** One page, newest first; `total` is exact and the same for every page of a filter. */
  list(filter: QueryFilter, page: PageWish): Promise<{ rows: LoggedQuery[]; total: number }>
  /** Queries that came after one (its id; 0 for all), newest first: for live pages, asked while somebody looks. */
  newest(after: number, limit: number): Promise<LoggedQuery[]>
  /** The last so many hours, the current one included; at most 2 s old. */
  statistics(hours: number, bucket: Bucket): Promise<Statistics>
  /** Returns the statistics of a log without entries. */
  noStatistics(hours: number, bucket: Bucket): Statistics
  /** One query by its id; undefined when it is not there any more. */
  find(id: number): Promise<LoggedQuery | undefined>
  /** The numbers of the peers that have or had this name, id or address; 0 is who is no peer (`unknown`). */
  clientsCalled(text: string): Promise<number[]>
  /** By number of the rule. */
  ruleHits(): Promise<Map<number, RuleHits>>
  /** Counts the queries of the last 24 hours that a rule would have changed. */
  preview(wish: Omit<PreviewWish, 'now'>): Promise<Preview>
  close(): Promise<void>
}

/** Reads the log at `file`, which another process writes. It need not be there. */
export function createQueryLog(parts: { file: string; clock: Clock; limits?: Partial<ReadingLimits> }): QueryLog {
  const { clock } = parts
  const thread = new ReadingThread(parts.file, { ...defaultLimits, ...parts.limits })
  const kept = new Map<string, { at: number; statistics: Promise<Statistics> }>()

  async function count(hours: number, bucket: Bucket): Promise<Statistics> {
    const period = { hours, bucket, now: clock.now() }
    return (await thread.ask('statistics', period)) ?? noStatistics(period)
  }

  return {
    list: async (filter, page) =>
      (await thread.ask('list', { filter: { ...filter, domain: domainPart(filter.domain) }, page })) ?? {
        rows: [],
        total: 0,
      },
    newest: async (after, limit) => (await thread.ask('newest', { after, limit })) ?? [],
    statistics(hours, bucket) {
      const key = `${hours} ${bucket}`
      const known = kept.get(key)
      if (known !== undefined && clock.monotonic() - known.at < statisticsFreshMs) return known.statistics
      const statistics = count(hours, bucket)
      // There are few periods people ask for; whoever tries them all does not fill the memory.
      if (kept.size > 16) kept.clear()
      kept.set(key, { at: clock.monotonic(), statistics })
      statistics.catch(() => kept.delete(key))
      return statistics
    },
    noStatistics: (hours, bucket) => noStatistics({ hours, bucket, now: clock.now() }),
    async find(id) {
      const page = await thread.ask('list', { filter: {}, page: { limit: 1, offset: 0, before: id + 1 } })
      return page?.rows.find((row) => row.id === id)
    },
    clientsCalled: async (text) => (await thread.ask('clients', text)) ?? [],
    ruleHits: async () => new Map(((await thread.ask('hits', null)) ?? []).map((hits) => [hits.rule, hits])),
    preview: async (wish) =>
      (await thread.ask('preview', { ...wish, now: clock.now() })) ?? { changed: 0, matching: 0, clients: [] },
    close: () => thread.close(),
  }
}

function noStatistics(period: { hours: number; bucket: Bucket; now: number }): Statistics {
  const { start, width, count } = bucketsOf(period)
  const nothing = { total: 0, blocked: 0, cached: 0, uniqueDomains: 0, uniqueClients: 0, averageMs: 0 }
  const empty = { topDomains: [], topBlocked: [], topClients: [], types: [] }
  const series = Array.from({ length: count }, (_, index) => ({ time: start + index * width, total: 0, blocked: 0 }))
  return { ...nothing, ...empty, series }
}

/** As names stand in the log: lower case, and letters beyond ASCII in punycode, which works for whole labels only. */
function domainPart(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const lower = text.toLowerCase()
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(lower) ? lower : domainToASCII(lower) || lower
}
