import { toIsoString } from '@hearth/runtime'
import { networksBehind } from '../interfaces/desired-devices.ts'
import { limitView } from '../limits/peer-limits.ts'
import type { PeerQuota } from '../quotas/schema.ts'
import { expiresWithin, type FollowedPeer, isExpired, peerStatus } from './followed-peer.ts'
import type { Peer } from './schema.ts'
import type { PeerWithActivityRow } from './store.ts'
import { tagsOf } from './tags.ts'

/** What a peer is shown with, beside its row. */
interface ViewContext {
  readonly now: number
  readonly isOutdated: boolean
  readonly isStandbyOutdated: boolean
  readonly warningDays: number
  readonly showEndpoint: boolean
  readonly followed: FollowedPeer | undefined
  readonly quota: PeerQuota | null
}

/**
 * The wire form of a peer. No key but the public one is in it. `followed` has the latest counters, which the stored ones trail
 * by up to half a minute.
 */
export function peerOfRow(
  row: PeerWithActivityRow,
  { now, isOutdated, isStandbyOutdated, warningDays, showEndpoint, followed, quota }: ViewContext,
): Peer {
  const status = peerStatus(row, now)
  return {
    id: row.id,
    name: row.name,
    interface: row.interface,
    ip: row.ip,
    ipv6: row.ipv6,
    routing_mode: row.routing_mode,
    allowed_ips: JSON.parse(row.allowed_ips) as string[],
    persistent_keepalive: row.persistent_keepalive,
    enabled: row.enabled === 1,
    status,
    connected: status === 'active',
    last_handshake: toIsoString(row.last_handshake),
    transfer_tx: followed?.activity.tx_total ?? row.tx_total,
    transfer_rx: followed?.activity.rx_total ?? row.rx_total,
    endpoint: showEndpoint ? (followed?.activity.endpoint ?? row.endpoint) : null,
    public_key: row.public_key,
    has_private_key: row.private_key !== null,
    has_preshared_key: row.preshared_key !== null,
    client_isolation: row.client_isolation === 1,
    use_adblocker: row.dns_filtering === 1,
    blocklist_ids: row.dns_lists === null ? null : (JSON.parse(row.dns_lists) as string[]),
    dns_logging_enabled: row.dns_logging === 1,
    ...limitView(row),
    quota,
    networks: networksBehind(row),
    needs_configuration: isOutdated,
    needs_standby_configuration: isStandbyOutdated,
    key_rotation:
      row.next_public_key === null
        ? null
        : {
            public_key: row.next_public_key,
            has_private_key: row.next_private_key !== null,
            old_key_ends_at: new Date(row.next_due ?? 0).toISOString(),
          },
    tags: tagsOf(row),
    expires_at: toIsoString(row.expires_at),
    expired: isExpired(row.expires_at, now),
    expires_soon: expiresWithin(row, warningDays, now),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
