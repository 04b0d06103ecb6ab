import type { ClientsScope } from './peer-clients.ts'
import type { Database } from '@hearth/database'
import type { Clock, Log, Timers } from '@hearth/runtime'
import type { Listener, ResolverSettings } from '../dns/resolver-files.ts'
import type { RuleHits } from '../query-log/reading-thread.ts'
import type { Preview, PreviewRequest } from '../query-log/rule-preview.ts'
import type { Tables } from '../tables.ts'
import type { PeerPausesDependencies } from './pauses/pauses.ts'
import type { HostName } from './records/resolver-records.ts'
import type { Resolver } from './resolver-status.ts'

/** Dependencies of the service's side of the resolver. */
export interface FilteringDependencies extends Pick<PeerPausesDependencies, 'onPausesChanged'> {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Time by which profiles change. */
  readonly timers: Pick<Timers, 'after' | 'now'>
  readonly log: Log
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly resolver: Resolver
  readonly engine: ResolverSettings['engine']
  /** `DNS_LISTEN`. */
  readonly extraListeners: readonly Listener[]
  /** `DNS_LISTEN_CLIENT`, a peer's name. */
  readonly listenClient: string | undefined
  readonly fixedUpstreams: readonly string[] | undefined
  /** Without real tunnels there are no tunnel addresses to listen on. */
  readonly hasTunnels: boolean
  /** What the hints want to know of queries. */
  readonly watched: () => ResolverSettings['watched']
  /** Names of this host below the suffix of peers' names. */
  readonly hostNames?: () => Promise<readonly HostName[]>
  readonly hits: () => Promise<ReadonlyMap<number, RuleHits>>
  readonly preview: (request: Omit<PreviewRequest, 'now'>) => Promise<Preview>
  /** Called when a file of the resolver, or a peer that may query, is another now. */
  readonly onInputChanged?: (scope?: ClientsScope) => void
}
