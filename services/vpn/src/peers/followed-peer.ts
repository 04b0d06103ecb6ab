import type { PeerActivityRow, PeerRow } from '../tables.ts'
import type { FollowedPeerRow } from './activity-store.ts'
import type { PeerStatus } from './schema.ts'
import type { PeerState } from '../wireguard/device.ts'

/** Activity of a peer over all restarts of its device, as stored. Bytes, and milliseconds since the epoch. */
export type PeerActivity = Readonly<Omit<PeerActivityRow, 'peer_id' | 'rx_bucketed' | 'tx_bucketed'>>

/** A peer the sampler follows, as stored, with its latest activity. */
export interface FollowedPeer extends Readonly<Omit<FollowedPeerRow, keyof PeerActivityRow>> {
  readonly id: string
  readonly activity: PeerActivity
}

/** The status of a followed peer at a time, milliseconds since the epoch. */
export function statusOf({ activity, ...peer }: FollowedPeer, now: number): PeerStatus {
  return peerStatus({ ...peer, last_handshake: activity.last_handshake }, now)
}

type Mutable = { -readonly [Key in keyof FollowedPeer]: FollowedPeer[Key] }
/** State that the sampler itself keeps of a peer. */
export interface Followed extends Mutable {
  writtenAt: number
  writtenHandshake: number | null
  isDirty: boolean
  /** Connected in the last sample, or in a connection that a process before left open. */
  isOn: boolean
  /** Activity that the last round reported. */
  reported: { readonly activity: PeerActivity; readonly isConnected: boolean }
  /** Bytes since the last round that a node counted. */
  fromNode: { readonly rx: number; readonly tx: number }
  /** Part of the totals that the recorder has written into buckets. */
  bucketed: { readonly rx: number; readonly tx: number }
}

/** The row of a peer's activity, when the buckets that are over are written with it. */
export function activityRowOf({ id, activity, bucketed }: Followed, closed = { rx: 0, tx: 0 }): PeerActivityRow {
  const sums = { rx_bucketed: bucketed.rx + closed.rx, tx_bucketed: bucketed.tx + closed.tx }
  return { peer_id: id, ...activity, ...sums }
}

/** A stored peer, not sampled yet. */
export function followedOfRow(row: FollowedPeerRow): Followed {
  const { peer_id: id, rx_bucketed: rx, tx_bucketed: tx, ...rest } = row
  const { last_handshake, endpoint, rx_total, tx_total, rx_seen, tx_seen, ...columns } = rest
  const activity = { last_handshake, endpoint, rx_total, tx_total, rx_seen, tx_seen }
  return {
    ...columns,
    id,
    writtenAt: 0,
    writtenHandshake: last_handshake,
    isDirty: false,
    isOn: false,
    fromNode: { rx: 0, tx: 0 },
    bucketed: { rx, tx },
    activity,
    reported: { activity, isConnected: false },
  }
}

/** A peer that was just made, or changed: without activity. */
export function followedOfPeer(row: PeerRow, interface_enabled: number): Followed {
  const { id, name, interface: on, public_key, enabled, expires_at } = row
  const columns = { peer_id: id, name, interface: on, public_key, enabled, expires_at, interface_enabled }
  return followedOfRow({ ...columns, ...noActivity, rx_bucketed: 0, tx_bucketed: 0 })
}

/** Returns true if the peer's status is `active`. */
export function isConnected(peer: FollowedPeer, now: number): boolean {
  return statusOf(peer, now) === 'active'
}

/** Returns the ids of the peers that expired after `since` and until `now`, by interface. */
export function expiredBetween(peers: Iterable<FollowedPeer>, since: number, now: number): Map<string, string[]> {
  const due = [...peers].filter(({ expires_at: at }) => at !== null && at > since && at <= now)
  const byInterface = Map.groupBy(due, (peer) => peer.interface)
  return new Map(Array.from(byInterface, ([name, expired]) => [name, expired.map(({ id }) => id)]))
}

/** A handshake older than this no longer lets packets through (WireGuard's REJECT_AFTER_TIME), milliseconds. */
export const handshakeLifetime = 180_000

/** Columns that decide a peer's status. */
type StatusFacts = Pick<FollowedPeerRow, 'enabled' | 'expires_at' | 'last_handshake' | 'interface_enabled'>

/** Returns true if the peer has expired. */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Returns true if the peer may connect now and expires within so many days. */
export function expiresWithin(
  { enabled, expires_at: at }: Pick<FollowedPeerRow, 'enabled' | 'expires_at'>,
  days: number,
  now: number,
): boolean {
  return enabled === 1 && at !== null && at > now && at <= now + days * 86_400_000
}

/**
 * The status of a peer: the only place that derives it, for the overview, the interfaces, the peers and the event stream. It is
 * never stored, so that no change can leave an old one behind. The list's filter says the same in SQL, see `store.ts`.
 */
export function peerStatus(facts: StatusFacts, now: number): PeerStatus {
  if (facts.enabled === 0 || isExpired(facts.expires_at, now)) return 'disabled'
  const recent = facts.last_handshake !== null && facts.last_handshake > now - handshakeLifetime
  return recent && facts.interface_enabled === 1 ? 'active' : 'inactive'
}

/** Activity of a peer that never connected. */
export const noActivity: PeerActivity = {
  last_handshake: null,
  endpoint: null,
  rx_total: 0,
  tx_total: 0,
  rx_seen: 0,
  tx_seen: 0,
}

/**
 * The activity after a reading of the device. A counter that went down began again, so all of it counts; a peer that is not on
 * the device will begin at zero when it comes back. The last handshake and endpoint outlive the device.
 */
export function countTraffic(before: PeerActivity, reading: PeerState | undefined): PeerActivity {
  if (reading === undefined) {
    return before.rx_seen === 0 && before.tx_seen === 0 ? before : { ...before, rx_seen: 0, tx_seen: 0 }
  }
  const rx = grown(before.rx_seen, reading.rxBytes)
  const tx = grown(before.tx_seen, reading.txBytes)
  // Another host that runs the interface, too, may have seen the peer since; this one goes on sending to where it was.
  const isOld = rx === 0 && (reading.latestHandshake ?? 0) < (before.last_handshake ?? 0)
  const last_handshake = isOld ? before.last_handshake : (reading.latestHandshake ?? before.last_handshake)
  const endpoint = isOld ? before.endpoint : (reading.endpoint ?? before.endpoint)
  if (rx === 0 && tx === 0 && last_handshake === before.last_handshake && endpoint === before.endpoint) return before
  return {
    last_handshake,
    endpoint,
    rx_total: before.rx_total + rx,
    tx_total: before.tx_total + tx,
    rx_seen: reading.rxBytes,
    tx_seen: reading.txBytes,
  }
}

function grown(seen: number, now: number): number {
  return now >= seen ? now - seen : now
}
