import { isIPv4, isIPv6 } from 'node:net'
import { parseIsoTime } from '@hearth/runtime'
import type { z } from 'zod'
import { freeName } from '../foreign-files/free-name.ts'
import { InterfaceCreate } from '../interfaces/schema.ts'
import { isPeerAddress4, isPeerAddress6, numberOfIpv4, subnet4, subnet6 } from '../interfaces/subnet.ts'
import { invisible, maxNameLength, PeerCreate } from '../peers/schema.ts'
import { DeviceError } from '../wireguard/device.ts'
import { parseNetworkAddress } from '../wireguard/network-address.ts'
import type { LeftOut } from '../foreign-files/given-file.ts'
import type { FoundPeer, FoundServer } from './found-server.ts'

/** What is wrong with one member of an interface or a peer. */
export interface DraftProblem {
  readonly field: string
  readonly message: string
}

/** A found peer as this service would create it; without `input` its problems say why it cannot. */
export interface PeerDraft {
  readonly found: FoundPeer
  readonly name: string
  readonly input: PeerCreate | undefined
  readonly problems: readonly DraftProblem[]
}

/** A found server as this service would create it. */
export interface ServerDraft {
  readonly found: FoundServer
  readonly name: string
  readonly input: InterfaceCreate | undefined
  readonly problems: readonly DraftProblem[]
  readonly peers: readonly PeerDraft[]
  readonly leftOut: readonly LeftOut[]
}

/** Drafts an interface with its peers from what another program had. `takenNames` holds the names of peers so far, and gets the new ones. */
export function draftServer(
  found: FoundServer,
  { name, start, takenNames }: { name: string; start: boolean; takenNames: Set<string> },
): ServerDraft {
  const addresses = new ServerAddresses(found.addresses)
  const dns = resolversOf(found, addresses)
  const parsed = InterfaceCreate.safeParse({
    name,
    address: addresses.ipv4 ?? '',
    address6: addresses.ipv6 ?? null,
    ...(found.listenPort === undefined ? {} : { listen_port: found.listenPort }),
    ...(found.mtu === undefined ? {} : { mtu: found.mtu }),
    ...(dns === undefined ? {} : { dns: dns.join(', ') }),
    enabled: start && found.enabled,
  })
  const leftOut: LeftOut[] = addresses.others.map((other) => ({ about: name, reason: `its further address ${other}` }))
  if (dns !== undefined && dns.length > 0)
    leftOut.push({
      about: name,
      reason: `its devices ask ${dns.join(' and ')}, so that their names are not filtered; clear “DNS” of the interface to change that for new configurations`,
    })
  const problems =
    addresses.ipv4 === undefined
      ? [{ field: 'address', message: 'needs an IPv4 address in the tunnel' }]
      : parsed.success
        ? []
        : issuesOf(parsed.error)
  const peers = found.peers.map((peer) => draftPeer(peer, { on: name, addresses, takenNames, leftOut }))
  return { found, name, input: problems.length === 0 ? parsed.data : undefined, problems, peers, leftOut }
}

/** The addresses of a server: one of each family, and those beyond. */
class ServerAddresses {
  readonly ipv4: string | undefined
  readonly ipv6: string | undefined
  readonly others: readonly string[]

  constructor(texts: readonly string[]) {
    const [ipv4, ...more4] = texts.filter((text) => isIPv4(text.split('/')[0] ?? ''))
    const [ipv6, ...more6] = texts.filter((text) => isIPv6(text.split('/')[0] ?? ''))
    this.ipv4 = ipv4 === undefined || ipv4.includes('/') ? ipv4 : `${ipv4}/32`
    this.ipv6 = ipv6 === undefined || ipv6.includes('/') ? ipv6 : `${ipv6}/128`
    this.others = [...more4, ...more6]
  }

  /** Returns true if a peer can have the address. */
  isPeerAddress(text: string, family: 4 | 6): boolean {
    if (family === 4) return this.ipv4 !== undefined && isPeerAddress4(subnet4(this.ipv4), numberOfIpv4(text))
    return this.ipv6 !== undefined && isPeerAddress6(subnet6(this.ipv6), text)
  }
}

/** Resolvers of new configurations; none when the devices ask this host, whose resolver is that of this service from now on. */
function resolversOf({ dns }: FoundServer, { ipv4, ipv6 }: ServerAddresses): string[] | undefined {
  if (dns === undefined) return undefined
  const own = new Set([ipv4, ipv6].map((address) => address?.split('/')[0]))
  const resolvers = dns.filter((text) => isIPv4(text) || isIPv6(text))
  return resolvers.some((resolver) => own.has(resolver)) ? [] : resolvers.slice(0, 4)
}

