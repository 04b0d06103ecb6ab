import type { FollowedPeer } from '../peers/followed-peer.ts'

interface Moved {
  readonly rx: number
  readonly tx: number
}

/** Bytes that each interface moved, as counters: a peer that is deleted takes nothing away. */
export type InterfaceTraffic = ReturnType<typeof createInterfaceTraffic>

/** Creates the counters. They begin with what the peers have moved until the first reading. */
export function createInterfaceTraffic() {
  const totals = new Map<string, Moved>()
  let seen: ReadonlyMap<string, Moved> = new Map()
  return {
    /** Adds what the peers moved since the last reading; bytes by interface, seen from the server. */
    read(peers: Iterable<FollowedPeer>): ReadonlyMap<string, Moved> {
      const now = new Map<string, Moved>()
      for (const { id, interface: name, activity } of peers) {
        const [moved, last] = [{ rx: activity.rx_total, tx: activity.tx_total }, seen.get(id)]
        now.set(id, moved)
        const total = totals.get(name) ?? { rx: 0, tx: 0 }
        totals.set(name, {
          rx: total.rx + Math.max(0, moved.rx - (last?.rx ?? 0)),
          tx: total.tx + Math.max(0, moved.tx - (last?.tx ?? 0)),
        })
      }
      seen = now
      return totals
    },
  }
}
