import type { Timers } from '@hearth/runtime'
import type { ApiValue } from './value.ts'

/** Time for which a value counts as fresh, and further time for which it may replace one that cannot be read; milliseconds. */
const freshFor = 10_000
const graceFor = 120_000

/** A value of one metric and when the device gave it. */
export interface CachedValue {
  readonly value: ApiValue
  /** The bytes it came in. */
  readonly payload: Uint8Array
  /** Monotonic milliseconds. */
  readonly at: number
  /** Wall clock. */
  readonly wallAt: number
}

/** The newest value of every metric of one device. Bounded by the catalog. */
export type MetricCache = ReturnType<typeof createMetricCache>

export function createMetricCache(timers: Timers) {
  const entries = new Map<string, CachedValue>()
  let periodicFor: (name: string) => number = () => 0
  const freshLimit = (name: string) => Math.max(freshFor, periodicFor(name))
  const age = (cached: CachedValue) => Math.max(0, timers.monotonic() - cached.at)
  return {
    get: (name: string): CachedValue | undefined => entries.get(name),
    put(name: string, { value, payload }: Pick<CachedValue, 'value' | 'payload'>): CachedValue {
      const cached = { value, payload, at: timers.monotonic(), wallAt: timers.now() }
      entries.set(name, cached)
      return cached
    },
    /** Milliseconds since the device gave the value. */
    age,
    isFresh: (name: string, cached: CachedValue): boolean => age(cached) <= freshLimit(name),
    /** Returns true if a value that could not be refreshed may still be shown. */
    isUsable: (name: string, cached: CachedValue): boolean => age(cached) <= freshLimit(name) + graceFor,
    /** Sets how long a metric is fresh that the device sends by itself, milliseconds: called at every check, 0 for all others. */
    setPeriodic(freshMs: (name: string) => number): void {
      periodicFor = freshMs
    },
  }
}
