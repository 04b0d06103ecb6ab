import type { PageRequest, QueryFilter } from './page-search.ts'
import type { Preview, PreviewRequest } from './rule-preview.ts'
import type { Period, Statistics } from './statistics.ts'

/** One query of the log. */
export interface LoggedQuery {
  /** Grows with each query. */
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly domain: string
  /** The peer's number; 0 for who is none. */
  readonly client: number
  /** The peer, in its last form when it is gone; null for a client that is none. */
  readonly peer: { readonly id: string; readonly name: string; readonly address: string | null } | null
  /** These are numbers as in `dns/policy/verdict.ts`. */
  readonly status: number
  readonly reason: number
  readonly source: number
  readonly traits: number
  readonly rcode: number
  readonly type: number
  readonly upstream: string | null
  readonly micros: number
}

/** Hits of a rule. */
export interface RuleHits {
  readonly rule: number
  readonly hits: number
  /** Milliseconds since the epoch. */
  readonly lastAt: number
}

/** Requests to the reader, with their answers. */
export interface Questions {
  list: [{ readonly filter: QueryFilter; readonly page: PageRequest }, { rows: LoggedQuery[]; total: number }]
  statistics: [Period, Statistics]
  hits: [null, RuleHits[]]
  /** Clients that have or had a name, id or address. */
  clients: [string, number[]]
  preview: [PreviewRequest, Preview]
}
export type QuestionKind = keyof Questions

export type ToReader = {
  [K in QuestionKind]: { readonly id: number; readonly kind: K; readonly question: Questions[K][0] }
}[QuestionKind]

/** `answer` is undefined when there is no log. */
export interface FromReader {
  readonly id: number
  readonly answer?: unknown
  readonly error?: string
}
