/** Failures that an address has at once, and the time in which one of them is forgotten. */
const burst = 20
const forgetMs = 3000
/** After a device was let in, failures of others behind its address shut nobody out for this long. */
const trustMs = 15 * 60_000
const maxAddresses = 10_000

interface Record {
  left: number
  at: number
  goodAt: number
}

/**
 * Counts connections and requests without a right secret, by address. The secrets cannot be guessed; this keeps those who try
 * from costing a TLS handshake each. A home has one address: a device with a withdrawn secret does not shut out the others.
 */
export class FailureThrottle {
  readonly #records = new Map<string, Record>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Returns true if connections from the address are to be closed at once. */
  isShut(group: string): boolean {
    const record = this.#records.get(group)
    if (record === undefined) return false
    return this.#left(record) < 1 && this.#now() - record.goodAt > trustMs
  }

  failed(group: string): void {
    const record = this.#take(group)
    record.left = Math.max(0, this.#left(record) - 1)
    record.at = this.#now()
  }

  succeeded(group: string): void {
    this.#take(group).goodAt = this.#now()
  }

  #left({ left, at }: Record): number {
    return Math.min(burst, left + (this.#now() - at) / forgetMs)
  }

  /** The record of an address, moved behind all others: the one that was quiet longest goes first. */
  #take(group: string): Record {
    const record = this.#records.get(group) ?? { left: burst, at: this.#now(), goodAt: -Infinity }
    this.#records.delete(group)
    this.#records.set(group, record)
    if (this.#records.size > maxAddresses) {
      const [oldest] = this.#records.keys()
      if (oldest !== undefined) this.#records.delete(oldest)
    }
    return record
  }
}
