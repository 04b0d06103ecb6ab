import { momentOf } from '@hearth/runtime'
import type { Peer } from './schema.ts'
import type { FollowedPeer } from './sampler.ts'
import { isExpired, peerStatus } from './status.ts'
import type { PeerWithActivityRow } from './store.ts'

/** How a stored peer is shown: which moment decides its status, and whether where it connects from may be told. */
export interface PeerView {
  readonly now: number
  readonly showEndpoint: boolean
  /** The latest counters, which the stored ones trail by up to half a minute. */
  readonly followed: FollowedPeer | undefined
}

/** The wire form of a peer. No key but the public one is in it. */
export function peerOfRow(row: PeerWithActivityRow, view: PeerView): Peer {
  const facts = {
    enabled: row.enabled === 1,
    expiresAt: row.expires_at,
    lastHandshake: row.last_handshake,
    interfaceEnabled: row.interface_enabled === 1,
  }
  const status = peerStatus(facts, view.now)
  return {
    id: row.id,
    name: row.name,
    interface: row.interface,
    ip: row.ip,
    ipv6: row.ipv6,
    routing_mode: row.routing_mode,
    allowed_ips: JSON.parse(row.allowed_ips) as string[],
    persistent_keepalive: row.persistent_keepalive,
    enabled: facts.enabled,
    status,
    connected: status === 'active',
    last_handshake: momentOf(row.last_handshake),
    transfer_tx: view.followed?.activity.txTotal ?? row.tx_total,
    transfer_rx: view.followed?.activity.rxTotal ?? row.rx_total,
    endpoint: view.showEndpoint ? (view.followed?.activity.endpoint ?? row.endpoint) : null,
    public_key: row.public_key,
    has_private_key: row.private_key !== null,
    has_preshared_key: row.preshared_key !== null,
    client_isolation: row.client_isolation === 1,
    use_adblocker: row.dns_filtering === 1,
    blocklist_ids: row.dns_lists === null ? null : (JSON.parse(row.dns_lists) as string[]),
    dns_logging_enabled: row.dns_logging === 1,
    expires_at: momentOf(row.expires_at),
    expired: isExpired(row.expires_at, view.now),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
