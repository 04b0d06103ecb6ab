import type { WatchReport } from '../hints/watch-report.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'
import type { DecisionTotals } from '../dns/decision-counts.ts'
import type { ExplainedMatch } from '../dns/policy/explain.ts'
import type { PrivateDnsState } from '../dns/private/state.ts'
import type { Verdict } from '../dns/policy/verdict.ts'
import type { Resolver } from './running-resolver.ts'

/** Clients that are new or changed, and the numbers of those that may no longer query. */
export interface ClientsChange {
  readonly set: readonly ResolverClient[]
  readonly removed: readonly number[]
}

/** A file that the resolver reads again when it is notified; `all` for every one but the lists, in force in one step. */
export type ChangedFile = 'settings' | 'clients' | 'profiles' | 'rules' | 'records' | 'zones' | 'private' | 'all'

/** A question about a name. */
export interface ExplainRequest {
  readonly domain: string
  /** The client's number; 0 for no one in particular. */
  readonly client: number
  /** True if the name is looked up, too. */
  readonly resolve: boolean
  /** DNS type of the question. */
  readonly qtype: number
}

/** Methods of the resolver that the service calls. */
export type ResolverCalls = Pick<
  Resolver,
  | 'changed'
  | 'changedClients'
  | 'changedLists'
  | 'changedTogether'
  | 'explain'
  | 'testUpstream'
  | 'purgeLog'
  | 'takeQueries'
  | 'clearCache'
>

/** A call of one of these methods; the answer has the same `id`. */
export interface ResolverCall {
  readonly type: 'call'
  readonly id: number
  readonly method: keyof ResolverCalls
  readonly args: readonly unknown[]
}

/** A message from the service to the resolver. */
export type ToResolver = ResolverCall | { readonly type: 'stop' }

/** Explanation of how a name would be answered. */
export interface Explanation {
  readonly verdict: Verdict
  /** The name that decided: the queried one, or the CNAME target that is blocked. */
  readonly name: string
  /** Number of the client's profile, and of the one that holds for it now; 0 for none. */
  readonly profile: { readonly number: number; readonly holds: number }
  /** In the order of precedence. */
  readonly matches: readonly ExplainedMatch[]
  /** CNAME targets of the queried name; empty when it was not resolved. */
  readonly cnames: readonly string[]
  /** The forwarded zone whose servers are queried; null for the upstreams of all names, or when none is queried. */
  readonly zone: string | null
  /** The server that answered; null when none was queried, or none did. */
  readonly server: string | null
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
  /** Time of the first failure since its last answer, milliseconds since the epoch; null for none. */
  readonly failingSince: number | null
  readonly lastError: string | null
}

/** State of a server of forwarded zones. */
export interface ZoneServerState extends UpstreamState {
  /** See `serverKey`. */
  readonly key: string
}

/** State of the resolver; sent every half second and after every change. */
export interface ResolverState {
  readonly engine: 'ffi' | 'dgram'
  readonly engineReason: string
  readonly listeners: readonly ListenerState[]
  readonly upstreams: readonly UpstreamState[]
  readonly zoneServers: readonly ZoneServerState[]
  /** Null when it was never switched on. */
  readonly privateDns: PrivateDnsState | null
  readonly cacheEntries: number
  readonly logLost: number
  readonly names: number
  readonly startedAt: number
  readonly answered: DecisionTotals
  /** Queries of unknown clients, and those beyond a client's limit; neither was answered. */
  readonly refused: number
  readonly limited: number
}

/** A message from the resolver to the service. */
export type FromResolver =
  /** It compiles lists before it answers, and does not hang; every half second. */
  | { readonly type: 'opening' }
  | { readonly type: 'ready' }
  | { readonly type: 'state'; readonly state: ResolverState }
  /** The call of that id is over: a change is in force for the next query. */
  | { readonly type: 'done'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  /** Some of the queries that were answered since, for live pages; every half second. */
  | { readonly type: 'queries'; readonly count: number }
  /** What the logged queries show; see `hints/query-watch.ts`. */
  | { readonly type: 'noticed'; readonly report: WatchReport }
