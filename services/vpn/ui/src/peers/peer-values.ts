import type { TableState } from '@hearth/ui'
import { changedValues } from '@hearth/ui/changed-values'
import type { components } from '../api.gen.ts'
import type { Peer, PeerQuery } from '../api.ts'

type PeerCreate = components['schemas']['PeerCreate']
type PeerUpdate = components['schemas']['PeerUpdate']
type RoutingMode = Peer['routing_mode']

/** Values of the peer form; an empty text means "as the service decides". */
export interface PeerValues extends Record<string, unknown> {
  name: string
  interface: string
  tags: string[]
  ip: string
  ipv6: string
  routing_mode: RoutingMode | ''
  /** Networks separated by commas or lines. */
  allowed_ips: string
  persistent_keepalive: number | ''
  /** Local time as `datetime-local` has it. */
  expires_at: string
  client_isolation: boolean
  use_preshared_key: boolean
  public_key: string
  /** Mbit/s. */
  limit_down: number | ''
  limit_up: number | ''
  use_adblocker: boolean
  /** null for all lists. */
  blocklist_ids: string[] | null
  dns_logging_enabled: boolean
  /** Networks behind the device, separated by commas or lines. */
  networks: string
  /** Take them although the server has one of them itself. */
  allow_host_overlap: boolean
}

/** The form for a new peer. */
export function newPeerValues(interfaceName: string): PeerValues {
  return {
    name: '',
    interface: interfaceName,
    tags: [],
    ip: '',
    ipv6: '',
    routing_mode: '',
    allowed_ips: '',
    persistent_keepalive: '',
    expires_at: '',
    client_isolation: false,
    use_preshared_key: true,
    public_key: '',
    limit_down: '',
    limit_up: '',
    use_adblocker: true,
    blocklist_ids: null,
    dns_logging_enabled: true,
    networks: '',
    allow_host_overlap: false,
  }
}

/** The form for a peer that exists. */
export function peerValues(peer: Peer): PeerValues {
  return {
    name: peer.name,
    interface: peer.interface,
    tags: peer.tags,
    ip: peer.ip,
    ipv6: peer.ipv6 ?? '',
    routing_mode: peer.routing_mode,
    allowed_ips: peer.allowed_ips.join(', '),
    persistent_keepalive: peer.persistent_keepalive,
    expires_at: toLocalTime(peer.expires_at),
    client_isolation: peer.client_isolation,
    use_preshared_key: peer.has_preshared_key,
    public_key: peer.has_private_key ? '' : peer.public_key,
    limit_down: peer.limit_down ?? '',
    limit_up: peer.limit_up ?? '',
    use_adblocker: peer.use_adblocker,
    blocklist_ids: peer.blocklist_ids,
    dns_logging_enabled: peer.dns_logging_enabled,
    networks: peer.networks.join(', '),
    allow_host_overlap: false,
  }
}

/** The body that creates a peer: only what was filled in. */
export function toPeerCreate(values: PeerValues): PeerCreate {
  const { name, interface: on, client_isolation, use_preshared_key } = values
  return { name, interface: on, client_isolation, use_preshared_key, ...changedMembers(values, newPeerValues('')) }
}

/** The body that changes a peer: only what differs from before; undefined when nothing does. */
export function toPeerUpdate(values: PeerValues, before: PeerValues): PeerUpdate | undefined {
  const changed = changedMembers(values, before)
  return Object.keys(changed).length === 0 ? undefined : changed
}

