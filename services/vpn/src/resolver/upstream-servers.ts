import type { DataConfig, DataUpstream } from '../dns/loops/data-config.ts'
import { FailureCode, Figure, maxServers, maxZoneServers, type SharedState } from '../dns/loops/shared-state.ts'
import { type Bridge, openBridge } from '../dns/upstream/bridge.ts'
import { createRelay, type Relay, type RelayOptions } from '../dns/upstream/relay.ts'
import { labelOf } from '../dns/upstream/upstream-text.ts'
import type { UpstreamState, ZoneServerState } from './messages.ts'
import type { Upstream } from '../dns/resolver-files.ts'
import { serverKey } from './zones-in-force.ts'

/** How the data thread is to query the servers. */
export type ServersConfig = Pick<DataConfig, 'upstreams' | 'groups'>

const portsToServers = 8
const portsToBridges = 2
/** Servers of zones may be many, and each takes sockets. */
const portsToZoneServers = 3
const portsToZoneBridges = 1
const attemptMs = 2000
const deadlineMs = 4000

interface Server {
  readonly upstream: Upstream
  readonly relay: Relay
  readonly bridge: Bridge
  /** Stands for it in the log. */
  readonly number: number
  lastError: string | null
}

/**
 * The upstream servers, as the control thread has them: a relay and a bridge for each. What speaks UDP is queried by the data thread
 * itself, and by the bridge where an answer does not fit; everything else only by the bridge.
 */
export class UpstreamServers {
  readonly #options: RelayOptions
  /** Those for all names first. */
  #servers: readonly Server[] = []
  /** Number of those for all names. */
  #general = 0
  /** Places of servers, see `DataConfig`. */
  #groups: readonly (readonly number[])[] = [[]]
  #left: readonly Server[] = []
  /** By number, from 1, also of servers that are gone: entries on their way to the log name those. */
  readonly #labels: string[] = []

  constructor(options: RelayOptions) {
    this.#options = options
  }