interface PeerContext {
  readonly on: string
  readonly addresses: ServerAddresses
  readonly takenNames: Set<string>
  readonly leftOut: LeftOut[]
}

function draftPeer(found: FoundPeer, { on, addresses, takenNames, leftOut }: PeerContext): PeerDraft {
  const own = addressesOf(found.addresses, addresses)
  const name = freeName(
    cleanName(found.name ?? `${on} ${own.ip ?? found.publicKey.slice(0, 8)}`),
    takenNames,
    maxNameLength,
  )
  if (own.problem !== undefined) return { found, name, input: undefined, problems: [own.problem] }
  const [exits, networks] = partition(own.others, (network) => parseNetworkAddress(network).prefix === 0)
  if (exits.length > 0)
    leftOut.push({
      about: name,
      reason: `${exits.join(', ')}: this host’s way to the internet leads through no peer here`,
    })
  const expiry = found.expiresAt === null ? undefined : parseIsoTime(found.expiresAt.replace(' ', 'T'), lenient)
  if (found.expiresAt !== null && expiry === undefined)
    return { found, name, input: undefined, problems: [{ field: 'expires_at', message: 'is no date' }] }
  const parsed = PeerCreate.safeParse({
    name,
    interface: on,
    ip: own.ip,
    ipv6: own.ipv6 ?? null,
    public_key: found.publicKey,
    enabled: found.enabled,
    networks,
    ...routingOf(found.routed, addresses),
    ...(found.keepalive === undefined ? {} : { persistent_keepalive: found.keepalive }),
    ...(expiry === undefined ? {} : { expires_at: new Date(expiry).toISOString() }),
  })
  return parsed.success
    ? { found, name, input: parsed.data, problems: [] }
    : { found, name, input: undefined, problems: issuesOf(parsed.error) }
}

const lenient = { dateOnly: true, withoutOffset: true } as const

interface OwnAddresses {
  readonly ip?: string
  readonly ipv6?: string
  readonly others: readonly string[]
  readonly problem?: DraftProblem
}

/** Takes the addresses of the peer itself out of everything that the server accepts from it. */
function addressesOf(texts: readonly string[], addresses: ServerAddresses): OwnAddresses {
  const found: { ip?: string; ipv6?: string } = {}
  const others: string[] = []
  for (const text of texts) {
    const parsed = parsedAddress(text)
    if (parsed === undefined)
      return { others, problem: { field: 'allowed_ips', message: `${shortened(text)} is no network` } }
    const { family, address, prefix } = parsed
    const member = family === 4 ? 'ip' : 'ipv6'
    const isOwn = prefix === (family === 4 ? 32 : 128) && addresses.isPeerAddress(address, family)
    if (isOwn && found[member] === undefined) found[member] = address
    else if (found[member] !== address) others.push(text)
  }
  if (found.ip !== undefined) return { ...found, others }
  return {
    others,
    problem: { field: 'ip', message: `has no IPv4 address of its own in ${addresses.ipv4 ?? 'the tunnel'}` },
  }
}

function parsedAddress(text: string): ReturnType<typeof parseNetworkAddress> | undefined {
  try {
    return parseNetworkAddress(text)
  } catch (error) {
    if (error instanceof DeviceError) return undefined
    throw error
  }
}

/** What the device sends through the tunnel, as this service says it; nothing when the files do not tell. */
function routingOf(routed: readonly string[] | undefined, { ipv4, ipv6 }: ServerAddresses): Partial<PeerCreate> {
  if (routed === undefined || routed.length === 0) return {}
  if (routed.includes('0.0.0.0/0')) return { routing_mode: 'full_tunnel' }
  const own = new Set([ipv4 && subnet4(ipv4).cidr, ipv6 && subnet6(ipv6).cidr])
  if (routed.every((network) => own.has(network))) return { routing_mode: 'isolated' }
  return { routing_mode: 'custom', allowed_ips: [...routed] }
}

/** The name without what no name may contain. */
function cleanName(wanted: string): string {
  const clean = wanted.normalize('NFC').replaceAll(new RegExp(invisible, 'gu'), '').trim()
  return clean === '' ? 'Peer' : clean
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))]
}

const shortened = (text: string): string => JSON.stringify(text.slice(0, 50))

const issuesOf = ({ issues }: z.ZodError): DraftProblem[] =>
  issues.map(({ path, message }) => ({ field: String(path[0] ?? 'name'), message }))
