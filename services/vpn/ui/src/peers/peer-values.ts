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
  use_adblocker: boolean
  /** null for all lists. */
  blocklist_ids: string[] | null
  dns_logging_enabled: boolean
}

/** The form for a new peer. */
export function newPeerValues(interfaceName: string): PeerValues {
  return {
    name: '',
    interface: interfaceName,
    ip: '',
    ipv6: '',
    routing_mode: '',
    allowed_ips: '',
    persistent_keepalive: '',
    expires_at: '',
    client_isolation: false,
    use_preshared_key: true,
    public_key: '',
    use_adblocker: true,
    blocklist_ids: null,
    dns_logging_enabled: true,
  }
}

/** The form for a peer that exists. */
export function peerValues(peer: Peer): PeerValues {
  return {
    name: peer.name,
    interface: peer.interface,
    ip: peer.ip,
    ipv6: peer.ipv6 ?? '',
    routing_mode: peer.routing_mode,
    allowed_ips: peer.allowed_ips.join(', '),
    persistent_keepalive: peer.persistent_keepalive,
    expires_at: toLocalTime(peer.expires_at),
    client_isolation: peer.client_isolation,
    use_preshared_key: peer.has_preshared_key,
    public_key: peer.has_private_key ? '' : peer.public_key,
    use_adblocker: peer.use_adblocker,
    blocklist_ids: peer.blocklist_ids,
    dns_logging_enabled: peer.dns_logging_enabled,
  }
}

/** The body that creates a peer: only what was filled in. */
export function toPeerCreate(values: PeerValues): PeerCreate {
  return { name: values.name, interface: values.interface, ...filled(values), ...dnsMembers(values, newPeerValues('')) }
}

/** The body that changes a peer: only what differs from before; undefined when nothing does. */
export function toPeerUpdate(values: PeerValues, before: PeerValues): PeerUpdate | undefined {
  const changed = changedValues(values, before)
  const update: PeerUpdate = {
    ...filled({ ...newPeerValues(''), use_preshared_key: before.use_preshared_key, ...changed }, changed),
    ...(changed.name === undefined ? {} : { name: changed.name }),
    ...dnsMembers(values, before),
    ...(changed.ipv6 === '' ? { ipv6: null } : {}),
    ...(changed.expires_at === '' ? { expires_at: null } : {}),
    ...(changed.allowed_ips === '' ? { allowed_ips: [] } : {}),
  }
  return Object.keys(update).length === 0 ? undefined : update
}

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

function filled(values: PeerValues, sent: Partial<PeerValues> = values): Omit<PeerUpdate, 'name' | 'interface'> {
  return {
    ...(values.ip === '' ? {} : { ip: values.ip }),
    ...(values.ipv6 === '' ? {} : { ipv6: values.ipv6 }),
    ...(values.routing_mode === '' ? {} : { routing_mode: values.routing_mode }),
    ...(values.allowed_ips === '' ? {} : { allowed_ips: parseNetworks(values.allowed_ips) }),
    ...(values.persistent_keepalive === '' ? {} : { persistent_keepalive: values.persistent_keepalive }),
    ...(values.expires_at === '' ? {} : { expires_at: new Date(values.expires_at).toISOString() }),
    ...(sent.client_isolation === undefined ? {} : { client_isolation: values.client_isolation }),
    ...(sent.use_preshared_key === undefined ? {} : { use_preshared_key: values.use_preshared_key }),
    ...(values.public_key === '' ? {} : { public_key: values.public_key.trim() }),
  }
}

/** Returns the filtering members that changed; lists are compared as a set. */
function dnsMembers(values: PeerValues, before: PeerValues): Partial<PeerUpdate> {
  const { use_adblocker, blocklist_ids, dns_logging_enabled } = values
  return {
    ...(use_adblocker === before.use_adblocker ? {} : { use_adblocker }),
    ...(sameLists(blocklist_ids, before.blocklist_ids) ? {} : { blocklist_ids }),
    ...(dns_logging_enabled === before.dns_logging_enabled ? {} : { dns_logging_enabled }),
  }
}

function sameLists(one: string[] | null, other: string[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.length === other.length && one.every((id) => other.includes(id))
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
  return {
    limit: peersPerPage,
    offset: (state.page - 1) * peersPerPage,
    ...(state.search === '' ? {} : { search: state.search }),
    ...(column === ''
      ? {}
      : { sort: column as PeerQuery['sort'] & string, order: state.sort.startsWith('-') ? 'desc' : 'asc' }),
    ...(state.filters['interface'] ? { interface: state.filters['interface'] } : {}),
    ...(status ? { status: status as Peer['status'] } : {}),
  }
}
