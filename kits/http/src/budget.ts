import { systemClock, type Clock } from '@hearth/runtime'

/** Remainder of a caller's budget. */
export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly windowSeconds: number
  /** Seconds until one more is possible, at least 1 when nothing is left; 0 otherwise. */
  readonly retryAfterSeconds: number
}

/** A number of requests in any stretch of time of one length, for each key. One budget may serve many routes. */
export interface Budget {
  /** Counts one more for the key, unless that would be too many. */
  take(key: string): Allowance
  /** Gives the last one back, for a request that turned out not to count. */
  refund(key: string): void
  /** Returns the remainder without counting a request. */
  peek(key: string): Allowance
}

const overflowKey = '\u0000overflow'

/** Limits of a budget, and the number of keys it remembers. */
export interface BudgetOptions {
  readonly limit: number
  readonly windowSeconds: number
  readonly capacity?: number
  readonly clock?: Clock
}

/**
 * A sliding window: the limit holds for every window, not only for those that begin at fixed times. At most `capacity` keys are
 * remembered; active keys are never evicted; further keys share one count instead, so a flood of addresses neither fills the
 * memory nor resets a count. Measured on a clock that does not jump.
 */
export function createBudget(options: BudgetOptions): Budget {
  return new SlidingWindow(options)
}

/** Timestamps in order; old ones go from the front without moving the rest each time. */
class Timestamps {
  #times: number[] = []
  #first = 0

  get count(): number {
    return this.#times.length - this.#first
  }

  get last(): number {
    return this.count === 0 ? -Infinity : (this.#times.at(-1) ?? -Infinity)
  }

  /** Returns the timestamp at a position from the end; 1 is the last. */
  fromEnd(position: number): number | undefined {
    return position > this.count ? undefined : this.#times[this.#times.length - position]
  }

  add(timestamp: number): void {
    this.#times.push(timestamp)
  }

  removeLast(): void {
    if (this.count > 0) this.#times.pop()
  }

  dropUntil(start: number): void {
    while (this.#first < this.#times.length && (this.#times[this.#first] ?? 0) <= start) this.#first += 1
    if (this.#first <= 32 || this.#first * 2 < this.#times.length) return
    this.#times = this.#times.slice(this.#first)
    this.#first = 0
  }
}

class SlidingWindow implements Budget {
  /** Insertion order is order of last use: a key is taken out and put back whenever it is counted. */
  readonly #requests = new Map<string, Timestamps>()
  readonly #limit: number
  readonly #windowMs: number
  readonly #capacity: number
  readonly #clock: Clock

  constructor({ limit, windowSeconds, capacity = 100_000, clock = systemClock }: BudgetOptions) {
    this.#limit = limit
    this.#windowMs = windowSeconds * 1000
    this.#capacity = capacity
    this.#clock = clock
  }

  take(given: string): Allowance {
    const key = this.#keyFor(given)
    const times = this.#recent(key)
    const allowed = times.count < this.#limit
    if (allowed) times.add(this.#clock.monotonic())
    this.#requests.delete(key)
    if (times.count > 0) this.#requests.set(key, times)
    return this.#allowance(times, allowed)
  }

  refund(given: string): void {
    this.#requests.get(this.#requests.has(given) ? given : overflowKey)?.removeLast()
  }

  peek(given: string): Allowance {
    const times = this.#recent(this.#keyFor(given))
    return this.#allowance(times, times.count < this.#limit)
  }

  #keyFor(key: string): string {
    this.#forgetExpired()
    return this.#requests.has(key) || this.#requests.size < this.#capacity ? key : overflowKey
  }

  #forgetExpired(): void {
    const start = this.#clock.monotonic() - this.#windowMs
    for (const [key, times] of this.#requests) {
      if (times.last > start) return
      this.#requests.delete(key)
    }
  }

  #recent(key: string): Timestamps {
    const times = this.#requests.get(key) ?? new Timestamps()
    times.dropUntil(this.#clock.monotonic() - this.#windowMs)
    return times
  }

  #allowance(times: Timestamps, allowed: boolean): Allowance {
    const oldest = times.fromEnd(this.#limit)
    const wait = oldest === undefined ? 0 : oldest + this.#windowMs - this.#clock.monotonic()
    const remaining = Math.max(0, this.#limit - times.count)
    return {
      allowed,
      limit: this.#limit,
      remaining,
      windowSeconds: this.#windowMs / 1000,
      retryAfterSeconds: remaining > 0 ? 0 : Math.max(1, Math.ceil(wait / 1000)),
    }
  }
}

/** The headers that tell a caller what is left; `Retry-After` when nothing is. */
export function allowanceHeaders(allowance: Allowance, now: number): Record<string, string> {
  const reset =
    Math.ceil(now / 1000) + (allowance.retryAfterSeconds > 0 ? allowance.retryAfterSeconds : allowance.windowSeconds)
  return {
    'x-ratelimit-limit': String(allowance.limit),
    'x-ratelimit-remaining': String(allowance.remaining),
    'x-ratelimit-reset': String(reset),
    ...(allowance.allowed ? {} : { 'retry-after': String(allowance.retryAfterSeconds) }),
  }
}
