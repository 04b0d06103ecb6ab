import type { FollowedPeer } from './followed-peer.ts'

/** Result of one round over all devices. */
export interface SampleReport {
  /** Start of the round, milliseconds since the epoch. */
  readonly at: number
  /** Peers whose activity or connection changed. */
  readonly changed: readonly FollowedPeer[]
  /** Peers that connected or disconnected. */
  readonly switched: readonly FollowedPeer[]
  /** Peers that connected for the first time. */
  readonly first: readonly FollowedPeer[]
  /** Peers whose expiry date came since the last round, by interface. */
  readonly expired: ReadonlyMap<string, readonly string[]>
  /** Bytes a second over all peers since the last round, seen from the server. */
  readonly rate: { readonly rx: number; readonly tx: number }
  /** Duration of the round. */
  readonly durationMs: number
}