/** The members that differ, as the API takes them: an emptied value takes something away, or leaves it as it is where that cannot be. */
function changedMembers(values: PeerValues, before: PeerValues): Omit<PeerUpdate, 'interface'> {
  const { interface: _, ip, ipv6, routing_mode, public_key, networks, ...changed } = changedValues(values, before)
  const { allowed_ips, expires_at, blocklist_ids, tags, limit_down: _down, limit_up: _up, ...plain } = changed
  return {
    ...(plain as Pick<PeerUpdate, 'name' | 'persistent_keepalive' | 'client_isolation' | 'use_preshared_key'>),
    // An emptied limit is lifted.
    ...(values.limit_down === before.limit_down ? {} : { limit_down: numberOrNull(values.limit_down) }),
    ...(values.limit_up === before.limit_up ? {} : { limit_up: numberOrNull(values.limit_up) }),
    ...(ip ? { ip } : {}),
    ...(ipv6 === undefined ? {} : { ipv6: ipv6 === '' ? null : ipv6 }),
    ...(routing_mode ? { routing_mode } : {}),
    ...(public_key ? { public_key: public_key.trim() } : {}),
    ...(allowed_ips === undefined ? {} : { allowed_ips: parseNetworks(allowed_ips) }),
    ...(networks === undefined ? {} : { networks: parseNetworks(networks) }),
    ...(expires_at === undefined ? {} : { expires_at: expires_at === '' ? null : new Date(expires_at).toISOString() }),
    ...(sameLists(values.tags, before.tags) || tags === undefined ? {} : { tags }),
    ...(sameLists(values.blocklist_ids, before.blocklist_ids) || blocklist_ids === undefined ? {} : { blocklist_ids }),
  }
}

const numberOrNull = (value: number | '') => (value === '' ? null : value)

/** Networks out of a text with commas, spaces or lines between them. */
export function parseNetworks(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '')
}

/** True when the mode uses the operator's own networks. */
export function usesAllowedIps(mode: RoutingMode | ''): boolean {
  return mode === 'split_tunnel' || mode === 'custom'
}

/** A time in UTC as `datetime-local` shows it in this place. */
export function toLocalTime(timestamp: string | null): string {
  if (timestamp === null) return ''
  const date = new Date(timestamp)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Lists and tags are compared as sets. */
function sameLists(one: string[] | null, other: string[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.length === other.length && one.every((id) => other.includes(id))
}

/** True when the service can hand out the whole configuration: it has the private key of the key that waits, or of the present one. */
export function hasWholeConfiguration({ key_rotation: waiting, has_private_key: hasKey }: Peer): boolean {
  return waiting === null ? hasKey : waiting.has_private_key
}

/** The routing modes in words anybody understands. */
export const routingModes: Record<Peer['routing_mode'], { label: string; explanation: string }> = {
  full_tunnel: {
    label: 'Everything',
    explanation: 'All traffic of the device goes through the VPN, also to the internet.',
  },
  split_tunnel: {
    label: 'VPN and listed networks',
    explanation: 'The VPN network and the networks below go through the tunnel; the rest goes its usual way.',
  },
  isolated: {
    label: 'VPN network only',
    explanation: 'Only traffic to the VPN network goes through the tunnel.',
  },
  custom: {
    label: 'Only listed networks',
    explanation: 'Exactly the networks below go through the tunnel, nothing else.',
  },
}

/** Peers on one page of the table. */
export const peersPerPage = 25

/** The table's state as the API wants it; only what is set is sent. */
export function toPeerQuery(state: Pick<TableState, 'search' | 'sort' | 'page' | 'filters'>): PeerQuery {
  const column = state.sort.replace(/^-/, '')
  const status = state.filters['status']
  const silentDays = Number(state.filters['silent'] ?? '')
  const tag = state.filters['tag'] ?? ''
  const isOutdated = state.filters['configuration'] === 'needed'
  return {
    limit: peersPerPage,
    offset: (state.page - 1) * peersPerPage,
    ...(state.search === '' ? {} : { search: state.search }),
    ...(column === ''
      ? {}
      : { sort: column as PeerQuery['sort'] & string, order: state.sort.startsWith('-') ? 'desc' : 'asc' }),
    ...(state.filters['interface'] ? { interface: state.filters['interface'] } : {}),
    ...(tag === '' ? {} : { tag }),
    ...(status === 'expires-soon' ? { expires_soon: 'true' } : status ? { status: status as Peer['status'] } : {}),
    ...(isOutdated ? { needs_configuration: 'true' } : {}),
    // Those that may connect and do not: who was disabled has been reviewed.
    ...(silentDays > 0 ? { silent_days: silentDays, ...(!status && { status: 'inactive' }) } : {}),
  }
}
