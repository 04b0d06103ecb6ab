import { hostname, networkInterfaces } from 'node:os'
import { BlockList, isIP } from 'node:net'
import { isPublicAddress } from '@hearth/outbound'
import { PublicEndpoint, type PublicEndpointState } from './schema.ts'

/** A host under which devices may reach this machine. */
type EndpointCandidate = PublicEndpointState['candidates'][number]
type EndpointSource = EndpointCandidate['source']

/** Facts that decide the public endpoint. */
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

/** Names and addresses of this machine. */
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

/** Order of candidates: public ones first, then configured ones, then addresses before the host name. */
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

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('0.0.0.0', 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addAddress('::', 'ipv6')

/** Domains that only the network at home knows (RFC 6762, RFC 8375, and what routers and Docker use). */
const localDomain = /(^|\.)(local|lan|home|internal|intranet|private|home\.arpa|test|example|invalid)$/i

/** Reach of a host name or an address without port. A name is judged by its form; it is not looked up. */
export function endpointReach(host: string): EndpointCandidate['reach'] {
  const family = isIP(host)
  if (family !== 0) {
    if (loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')) return 'loopback'
    return isPublicAddress(host) ? 'public' : 'private'
  }
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  return !name.includes('.') || localDomain.test(name) ? 'private' : 'public'
}
