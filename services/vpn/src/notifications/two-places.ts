/** Changes between addresses within this time count together, milliseconds. */
const windowMs = 600_000
/** Returns to an address that the peer had left within the window: more than a device that moves between two networks makes. */
const suspiciousReturns = 3
/** Time without a return after which a key counts as used from one place again, milliseconds. */
const quietMs = 3_600_000

/** Addresses that a peer's handshakes came from, as far as they tell of two devices with one key. */
export interface PlaceHistory {
  /** Address now, without its port. */
  readonly host: string
  readonly isSuspicious: boolean
  /** Addresses that were left, by the time of that. */
  readonly left: ReadonlyMap<string, number>
  /** Times of returns to an address that had been left a short time before. */
  readonly returns: readonly number[]
}

/**
 * Takes over the address that a peer is seen at. Two devices with the same key take the connection from each other with every
 * packet, so that the address goes back and forth; a device that moves from one network to another does so rarely.
 */
export function notePlace(history: PlaceHistory | undefined, host: string, now: number): PlaceHistory {
  if (history === undefined) return { host, isSuspicious: false, left: new Map(), returns: [] }
  if (history.host === host) return withoutOld(history, now)
  const leftAt = history.left.get(host)
  const isReturn = leftAt !== undefined && now - leftAt <= windowMs
  const left = new Map([...history.left].filter(([name, at]) => name !== host && now - at <= windowMs))
  left.set(history.host, now)
  return withoutOld({ ...history, host, left, returns: isReturn ? [...history.returns, now] : history.returns }, now)
}

function withoutOld(history: PlaceHistory, now: number): PlaceHistory {
  const returns = history.returns.filter((at) => now - at <= quietMs).slice(-suspiciousReturns)
  const recent = returns.filter((at) => now - at <= windowMs)
  const isSuspicious = recent.length >= suspiciousReturns || (history.isSuspicious && returns.length > 0)
  return { ...history, returns, isSuspicious }
}
