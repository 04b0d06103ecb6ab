import type { Followed } from './followed-peer.ts'

/** Counters alone are written down this often, milliseconds; the device keeps them meanwhile. Handshakes are written at once. */
const counterResolution = 30_000

/** Peers whose counters are written in one round; more when it takes more for all to have their turn in time. */
const writtenAtOnce = 1000
/** Maximum time until the counters of every peer are written, milliseconds, however long the rounds are. */
const turnsWithin = 15_000

/** New handshakes now, and counters in turn up to the limit, so that thousands do not make one round long. */
export function dueForWriting(
  changed: readonly Followed[],
  { now, elapsed, count }: { readonly now: number; readonly elapsed: number; readonly count: number },
): { readonly urgent: Followed[]; readonly counters: Followed[]; readonly limit: number } {
  const dirty = changed.filter((peer) => peer.isDirty)
  const limit = Math.max(writtenAtOnce, Math.ceil((count * elapsed) / turnsWithin))
  return {
    urgent: dirty.filter((peer) => peer.activity.last_handshake !== peer.writtenHandshake),
    counters: dirty.filter((peer) => now - peer.writtenAt >= counterResolution).slice(0, limit),
    limit,
  }
}
