import type { PeerState } from '../wireguard/device.ts'

/** What a peer did over all lives of its device. Bytes and milliseconds since the epoch. */
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
 * The activity after a reading of the device. A counter that went down began anew, so all of it counts; a peer that is not on
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
