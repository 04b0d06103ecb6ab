import type { PeerActivityRow, PeerRow } from '../tables.ts'
import type { FollowedPeerRow } from './activity-store.ts'
import type { PeerStatus } from './schema.ts'
import type { PeerState } from '../wireguard/device.ts'

/** A peer the sampler follows, with its latest activity. */
export interface FollowedPeer {
  readonly id: string
  readonly name: string
  readonly interface: string
  readonly publicKey: string
  readonly enabled: boolean
  readonly expiresAt: number | null
  /** True if its interface is enabled. */
  readonly interfaceEnabled: boolean
  readonly activity: PeerActivity
}

/** The status of a followed peer at a time, milliseconds since the epoch. */
export function statusOf({ activity, ...peer }: FollowedPeer, now: number): PeerStatus {
  return peerStatus({ ...peer, lastHandshake: activity.lastHandshake }, now)
}

type Mutable = { -readonly [Key in keyof FollowedPeer]: FollowedPeer[Key] }
/** State that the sampler itself keeps of a peer. */
export interface Followed extends Mutable {
  writtenAt: number
  writtenHandshake: number | null
  isDirty: boolean
  /** Activity that the last round reported. */
  reported: { readonly activity: PeerActivity; readonly isConnected: boolean }
  /** Part of the totals that the recorder has written into buckets. */
  bucketed: { readonly rx: number; readonly tx: number }
}

type Bucketed = Pick<PeerActivityRow, 'rx_bucketed' | 'tx_bucketed'>

function columnsOf(activity: PeerActivity): Omit<PeerActivityRow, 'peer_id' | keyof Bucketed> {
  return {
    last_handshake: activity.lastHandshake,
    endpoint: activity.endpoint,
    rx_total: activity.rxTotal,
    tx_total: activity.txTotal,
    rx_seen: activity.rxSeen,
    tx_seen: activity.txSeen,
  }
}

/** The row of a peer's activity, when the buckets that are over are written with it. */
export function activityRowOf({ id, activity, bucketed }: Followed, closed = { rx: 0, tx: 0 }): PeerActivityRow {
  const sums = { rx_bucketed: bucketed.rx + closed.rx, tx_bucketed: bucketed.tx + closed.tx }
  return { peer_id: id, ...columnsOf(activity), ...sums }
}

/** A stored peer, not sampled yet. */
export function followedOfRow(row: FollowedPeerRow): Followed {
  const activity = {
    lastHandshake: row.last_handshake,
    endpoint: row.endpoint,
    rxTotal: row.rx_total,
    txTotal: row.tx_total,
    rxSeen: row.rx_seen,
    txSeen: row.tx_seen,
  }
  return {
    id: row.peer_id,
    name: row.name,
    interface: row.interface,
    publicKey: row.public_key,
    enabled: row.enabled === 1,
    expiresAt: row.expires_at,
    interfaceEnabled: row.interface_enabled === 1,
    writtenAt: 0,
    writtenHandshake: row.last_handshake,
    isDirty: false,
    bucketed: { rx: row.rx_bucketed, tx: row.tx_bucketed },
    activity,
    reported: { activity, isConnected: false },
  }
}

/** A peer that was just made, or changed: without activity. */
export function followedOfPeer(row: PeerRow, interfaceEnabled: number): Followed {
  const activity = { ...columnsOf(noActivity), rx_bucketed: 0, tx_bucketed: 0 }
  return followedOfRow({ ...row, ...activity, peer_id: row.id, interface_enabled: interfaceEnabled })
}

/** Returns true if the peer's status is `active`. */
export function isConnected(peer: FollowedPeer, now: number): boolean {
  return statusOf(peer, now) === 'active'
}

/** Returns the ids of the peers that expired after `since` and until `now`, by interface. */
export function expiredBetween(peers: Iterable<FollowedPeer>, since: number, now: number): Map<string, string[]> {
  const due = [...peers].filter(({ expiresAt }) => expiresAt !== null && expiresAt > since && expiresAt <= now)
  const byInterface = Map.groupBy(due, (peer) => peer.interface)
  return new Map(Array.from(byInterface, ([name, expired]) => [name, expired.map(({ id }) => id)]))
}

/** A handshake older than this no longer lets packets through (WireGuard's REJECT_AFTER_TIME), milliseconds. */
export const handshakeLifetime = 180_000

/** Facts that decide a peer's status. Times are milliseconds since the epoch. */
export interface StatusFacts {
  readonly enabled: boolean
  readonly expiresAt: number | null
  readonly lastHandshake: number | null
  readonly interfaceEnabled: boolean
}

/** Returns true if the peer has expired. */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/**
 * The status of a peer: the only place that derives it, for the overview, the interfaces, the peers and the event stream. It is
 * never stored, so that no change can leave an old one behind. The list's filter says the same in SQL, see `store.ts`.
 */
export function peerStatus(facts: StatusFacts, now: number): PeerStatus {
  if (!facts.enabled || isExpired(facts.expiresAt, now)) return 'disabled'
  const recent = facts.lastHandshake !== null && facts.lastHandshake > now - handshakeLifetime
  return recent && facts.interfaceEnabled ? 'active' : 'inactive'
}

/** Activity of a peer over all restarts of its device. Bytes, and milliseconds since the epoch. */
export interface PeerActivity {
  readonly lastHandshake: number | null
  readonly endpoint: string | null
  readonly rxTotal: number
  readonly txTotal: number
  /** The device's counters when the totals were last brought up to date. */
  readonly rxSeen: number
  readonly txSeen: number
}

export const noActivity: PeerActivity = {
  lastHandshake: null,
  endpoint: null,
  rxTotal: 0,
  txTotal: 0,
  rxSeen: 0,
  txSeen: 0,
}

/**
 * The activity after a reading of the device. A counter that went down began again, so all of it counts; a peer that is not on
 * the device will begin at zero when it comes back. The last handshake and endpoint outlive the device.
 */
export function countTraffic(before: PeerActivity, reading: PeerState | undefined): PeerActivity {
  if (reading === undefined) {
    return before.rxSeen === 0 && before.txSeen === 0 ? before : { ...before, rxSeen: 0, txSeen: 0 }
  }
  const rx = grown(before.rxSeen, reading.rxBytes)
  const tx = grown(before.txSeen, reading.txBytes)
  const lastHandshake = reading.latestHandshake ?? before.lastHandshake
  const endpoint = reading.endpoint ?? before.endpoint
  if (rx === 0 && tx === 0 && lastHandshake === before.lastHandshake && endpoint === before.endpoint) return before
  return {
    lastHandshake,
    endpoint,
    rxTotal: before.rxTotal + rx,
    txTotal: before.txTotal + tx,
    rxSeen: reading.rxBytes,
    txSeen: reading.txBytes,
  }
}

function grown(seen: number, now: number): number {
  return now >= seen ? now - seen : now
}
