import type { Timers } from '@hearth/runtime'
import type { ApiValue } from './value.ts'

/** Time for which a value counts as fresh, and further time for which it may replace one that cannot be read; milliseconds. */
const freshFor = 10_000
const graceFor = 120_000

/** A value of one metric and when the device gave it. */
export interface CachedValue {
  readonly value: ApiValue
  /** Monotonic milliseconds. */
  readonly at: number
  /** Wall clock. */
  readonly wallAt: number
}

/** The newest value of every metric of one device. Bounded by the catalog. */
export interface MetricCache {
  get(name: string): CachedValue | undefined
  put(name: string, value: ApiValue): CachedValue
  /** Milliseconds since the device gave the value. */
  age(cached: CachedValue): number
  isFresh(name: string, cached: CachedValue): boolean
  /** Returns true if a value that could not be refreshed may still be shown. */
  isUsable(name: string, cached: CachedValue): boolean
  /** Metrics the device sends on its own are fresh for so long, milliseconds; asked at every look, 0 while it does not. */
  setPeriodic(names: ReadonlySet<string>, freshMs: (name: string) => number): void
  readonly entries: ReadonlyMap<string, CachedValue>
  clear(): void
}

export function createMetricCache(timers: Timers): MetricCache {
  const entries = new Map<string, CachedValue>()
  let periodic: ReadonlySet<string> = new Set()
  let periodicFor: (name: string) => number = () => freshFor
  const freshLimit = (name: string) => (periodic.has(name) ? Math.max(freshFor, periodicFor(name)) : freshFor)
  const age = (cached: CachedValue) => Math.max(0, timers.monotonic() - cached.at)
  return {
    entries,
    get: (name) => entries.get(name),
    put(name, value) {
      const cached = { value, at: timers.monotonic(), wallAt: timers.now() }
      entries.set(name, cached)
      return cached
    },
    age,
    isFresh: (name, cached) => age(cached) <= freshLimit(name),
    isUsable: (name, cached) => age(cached) <= freshLimit(name) + graceFor,
    setPeriodic(names, freshMs) {
      periodic = names
      periodicFor = freshMs
    },
    clear: () => entries.clear(),
  }
}
