import type { ResolverClient } from './resolver-files.ts'
import type { ExplainedMatch } from '../policy/explain.ts'
import type { Verdict } from '../policy/verdict.ts'

/** Report of a compiled list: its entries, comments and unsupported lines. */
export interface ListReport {
  readonly id: string
  readonly lines: number
  /** Lines that count; `lines` = `accepted` + `comments` + all of `unsupported`. */
  readonly accepted: number
  /** Comments, blank lines, and those about the machine itself, such as `127.0.0.1 localhost`. */
  readonly comments: number
  /** Different names and patterns the list says something of. */
  readonly entries: number
  /** Lines that mean nothing to a resolver, by reason. */
  readonly unsupported: Readonly<Record<string, number>>
  /** A few of them, to look at. */
  readonly examples: readonly { readonly line: number; readonly text: string; readonly reason: string }[]
}

/** Clients that are new or changed, as they are now, and the numbers of those that may not ask any more. */
export interface ClientsChange {
  readonly set: readonly ResolverClient[]
  readonly removed: readonly number[]
}

/** A question about a name. */
export interface ExplainRequest {
  readonly domain: string
  /** The client's number; 0 for nobody in particular. */
  readonly client: number
  /** True if the name is looked up, too. */
  readonly resolve: boolean
  /** DNS type of the question. */
  readonly qtype: number
}

/** From the service to the resolver. `id` comes back with the answer. */
export type ToResolver =
  | { readonly type: 'changed'; readonly id: number; readonly file: 'settings' | 'clients' | 'rules' | 'lists' }
  | ({ readonly type: 'clients'; readonly id: number } & ClientsChange)
  | ({ readonly type: 'explain'; readonly id: number } & ExplainRequest)
  | { readonly type: 'ask-upstream'; readonly id: number; readonly upstream: string }
  | { readonly type: 'purge-log'; readonly id: number; readonly before: number; readonly client: number | null }
  | { readonly type: 'clear-cache'; readonly id: number }
  | { readonly type: 'stop' }

/** Explanation of how a name would be answered. */
export interface Explanation {
  readonly verdict: Verdict
  /** The name that decided: the asked one, or the CNAME target that is blocked. */
  readonly name: string
  /** In the order of precedence. */
  readonly matches: readonly ExplainedMatch[]
  /** The names the asked one leads to; empty when it was not resolved. */
  readonly cnames: readonly string[]
}

/** State of a listening address. */
export interface ListenerState {
  readonly address: string
  readonly port: number
  /** Error that keeps it from listening; null when it listens. */
  readonly error: string | null
}

/** State of an upstream. */
export interface UpstreamState {
  readonly label: string
  /** Queries sent to it; one that is sent again counts again. */
  readonly queries: number
  /** Number of them without an answer, or with a refusal. */
  readonly failures: number
  /** Smoothed, milliseconds; null before the first answer. */
  readonly averageMs: number | null
  readonly isHealthy: boolean
  readonly lastError: string | null
}

/** State of the resolver; sent every half second and after every change. */
export interface ResolverState {
  readonly engine: 'ffi' | 'dgram'
  readonly engineReason: string
  readonly listeners: readonly ListenerState[]
  readonly upstreams: readonly UpstreamState[]
  readonly cacheEntries: number
  readonly logLost: number
  readonly names: number
  readonly startedAt: number
}

/** From the resolver to the service. */
export type FromResolver =
  | { readonly type: 'ready' }
  | { readonly type: 'state'; readonly state: ResolverState }
  /** The change of that id is in force for the next query. */
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | {
      readonly type: 'lists'
      readonly id: number
      readonly reports: readonly ListReport[]
      readonly names: number
      readonly durationMs: number
    }
  | { readonly type: 'explanation'; readonly id: number; readonly explanation: Explanation }
  | { readonly type: 'asked'; readonly id: number; readonly ms: number }
  /** Some of the queries that were answered since, for live pages; every half second. */
  | { readonly type: 'queries'; readonly count: number }
