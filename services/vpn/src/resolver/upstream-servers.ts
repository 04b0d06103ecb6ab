import type { DataUpstream } from '../dns/loops/data-config.ts'
import { FailureCode, Figure, maxUpstreams, type SharedState } from '../dns/loops/shared-state.ts'
import { type Bridge, openBridge } from '../dns/upstream/bridge.ts'
import { createRelay, type Relay, type RelayOptions } from '../dns/upstream/relay.ts'
import { labelOf } from '../dns/upstream/upstream-text.ts'
import type { UpstreamState } from './messages.ts'
import type { Upstream } from '../dns/resolver-files.ts'

/** Maximum number of upstreams with their bridges; the data thread knows no more. */
const maxServers = maxUpstreams / 2
const portsToServers = 8
const portsToBridges = 2
const attemptMs = 2000
const deadlineMs = 4000

interface Server {
  readonly upstream: Upstream
  readonly relay: Relay
  readonly bridge: Bridge
  lastError: string | null
}

/**
 * The upstream servers, as the control thread has them: a relay and a bridge for each. What speaks UDP is queried by the data thread
 * itself, and by the bridge where an answer does not fit; everything else only by the bridge.
 */
export class UpstreamServers {
  readonly #options: RelayOptions
  #servers: readonly Server[] = []
  #left: readonly Server[] = []

  constructor(options: RelayOptions) {
    this.#options = options
  }

  /** Opens what is new, and says how the data thread is to query them. What is left over is closed by `closeLeft`. */
  async apply(upstreams: readonly Upstream[]): Promise<readonly DataUpstream[]> {
    const known = new Map(this.#servers.map((server) => [keyOf(server.upstream), server]))
    const next: Server[] = []
    for (const upstream of upstreams.slice(0, maxServers)) {
      next.push(known.get(keyOf(upstream)) ?? (await this.#open(upstream)))
    }
    this.#left = [...this.#left, ...this.#servers.filter((server) => !next.includes(server))]
    this.#servers = next
    return dataUpstreams(next)
  }

  /** Closes the servers the last `apply` left out, once the data thread no longer queries them. */
  closeLeft(): void {
    for (const { bridge } of this.#left) bridge.close()
    this.#left = []
  }

  /**
   * Queries by stream, one server after the other, until an answer `isGood`. Returns it with the place of the server that gave
   * it; rejects when none came within 4 s.
   */
  async query(query: Uint8Array, isGood: (answer: Uint8Array) => boolean) {
    const deadline = performance.now() + deadlineMs
    let failure = new Error('there is no upstream server')
    for (const [upstream, { relay }] of [...this.#servers.entries(), ...this.#servers.entries()]) {
      const timeout = Math.min(attemptMs, deadline - performance.now())
      if (timeout <= 0) break
      try {
        const answer = await relay.query(query, timeout)
        if (isGood(answer)) return { answer, upstream }
      } catch (error) {
        failure = error as Error
      }
    }
    throw failure
  }

  /** The names the log knows them by, in the order of what `apply` returned. */
  labels(): readonly string[] {
    const byStream = this.#servers.filter(({ upstream }) => isQueriedByUdp(upstream))
    return [...this.#servers, ...byStream].map(({ upstream }) => labelOf(upstream))
  }

  states({ figures }: SharedState): readonly UpstreamState[] {
    return this.#servers.map((server, index) =>
      stateOf(server, figures.subarray(index * Figure.count, (index + 1) * Figure.count)),
    )
  }

  close(): void {
    this.closeLeft()
    for (const { bridge } of this.#servers) bridge.close()
    this.#servers = []
  }

  async #open(upstream: Upstream): Promise<Server> {
    const relay = await createRelay(upstream, this.#options)
    const bridge = await openBridge(relay, (error) => (server.lastError = error?.message ?? null))
    const server: Server = { upstream, relay, bridge, lastError: null }
    return server
  }
}

const isQueriedByUdp = ({ protocol }: Upstream): boolean => protocol === 'udp'

/** First the servers themselves, in their order; then the bridges that query those of UDP by TCP. */
function dataUpstreams(servers: readonly Server[]): DataUpstream[] {
  const fallbacks: DataUpstream[] = []
  const own = servers.map(({ upstream, bridge }): DataUpstream => {
    const behind = {
      endpoint: { address: '127.0.0.1', port: bridge.port },
      ports: portsToBridges,
      byStream: -1,
      isBridge: true,
    }
    if (!isQueriedByUdp(upstream)) return { ...behind, isFallback: false }
    fallbacks.push({ ...behind, isFallback: true })
    const byStream = servers.length + fallbacks.length - 1
    const endpoint = { address: upstream.address ?? '', port: upstream.port }
    return { endpoint, ports: portsToServers, byStream, isBridge: false, isFallback: false }
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

const keyOf = ({ protocol, address, port, name, path }: Upstream): string =>
  [protocol, address, port, name, path].join(' ')
