import type { ConnectionRecorder } from '../connections/recorder.ts'
import { type Followed, isConnected, type PeerActivity } from './followed-peer.ts'

/** Traffic of a peer in a span of time, counted by a node. */
export interface CountedTraffic {
  readonly id: string
  /** End of the span, milliseconds since the epoch. */
  readonly at: number
  /** Bytes from the peer, and to it. */
  readonly rx: number
  readonly tx: number
  readonly latestHandshake: number | null
  readonly endpoint: string | null
}

/** A peer before and after traffic that was counted. */
export interface CountedStep {
  readonly peer: Followed
  readonly counted: CountedTraffic
  readonly before: PeerActivity
  readonly after: PeerActivity
}

/** Returns what traffic makes of the activity of its peers, in its order. Peers that are not known are passed over. */
export function countedSteps(
  find: (id: string) => Followed | undefined,
  traffic: readonly CountedTraffic[],
): CountedStep[] {
  const reached = new Map<string, PeerActivity>()
  return traffic.flatMap((counted) => {
    const peer = find(counted.id)
    if (peer === undefined) return []
    const before = reached.get(counted.id) ?? peer.activity
    // The host that a device left still names where it was.
    const isOld = (counted.latestHandshake ?? 0) < (before.last_handshake ?? 0)
    const after = {
      ...before,
      rx_total: before.rx_total + counted.rx,
      tx_total: before.tx_total + counted.tx,
      last_handshake: Math.max(before.last_handshake ?? 0, counted.latestHandshake ?? 0) || null,
      endpoint: isOld ? before.endpoint : (counted.endpoint ?? before.endpoint),
    }
    reached.set(counted.id, after)
    return [{ peer, counted, before, after }]
  })
}

/** Time for which a span that a node counted is the present, milliseconds: it reports every half minute. */
const presentMs = 120_000

/** Takes over the activity after traffic that was counted, and the connection that it belongs to. */
export function followStep(
  { peer, counted, before, after }: CountedStep,
  now: number,
  connections: Pick<ConnectionRecorder, 'observe'> | undefined,
): void {
  const { rx, tx, at } = counted
  peer.activity = after
  peer.fromNode = { rx: peer.fromNode.rx + rx, tx: peer.fromNode.tx + tx }
  // The connection of an older span is made up for at its time.
  const time = now - at < presentMs ? now : at
  const wasOn = peer.isOn
  peer.isOn = isConnected(peer, time)
  if (wasOn || peer.isOn) connections?.observe(peer, before, time)
}

/** A rate that a node reported counts for this long, milliseconds: two of its reports. */
const rateLifetime = 60_000

/** Bytes a second. */
interface Rate {
  readonly rx: number
  readonly tx: number
}

/** The traffic that nodes report in spans, as a rate: a round would show the bytes of half a minute at once. */
export class NodeRates {
  readonly #rates = new Map<string, Rate & { readonly until: number }>()

  /** Takes over the bytes of a node in a span of seconds that ended about now. */
  report(nodeId: string, { rx, tx }: Rate, { seconds, now }: { seconds: number; now: number }): void {
    const span = Math.max(1, seconds)
    this.#rates.set(nodeId, { rx: rx / span, tx: tx / span, until: now + rateLifetime })
  }

  sum(now: number): Rate {
    const sum = { rx: 0, tx: 0 }
    for (const [id, { rx, tx, until }] of this.#rates) {
      if (until <= now) this.#rates.delete(id)
      else {
        sum.rx += rx
        sum.tx += tx
      }
    }
    return sum
  }
}

/** Bytes a second of what was measured in so many milliseconds, and of what nodes reported. */
export function rateOf(measured: Rate, milliseconds: number, ofNodes: Rate = { rx: 0, tx: 0 }): Rate {
  const seconds = Math.max(0.001, milliseconds / 1000)
  return { rx: measured.rx / seconds + ofNodes.rx, tx: measured.tx / seconds + ofNodes.tx }
}

/** Bytes of a peer since its last round, without those that a node counted. */
export function measuredBytes({ activity, reported, fromNode }: Followed): Rate {
  return {
    rx: activity.rx_total - reported.activity.rx_total - fromNode.rx,
    tx: activity.tx_total - reported.activity.tx_total - fromNode.tx,
  }
}
