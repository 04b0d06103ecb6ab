import { totalDecisions } from '../dns/decision-counts.ts'
import { Shared } from '../dns/loops/shared-state.ts'
import type { Streams } from '../dns/tcp/streams.ts'
import type { DataThreadHost } from './data-thread-host.ts'
import type { ResolverState } from './messages.ts'
import type { UpstreamServers } from './upstream-servers.ts'

/** Parts of a resolver that know its state. */
export interface StatefulParts extends Omit<ResolverState, 'upstreams' | 'zoneServers' | 'cacheEntries' | Counted> {
  readonly data: DataThreadHost
  readonly servers: UpstreamServers
  /** Undefined until it answers over TCP. */
  readonly streams: Streams | undefined
}

type Counted = 'answered' | 'refused' | 'limited'

/** The state of a resolver, with what its threads have counted. */
export function resolverState({ data, servers, streams, ...known }: StatefulParts): ResolverState {
  const { words, decisions } = data.state
  return {
    ...known,
    upstreams: servers.states(data.state),
    zoneServers: servers.zoneStates(data.state),
    cacheEntries: words[Shared.cacheEntries]!,
    answered: totalDecisions(decisions, ...(streams === undefined ? [] : [streams.decisions])),
    refused: words[Shared.refused]!,
    limited: words[Shared.limited]!,
  }
}