  /**
   * Opens what is new, for all names and for the zones of each group, and says how the data thread is to query them. What is
   * left over is closed by `closeLeft`.
   */
  async apply(upstreams: readonly Upstream[], zones: readonly (readonly Upstream[])[] = []): Promise<ServersConfig> {
    const known = new Map(this.#servers.map((server) => [serverKey(server.upstream), server]))
    const next = new Map<string, Server>()
    const use = async (upstream: Upstream) => {
      const key = serverKey(upstream)
      if (!next.has(key)) next.set(key, known.get(key) ?? (await this.#open(upstream)))
    }
    for (const upstream of upstreams.slice(0, maxServers)) await use(upstream)
    const general = next.size
    for (const upstream of zones.flat()) {
      if (next.size < general + maxZoneServers || next.has(serverKey(upstream))) await use(upstream)
    }
    const servers = [...next.values()]
    const keys = [...next.keys()]
    const placesOf = (some: readonly Upstream[]) =>
      some.map((upstream) => keys.indexOf(serverKey(upstream))).filter((place) => place >= 0)
    const groups = [[...keys.keys()].slice(0, general), ...zones.map(placesOf)]
    const made = dataUpstreams(servers, general, this.#servers)
    this.#left = [...this.#left, ...this.#servers.filter((server) => !servers.includes(server))]
    this.#servers = servers
    this.#general = general
    this.#groups = groups
    return { upstreams: made, groups }
  }

  /** Closes the servers the last `apply` left out, once the data thread no longer queries them. */
  closeLeft(): void {
    for (const { bridge } of this.#left) bridge.close()
    this.#left = []
  }

  /**
   * Queries the servers of a group by stream, one after the other, until an answer `isGood`. Returns it with the
   * number and the label of the server that gave it; rejects when none came within 4 s.
   */
  readonly query = async (query: Uint8Array, isGood: (answer: Uint8Array) => boolean, group: number) => {
    const deadline = performance.now() + deadlineMs
    let failure = new Error('there is no upstream server')
    // Taken down at once: a name of a zone goes to no server that has its place later.
    const members = (this.#groups[group] ?? []).flatMap((place) => this.#servers[place] ?? [])
    for (const { number, relay, upstream } of [...members, ...members]) {
      const timeout = Math.min(attemptMs, deadline - performance.now())
      if (timeout <= 0) break
      try {
        const answer = await relay.query(query, timeout)
        if (isGood(answer)) return { answer, server: number, label: labelOf(upstream) }
      } catch (error) {
        failure = error as Error
      }
    }
    throw failure
  }

  /** The names the log knows them by, in the order of their numbers. */
  labels(): readonly string[] {
    return [...this.#labels]
  }

  /** The servers for all names. */
  states(state: SharedState): readonly UpstreamState[] {
    return this.#states(state).slice(0, this.#general)
  }

  /** The servers of zones, also those that are queried for all names. */
  zoneStates(state: SharedState): readonly ZoneServerState[] {
    const places = new Set(this.#groups.slice(1).flat())
    return this.#states(state)
      .map((state, place) => Object.assign(state, { key: serverKey(this.#servers[place]!.upstream) }))
      .filter((_, place) => places.has(place))
  }

  #states({ figures }: SharedState): readonly UpstreamState[] {
    return this.#servers.map((server, index) =>
      stateOf(server, figures.subarray(index * Figure.count, (index + 1) * Figure.count)),
    )
  }

  close(): void {
    this.closeLeft()
    for (const { bridge } of this.#servers) bridge.close()
    this.#servers = []
  }

  #numberOf(label: string): number {
    const known = this.#labels.indexOf(label)
    return known < 0 ? this.#labels.push(label) : known + 1
  }

  async #open(upstream: Upstream): Promise<Server> {
    const relay = await createRelay(upstream, this.#options)
    const bridge = await openBridge(relay, (error) => (server.lastError = error?.message ?? null))
    const server: Server = { upstream, relay, bridge, number: this.#numberOf(labelOf(upstream)), lastError: null }
    return server
  }
}

const isQueriedByUdp = ({ protocol }: Upstream): boolean => protocol === 'udp'

/** First the servers themselves, in their order, `general` of them for all names; then the bridges that query those of UDP by TCP. */
function dataUpstreams(servers: readonly Server[], general: number, former: readonly Server[]): DataUpstream[] {
  const fallbacks: DataUpstream[] = []
  const own = servers.map((server, place): DataUpstream => {
    const { upstream, bridge } = server
    const isGeneral = place < general
    const behind = {
      endpoint: { address: '127.0.0.1', port: bridge.port },
      ports: isGeneral ? portsToBridges : portsToZoneBridges,
      byStream: -1,
      isBridge: true,
      number: server.number,
    }
    const before = former.indexOf(server)
    if (!isQueriedByUdp(upstream)) return { ...behind, isFallback: false, before }
    fallbacks.push({ ...behind, isFallback: true, before: -1 })
    const byStream = servers.length + fallbacks.length - 1
    const endpoint = { address: upstream.address ?? '', port: upstream.port }
    const ports = isGeneral ? portsToServers : portsToZoneServers
    return { ...behind, endpoint, ports, byStream, isBridge: false, isFallback: false, before }
  })
  return [...own, ...fallbacks]
}

function stateOf({ upstream, lastError }: Server, figures: Float64Array): UpstreamState {
  const average = figures[Figure.average]!
  const isHealthy = figures[Figure.isDown] === 0
  return {
    label: labelOf(upstream),
    queries: figures[Figure.queries]!,
    failures: figures[Figure.failures]!,
    averageMs: average === 0 ? null : Math.round(average * 100) / 100,
    isHealthy,
    failingSince: figures[Figure.failingSince] === 0 ? null : Math.round(figures[Figure.failingSince]!),
    lastError: (upstream.protocol === 'udp' ? null : lastError) ?? failureText(figures),
  }
}

/** Returns the last failure since the last answer. */
function failureText(figures: Float64Array): string | null {
  if (figures[Figure.streak] === 0 && figures[Figure.isDown] === 0) return null
  const code = figures[Figure.lastFailure]
  if (code === FailureCode.silent) return 'no answer in time'
  if (code === FailureCode.unreachable) return 'out of reach'
  return code === FailureCode.refused ? 'refuses to answer' : null
}
