import type { NodeRow } from './tables.ts'

/** Bytes a second that no host moves, 100 Gbit/s both ways together, and the most that is taken for one time without reports. */
const [maxRate, maxBytes] = [12.5e9, 1e15]

/** Time for which a node may have counted before its last report, milliseconds, when nothing is known of it. */
const slackMs = 600_000

/**
 * Bytes that a node can have moved since it was believed last, by the clock of this host: what says more is no count. Without it one
 * wrong node could fill the counters beyond what numbers hold.
 */
export class TrafficBudget {
  readonly #left = new Map<string, { bytes: number; at: number }>()

  /** Takes bytes of a node at a time; false when it cannot have moved them. */
  take(node: Pick<NodeRow, 'id' | 'last_seen_at'>, bytes: number, now: number): boolean {
    const known = this.#left.get(node.id) ?? { bytes: 0, at: (node.last_seen_at ?? now) - slackMs }
    const grown = known.bytes + (Math.max(0, now - known.at) / 1000) * maxRate
    const all = Math.min(maxBytes, grown)
    const isEnough = bytes <= all
    this.#left.set(node.id, { bytes: isEnough ? all - bytes : all, at: now })
    return isEnough
  }
}
