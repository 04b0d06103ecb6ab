import type { EngineSettings } from '../engine-settings.ts'
import type { CacheTransferRequest } from './cache-transfer.ts'
import type { PolicyMemory } from '../policy/policy.ts'
import type { Endpoint } from '../sockets/open-socket.ts'

/** An address the data thread answers at. */
export interface DataListener {
  /** Stands for the listener as long as it exists; below 4096. */
  readonly number: number
  readonly endpoint: Endpoint
  /** True for a tunnel: only its clients are answered, within the rate limit. */
  readonly isTunnel: boolean
  /** The open socket, which stays the control thread's; -1 when the data thread opens its own. */
  readonly descriptor: number
}

/** A server the data thread queries. For it all of them speak UDP: those that do not are behind a bridge on loopback. */
export interface DataUpstream {
  readonly endpoint: Endpoint
  /** Number of source ports, used in turn. */
  readonly ports: number
  /** Place of the bridge that queries the same server by TCP when an answer does not fit; -1 for none. */
  readonly byStream: number
  /** Behind a bridge, which says so when its server cannot be queried. */
  readonly isBridge: boolean
  /** True if it is only queried in the place of another. */
  readonly isFallback: boolean
  /** Its place among the upstreams before the last change; -1 for a new one. */
  readonly before: number
  /** Stands for its server in the log, from 1; never another server's. */
  readonly number: number
}

/** Configuration of the data thread. Goes from thread to thread: plain data and shared memory. */
export interface DataConfig {
  readonly policy: PolicyMemory
  readonly engine: EngineSettings
  /** Answers. */
  readonly cacheSize: number
  readonly listeners: readonly DataListener[]
  /** At most `maxUpstreams`. */
  readonly upstreams: readonly DataUpstream[]
  /** Places of upstreams in the order of preference: first those for all names, then those of forwarded zones. */
  readonly groups: readonly (readonly number[])[]
  /** Client at listeners that are no tunnel's; 0: by their source, or no one. */
  readonly listenClient: number
  /** Queries a second and client at tunnels; 0 for no limit. */
  readonly clientRateLimit: number
  readonly queryLog: 'all' | 'blocked' | 'none'
  readonly anonymizeClients: boolean
}

/** Changes of the configuration; only the members that are there. Counted: the thread reads its port when the count moved. */
export type DataUpdate = Partial<DataConfig> & {
  /** The policy's table of clients alone. */
  readonly clients?: SharedArrayBuffer
  /** The policy's names of peers alone. */
  readonly peerNames?: SharedArrayBuffer
  /** The policy's table of profiles alone. */
  readonly profiles?: SharedArrayBuffer
  readonly clearCache?: boolean
  readonly cacheTransfer?: CacheTransferRequest
  readonly stop?: boolean
}

/** Returns the configuration with changes applied. */
export function withUpdate(
  config: DataConfig,
  { clients, peerNames, profiles, cacheTransfer: _transfer, ...update }: DataUpdate,
): DataConfig {
  const next = { ...config, ...update }
  if (clients === undefined && peerNames === undefined && profiles === undefined) return next
  const { policy } = next
  return {
    ...next,
    policy: {
      ...policy,
      clients: clients ?? policy.clients,
      peerNames: peerNames ?? policy.peerNames,
      profiles: profiles ?? policy.profiles,
    },
  }
}

/** Start configuration of the data thread. */
export interface DataSetup {
  readonly mode: 'ffi' | 'dgram'
  readonly config: DataConfig
  /** The updates that are in this config already. */
  readonly generation: number
  readonly shared: SharedArrayBuffer
  readonly ring: SharedArrayBuffer
}

/** A note of the data thread, when it opens its listeners itself. */
export interface ListenerNote {
  readonly type: 'listener'
  readonly number: number
  readonly error: string | null
}
