import { isIPv6 } from 'node:net'
import type { ServerEnd } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import { knownServices, type KnownService, type ServiceName } from './known-services.ts'
import type { ConfiguredService } from './neighbour-settings.ts'
import { readHealth } from './read-health.ts'
import type { Neighbour, NeighbourList } from './schema.ts'

/** The visitor's side of a request, as far as an address to open depends on it. */
export interface Visitor {
  /** Host name or address that the visitor used. */
  readonly host: string
  /** Origin that the visitor used. */
  readonly origin: string
  /** Where the visitor connected without a proxy. */
  readonly connectedTo: ServerEnd | undefined
}

/** Dependencies of `createNeighbours`. */
export interface NeighbourDependencies {
  /** The service that looks for the others. */
  readonly service: ServiceName
  /** Services of the settings; undefined to find those of this machine. */
  readonly configured: readonly ConfiguredService[] | undefined
  readonly clock: Pick<Clock, 'monotonic'>
  /** The other services; tests name theirs. */
  readonly known?: readonly KnownService[]
  /** Time that a service has for an answer, milliseconds; 1500 when left out. */
  readonly timeLimit?: number
}

/** Lists the other services that a visitor can open. */
export type ListNeighbours = (visitor: Visitor) => Promise<NeighbourList>

/** Time that a state counts as current, milliseconds. */
const currentFor = 10_000

/** States that are kept: a machine may be reached at several of its addresses. */
const maxStates = 32

type Found = Pick<Neighbour, 'state' | 'portal'>

/** A service at one address, and the address that its visitor opens. */
interface Candidate {
  readonly service: KnownService
  readonly checked: string
  readonly address: string
}

/**
 * Creates the list of the other services of the installation. Services of the settings come with their address. Others are found
 * at their default ports, at the address of this machine that the visitor connected to; one behind a proxy finds none, because
 * only the proxy reaches them. Addresses of loopback are for visitors on loopback.
 */
export function createNeighbours(dependencies: NeighbourDependencies): ListNeighbours {
  const { service, configured, clock, known = knownServices, timeLimit = 1500 } = dependencies
  const others = known.filter(({ name }) => name !== service)
  const states = new Map<string, { readonly at: number; readonly found: Promise<Found | undefined> }>()

  function find(candidate: Candidate): Promise<Found | undefined> {
    const { checked } = candidate
    const cached = states.get(checked)
    if (cached !== undefined && clock.monotonic() - cached.at < currentFor) return cached.found
    const found = checkService(candidate, { isExpected: configured !== undefined, timeLimit })
    states.delete(checked)
    states.set(checked, { at: clock.monotonic(), found })
    const [oldest] = states.keys()
    if (states.size > maxStates && oldest !== undefined) states.delete(oldest)
    return found
  }

  return async (visitor) => {
    const candidates = configured === undefined ? findHere(others, visitor) : choose(others, configured, visitor)
    const services = await Promise.all(
      candidates.map(async (candidate): Promise<Neighbour[]> => {
        const found = await find(candidate)
        return found === undefined ? [] : [{ service: candidate.service.name, address: candidate.address, ...found }]
      }),
    )
    return { services: services.flat() }
  }
}

/** The services of the settings whose address the visitor can open. */
function choose(
  others: readonly KnownService[],
  configured: readonly ConfiguredService[],
  visitor: Visitor,
): readonly Candidate[] {
  return others.flatMap((service) => {
    const named = configured.find(({ name }) => name === service.name)
    if (named === undefined) return []
    const isReachable = isLoopback(visitor.host) || !isLoopback(new URL(named.address).hostname)
    return isReachable ? [{ service, checked: named.checked, address: named.address }] : []
  })
}

/** Services at their default ports of the address that the visitor connected to. */
function findHere(others: readonly KnownService[], { origin, connectedTo }: Visitor): readonly Candidate[] {
  if (connectedTo === undefined || !URL.canParse(origin)) return []
  const used = new URL(origin)
  // Another port or https means that something between forwards to this service, and not necessarily to others.
  if (used.protocol !== 'http:' || Number(used.port || 80) !== connectedTo.port) return []
  const host = isIPv6(connectedTo.address) ? `[${connectedTo.address}]` : connectedTo.address
  return others.map((service) => {
    used.port = String(service.port)
    return { service, checked: `http://${host}:${service.port}`, address: used.origin }
  })
}

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/**
 * Reads the state of a service; undefined when it does not answer as that service does. Where the settings name the address, an
 * answer of 503 is enough, because nothing else is expected there.
 */
async function checkService(
  { service, checked }: Candidate,
  { isExpected, timeLimit }: { isExpected: boolean; timeLimit: number },
): Promise<Found | undefined> {
  const { name, health, ready } = service
  const base = checked.replace(/\/+$/, '')
  const answer = await readHealth(`${base}${health}`, timeLimit)
  const portal = name === 'sites' ? (answer?.portal ?? null) : null
  if (answer?.status === 503 && isExpected) return { state: 'not_ready', portal }
  if (answer?.status !== 200 || answer.service !== name) return undefined
  const isReady = ready === undefined || (await readHealth(`${base}${ready}`, timeLimit))?.status !== 503
  return { state: isReady ? 'running' : 'not_ready', portal }
}
