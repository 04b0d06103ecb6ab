import { addressBytes } from '../dns/address-bytes.ts'

/** Changes between networks within this time count together, milliseconds. */
const windowMs = 600_000
/**
 * A single device makes a new handshake 120 s after the last one (WireGuard, REKEY_AFTER_TIME), and none because its address
 * changed. One that comes sooner, from another network, was made by somebody else with the key, milliseconds.
 */
const soonMs = 90_000
/** Contested returns that make a key suspicious: between networks that are far from each other, and between near ones. */
const suspiciousReturns = { far: 3, near: 6 } as const
/** Time without a contested return after which a key counts as used from one place again, milliseconds. */
const quietMs = 3_600_000
/** Sightings that are kept as evidence. */
const keptSightings = 12
/** Networks that are remembered of a peer. */
const maxLeft = 64

/** A peer as it is seen after its address or its handshake changed. */
export interface Sighting {
  /** Address without its port. */
  readonly host: string
  readonly at: number
  /** Time of the last handshake, milliseconds since the epoch. */
  readonly handshake: number | null
}

/** Addresses that a peer's handshakes came from, as far as they tell of two devices with one key. */
export interface PlaceHistory {
  /** Where the peer is now. */
  readonly here: Sighting
  readonly isSuspicious: boolean
  /** Networks that were left, by the time of that. */
  readonly left: ReadonlyMap<string, number>
  /** Contested returns: times, and true where both networks are far from each other. */
  readonly returns: readonly { readonly at: number; readonly isFar: boolean }[]
  /** The last changes, oldest first. */
  readonly sightings: readonly Sighting[]
}

/** The network of an address: its first 24 bits, or 48 of IPv6. Addresses of one network are one place. */
export function networkOf(host: string): string {
  const bytes = addressBytes(host)
  return bytes === undefined ? host : bytes.subarray(0, bytes.length === 4 ? 3 : 6).join('.')
}

/**
 * Takes over where a peer is seen. Two devices with the same key take the connection from each other: the address goes back
 * and forth, and handshakes follow each other faster than one device makes them. A return counts when its network had been left
 * within ten minutes and a handshake came less than 90 s after the one before. Three such returns within ten minutes are
 * suspicious; six when `isFar` says that both networks are of the same provider and country. A device that moves between
 * networks keeps its session, and its returns do not count.
 */
export function notePlace(
  history: PlaceHistory | undefined,
  sighting: Sighting,
  isFar: (from: string, to: string) => boolean,
): PlaceHistory {
  const { host, at, handshake } = sighting
  if (history === undefined) {
    return { here: sighting, isSuspicious: false, left: new Map(), returns: [], sightings: [sighting] }
  }
  const { here } = history
  const [from, to] = [networkOf(here.host), networkOf(host)]
  if (from === to) return withoutOld({ ...history, here: { ...sighting, handshake: handshake ?? here.handshake } }, at)
  const leftAt = history.left.get(to)
  const isReturn = leftAt !== undefined && at - leftAt <= windowMs && at >= leftAt
  const left = new Map([...history.left].filter(([name, time]) => name !== to && at - time <= windowMs).slice(-maxLeft))
  left.set(from, at)
  const isContested = isReturn && isSoon(here.handshake, handshake)
  const returns = isContested ? [...history.returns, { at, isFar: isFar(here.host, host) }] : history.returns
  const sightings = [...history.sightings, sighting].slice(-keptSightings)
  return withoutOld({ ...history, here: sighting, left, returns, sightings }, at)
}

/** True if a handshake followed another one sooner than one device makes them. */
function isSoon(before: number | null, after: number | null): boolean {
  return before !== null && after !== null && after > before && after - before < soonMs
}

function withoutOld(history: PlaceHistory, now: number): PlaceHistory {
  const returns = history.returns.filter(({ at }) => now - at <= quietMs).slice(-2 * suspiciousReturns.near)
  const recent = returns.filter(({ at }) => now - at <= windowMs)
  const isMuch = recent.length >= suspiciousReturns.near
  const isFarMuch = recent.filter(({ isFar }) => isFar).length >= suspiciousReturns.far
  const isSuspicious = isMuch || isFarMuch || (history.isSuspicious && returns.length > 0)
  return { ...history, returns, isSuspicious }
}
