import type { Timers } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import type { Link, Priority } from '../link/link.ts'
import { deviceProblem, staleReasonOf, type StaleReason } from './device-problem.ts'
import { createMetricCache, type CachedValue, type MetricCache } from './metric-cache.ts'
import { apiValueOf } from './value.ts'

/** A value with how it was come by. */
export interface Reading {
  readonly object: CatalogObject
  readonly cached: CachedValue
  readonly source: 'device' | 'cache'
  /** Why the value is older than it should be; null when it is not. */
  readonly staleReason: StaleReason | null
}

/** How a value is wanted. */
export interface ReadWish {
  /** A cached value younger than this will do, milliseconds; left out, whatever counts as fresh; 0 always asks the device. */
  readonly maxAge?: number
  readonly priority?: Priority
}

/** Reads one device: from the cache, or from the device with one request a metric however many ask. */
export interface DeviceReader {
  readonly cache: MetricCache
  /** Throws a `Problem` when neither the device nor the cache has a value. */
  read(object: CatalogObject, wish?: ReadWish): Promise<Reading>
  /** Asks the device in any case and joins no request under way: for what must be true now. */
  readDirect(object: CatalogObject, priority: Priority): Promise<CachedValue>
  /** Takes a value the device sent on its own. */
  accept(object: CatalogObject, payload: Uint8Array): void
  readonly counts: { hits: number; misses: number }
}

export interface ReaderParts {
  readonly link: Pick<Link, 'read'>
  readonly address: number | undefined
  readonly timers: Timers
  /** Hears of every value that came from the device. */
  readonly onValue: (object: CatalogObject, cached: CachedValue) => void
  /** Hears how every exchange ended. */
  readonly onOutcome: (worked: boolean, priority: Priority) => void
}

export function createDeviceReader(parts: ReaderParts): DeviceReader {
  const { link, address, timers } = parts
  const cache = createMetricCache(timers)
  const underWay = new Map<string, Promise<CachedValue>>()
  const counts = { hits: 0, misses: 0 }

  async function readDirect(object: CatalogObject, priority: Priority): Promise<CachedValue> {
    try {
      const payload = await link.read(object.objectId, { address, priority })
      const cached = cache.put(object.name, apiValueOf(object, payload))
      parts.onOutcome(true, priority)
      parts.onValue(object, cached)
      return cached
    } catch (error) {
      parts.onOutcome(false, priority)
      throw deviceProblem(error)
    }
  }

  function readOnce(object: CatalogObject, priority: Priority): Promise<CachedValue> {
    const running = underWay.get(object.name)
    if (running !== undefined) return running
    const reading = readDirect(object, priority).finally(() => underWay.delete(object.name))
    underWay.set(object.name, reading)
    return reading
  }

  async function read(object: CatalogObject, { maxAge, priority = 'normal' }: ReadWish = {}): Promise<Reading> {
    const known = cache.get(object.name)
    const isGood =
      known !== undefined && (maxAge === undefined ? cache.isFresh(object.name, known) : cache.age(known) < maxAge)
    if (isGood) {
      counts.hits += 1
      return { object, cached: known, source: 'cache', staleReason: null }
    }
    counts.misses += 1
    try {
      return { object, cached: await readOnce(object, priority), source: 'device', staleReason: null }
    } catch (error) {
      const staleReason = staleReasonOf(error)
      const older = cache.get(object.name)
      if (staleReason === undefined || older === undefined || !cache.isUsable(object.name, older)) throw error
      return { object, cached: older, source: 'cache', staleReason }
    }
  }

  function accept(object: CatalogObject, payload: Uint8Array): void {
    try {
      parts.onValue(object, cache.put(object.name, apiValueOf(object, payload)))
    } catch {
      // A value that cannot be is no value; the next one comes by itself.
    }
  }

  return { cache, read, readDirect, accept, counts }
}
