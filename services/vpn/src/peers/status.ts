import type { PeerStatus } from './schema.ts'

/** A handshake older than this no longer lets packets through (WireGuard's REJECT_AFTER_TIME), milliseconds. */
export const handshakeLifetime = 180_000

/** What decides a peer's status. Moments are milliseconds since the epoch. */
export interface StatusFacts {
  readonly enabled: boolean
  readonly expiresAt: number | null
  readonly lastHandshake: number | null
  readonly interfaceEnabled: boolean
}

/** Whether the peer's expiry date has come. */
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
