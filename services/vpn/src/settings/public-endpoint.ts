import { hostname, networkInterfaces } from 'node:os'
import { endpointReach, type EndpointReach } from './endpoint-reach.ts'
import { PublicEndpoint, type PublicEndpointState } from './schema.ts'

/** Where a host name or an address of this machine was found. */
export type EndpointSource = 'setting' | 'PUBLIC_ENDPOINT' | 'PUBLIC_URL' | 'request' | 'host name' | 'address'

/** A host devices may reach this machine by. */
export interface EndpointCandidate {
  readonly host: string
  readonly source: EndpointSource
  readonly reach: EndpointReach
}

/** What the public endpoint is decided from. */
export interface EndpointContext {
  /** `public_endpoint` of the settings; empty for none. */
  readonly setting: () => string
  /** The variable that names a host for devices. */
  readonly fixed: { readonly host: string; readonly source: 'PUBLIC_ENDPOINT' | 'PUBLIC_URL' } | undefined
  /** Names of the service's own interfaces, whose addresses no device reaches from outside. */
  readonly ownInterfaces: () => Promise<ReadonlySet<string>>
  /** Names and addresses of the machine; the system's by default. */
  readonly machine?: () => MachineNames
}

/** What the machine knows of itself. */
export interface MachineNames {
  readonly hostname: string
  readonly addresses: readonly { readonly link: string; readonly address: string }[]
}

/** Links of containers and virtual machines: no other machine reaches their addresses. */
const virtualLink = /^(docker|br-|veth|virbr|cni|flannel|cali|lxc|podman|vnet|tap)/

const maxCandidates = 12

/** Chooses the host of the `Endpoint` line: the setting, then the variables, then the host of the request. */
export function publicEndpointOf({ setting, fixed }: EndpointContext, requestHost: string): EndpointCandidate {
  const chosen = setting()
  if (chosen !== '') return candidate(chosen, 'setting')
  if (fixed !== undefined) return candidate(fixed.host, fixed.source)
  return candidate(plainHost(requestHost) ?? 'localhost', 'request')
}

/** Reads the host in use and everything else this machine may be reached by, the most useful first. */
export async function readPublicEndpoint(context: EndpointContext, requestHost: string): Promise<PublicEndpointState> {
  const inUse = publicEndpointOf(context, requestHost)
  const own = await context.ownInterfaces()
  const { hostname: name, addresses } = (context.machine ?? systemNames)()
  const known = [
    ...(context.fixed === undefined ? [] : [candidate(context.fixed.host, context.fixed.source)]),
    ...[plainHost(requestHost)].flatMap((host) => (host === undefined ? [] : [candidate(host, 'request')])),
    ...[plainHost(name)].flatMap((host) => (host === undefined ? [] : [candidate(host, 'host name')])),
    ...addresses
      .filter(({ link }) => !own.has(link) && !virtualLink.test(link))
      .map(({ address }) => candidate(address, 'address')),
  ]
  const useful = known.filter(({ reach }) => reach !== 'loopback')
  const distinct = [...new Map(useful.toReversed().map((each) => [each.host, each])).values()].toReversed()
  return {
    ...inUse,
    candidates: distinct.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxCandidates),
  }
}

const candidate = (host: string, source: EndpointSource): EndpointCandidate => ({
  host,
  source,
  reach: endpointReach(host),
})

/** What is reached from everywhere first; then what somebody wrote, then addresses before the bare name of the machine. */
function rank({ reach, source }: EndpointCandidate): number {
  const order: Record<EndpointSource, number> = {
    setting: 0,
    PUBLIC_ENDPOINT: 0,
    PUBLIC_URL: 1,
    request: 2,
    address: 3,
    'host name': 4,
  }
  return (reach === 'public' ? 0 : 10) + order[source]
}

/** The host of a request is text from outside; only a host name or an address goes into a file. */
function plainHost(host: string): string | undefined {
  const plain = host.replace(/^\[|\]$/g, '')
  return plain !== '' && PublicEndpoint.safeParse(plain).success ? plain : undefined
}

function systemNames(): MachineNames {
  const addresses = Object.entries(networkInterfaces()).flatMap(([link, entries = []]) =>
    entries.flatMap(({ address, internal }) =>
      internal || address.includes('%') || /^fe80:/i.test(address) ? [] : [{ link, address }],
    ),
  )
  return { hostname: hostname(), addresses }
}
