import type { Clock } from '@hearth/runtime'
import { AccountError } from './account-error.ts'

/** Slows down guessing, for each key: an address, an account. */
export interface Throttle {
  /**
   * Counts a failure, before anything is compared, so that many attempts at once do not slip through together. Throws an
   * `AccountError` while the key must wait.
   */
  attempt(key: string): void | Promise<void>
  /** The attempt was no failure. */
  succeed(key: string): void | Promise<void>
}

/** A throttle in memory, which can also count failures only. */
export interface MemoryThrottle extends Throttle {
  attempt(key: string): void
  succeed(key: string): void
  /** Counts a failure and returns the seconds that the key must wait, 0 for none. */
  fail(key: string): number
  /** Seconds that the key must still wait; 0 when it may try. */
  waitOf(key: string): number
}

/** The policy that decides when a key must wait. Times are milliseconds of a clock that does not jump. */
export interface ThrottlePolicy {
  /** Failures that are allowed in a window. */
  readonly limit: number
  /** Failures that are older do not count. */
  readonly windowSeconds: number
  /** Until when the key must wait after these failures, oldest first; the last one is now. */
  waitsUntil(failures: readonly number[]): number
  /** Effect of a success: it refunds its own attempt, or clears all failures. */
  readonly success: 'forgets-attempt' | 'forgets-all'
}

/** At most `limit` failures in any stretch of `windowSeconds`. */
export function slidingWindow(limit: number, windowSeconds: number): ThrottlePolicy {
  return {
    limit,
    windowSeconds,
    waitsUntil: (failures) => (failures.at(-limit) ?? -Infinity) + windowSeconds * 1000,
    success: 'forgets-attempt',
  }
}

/** More than `limit` failures in `windowSeconds` lock the key for `lockSeconds`. */
export function lockOut(limit: number, windowSeconds: number, lockSeconds: number): ThrottlePolicy {
  return {
    limit,
    windowSeconds,
    waitsUntil: (failures) => (failures.length > limit ? (failures.at(-1) ?? 0) + lockSeconds * 1000 : 0),
    success: 'forgets-all',
  }
}

/** From failure number `limit` on, each doubles the wait: one second, two, four, up to `maxSeconds`. */
export function backOff(limit: number, maxSeconds: number): ThrottlePolicy {
  return {
    limit,
    windowSeconds: 86_400,
    waitsUntil(failures) {
      const seconds = failures.length < limit ? 0 : Math.min(maxSeconds, 2 ** (failures.length - limit))
      return (failures.at(-1) ?? 0) + seconds * 1000
    },
    success: 'forgets-all',
  }
}

/** Keys remembered at once. Further keys share one count, so that a flood of keys neither fills memory nor resets counts. */
const maxKeys = 10_000
const sharedKey = '\0shared'

/** Minimum number of failures that are kept per key; a policy with a higher limit keeps as many as that. */
const keptFailures = 50

interface Entry {
  readonly failures: readonly number[]
  readonly waitsUntil: number
}

/** Counts failures in memory, on a clock that does not jump. */
export function createThrottle(policy: ThrottlePolicy, clock: Clock): MemoryThrottle {
  const { limit, windowSeconds } = policy
  const entries = new Map<string, Entry>()
  const isInWindow = (time: number) => time > clock.monotonic() - windowSeconds * 1000

  function forgetOld(): void {
    for (const [key, entry] of entries) {
      if (secondsLeft(entry) === 0 && !isInWindow(entry.failures.at(-1) ?? -Infinity)) entries.delete(key)
    }
  }

  function keyFor(key: string): string {
    if (entries.has(key) || entries.size < maxKeys) return key
    forgetOld()
    return entries.size < maxKeys ? key : sharedKey
  }

  const secondsLeft = (entry: Entry | undefined): number =>
    entry === undefined ? 0 : Math.max(0, Math.ceil((entry.waitsUntil - clock.monotonic()) / 1000))

  function count(key: string): number {
    const earlier = (entries.get(key)?.failures ?? []).filter(isInWindow)
    const failures = [...earlier, clock.monotonic()].slice(-Math.max(keptFailures, limit + 1))
    const entry = { failures, waitsUntil: policy.waitsUntil(failures) }
    entries.set(key, entry)
    return secondsLeft(entry)
  }

  return {
    waitOf: (key) => secondsLeft(entries.get(keyFor(key))),
    fail(given) {
      const key = keyFor(given)
      return secondsLeft(entries.get(key)) || count(key)
    },
    attempt(given) {
      const key = keyFor(given)
      const retryAfterSeconds = secondsLeft(entries.get(key))
      if (retryAfterSeconds > 0)
        throw new AccountError({ kind: 'rate-limited', limit, windowSeconds, retryAfterSeconds })
      count(key)
    },
    succeed(given) {
      const key = keyFor(given)
      const failures = policy.success === 'forgets-all' ? [] : (entries.get(key)?.failures.slice(0, -1) ?? [])
      if (failures.length === 0) entries.delete(key)
      else entries.set(key, { failures, waitsUntil: policy.waitsUntil(failures) })
    },
  }
}
