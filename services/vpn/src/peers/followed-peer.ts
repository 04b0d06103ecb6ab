import type { PeerActivityRow, PeerRow } from '../database/tables.ts'
import type { FollowedPeerRow } from './activity-store.ts'
import { noActivity, type PeerActivity } from './count-traffic.ts'
import type { PeerStatus } from './schema.ts'
import { peerStatus } from './status.ts'

/** A peer the sampler follows, with its latest activity. */
export interface FollowedPeer {
  readonly id: string
  readonly name: string
  readonly interface: string
  readonly publicKey: string
  readonly enabled: boolean
  readonly expiresAt: number | null
  /** Whether its interface is meant to run. */
  readonly interfaceEnabled: boolean
  readonly activity: PeerActivity
}

/** The status of a followed peer at a moment, milliseconds since the epoch. */
export function statusOf({ activity, ...peer }: FollowedPeer, now: number): PeerStatus {
  return peerStatus({ ...peer, lastHandshake: activity.lastHandshake }, now)
}

type Mutable = { -readonly [Key in keyof FollowedPeer]: FollowedPeer[Key] }
/** What the sampler itself knows of it. */
export interface Followed extends Mutable {
  writtenAt: number
  writtenHandshake: number | null
  isDirty: boolean
  /** What the last round reported of it. */
  reported: { readonly activity: PeerActivity; readonly isConnected: boolean }
  /** How much of the totals the recorder has written into buckets. */
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

/** A stored peer, not looked at yet. */
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

/** Whether the peer's status is `active`. */
export function isConnected(peer: FollowedPeer, now: number): boolean {
  return statusOf(peer, now) === 'active'
}
