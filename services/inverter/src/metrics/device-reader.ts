import type { Timers } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import { LinkError } from '../link/link-errors.ts'
import type { Link } from '../link/link.ts'
import type { Priority } from '../link/send-queue.ts'
import type { UnansweredObjects } from '../link/unanswered-objects.ts'
import { Problem } from '../problems.ts'
import { DecodeError } from '../protocol/wire-value.ts'
import { deviceProblem, staleReasonOf, type StaleReason } from './device-problem.ts'
import { createMetricCache, type CachedValue, type MetricCache } from './metric-cache.ts'
import type { MetricValue } from './schema.ts'
import { apiValueOf, labelOf } from './value.ts'

/** A value with its source. */
export interface Reading {
  readonly object: CatalogObject
  readonly cached: CachedValue
  readonly source: 'device' | 'cache'
  /** Reason why the value is older than it should be; null when it is not. */
  readonly staleReason: StaleReason | null
}

/** A reading as the wire has it. `isFreshRead` when the caller insisted on the device. */
export function metricValueOf(
  { object, cached, source, staleReason }: Reading,
  cache: MetricCache,
  isFreshRead: boolean,
): MetricValue {
  const isEnum = object.valueType === 'enum'
  return {
    name: object.name,
    value: cached.value,
    unit: object.unit,
    timestamp: new Date(cached.wallAt).toISOString(),
    age_seconds: source === 'device' ? 0 : Math.round(cache.age(cached)) / 1000,
    stale: staleReason !== null,
    stale_reason: staleReason,
    source,
    freshness: isFreshRead ? (source === 'device' ? 'observed' : 'cached') : null,
    enum_value: isEnum && typeof cached.value === 'number' ? cached.value : null,
    enum_label: isEnum ? labelOf(object, cached.value) : null,
  }
}

/** Options of a reading. */
export interface ReadOptions {
  /** A cached value younger than this will do, milliseconds; left out, whatever counts as fresh; 0 always queries the device. */
  readonly maxAge?: number
  readonly priority?: Priority
}

export interface ReaderDependencies {
  readonly link: Pick<Link, 'read' | 'status' | 'onConnected'>
  readonly address: number | undefined
  readonly timers: Timers
  readonly unanswered: UnansweredObjects
  /** Called with every value that came from the device. */
  readonly onValue: (object: CatalogObject) => void
  /**
   * Called with the outcome and duration of every exchange, seconds. An answer that cannot be a value is a failure, but one of
   * a device that lives.
   */
  readonly onOutcome: (outcome: { worked: boolean; lives: boolean; priority: Priority; seconds: number }) => void
}

/** Reads one device: from the cache, or from the device with one request per metric however many callers wait. */
export class DeviceReader {
  readonly cache: MetricCache
  readonly counts = { hits: 0, misses: 0 }
  readonly #dependencies: ReaderDependencies
  readonly #underWay = new Map<string, Promise<CachedValue>>()

  constructor(dependencies: ReaderDependencies) {
    this.#dependencies = dependencies
    this.cache = createMetricCache(dependencies.timers)
  }

  /** Counts everything that arrives from the device. */
  get framesReceived(): number {
    return this.#dependencies.link.status().framesReceived
  }

  /** Returns true if the firmware does not answer the object, so that it is not requested at present. */
  isLeftOut({ objectId }: CatalogObject): boolean {
    return this.#dependencies.unanswered.isLeftOut(objectId)
  }

  /** Throws a `Problem` when neither the device nor the cache has a value. */
  async read(object: CatalogObject, { maxAge, priority = 'normal' }: ReadOptions = {}): Promise<Reading> {
    const known = this.cache.get(object.name)
    if (known !== undefined && this.#isGoodEnough(object.name, known, maxAge)) {
      this.counts.hits += 1
      return { object, cached: known, source: 'cache', staleReason: null }
    }
    this.counts.misses += 1
    try {
      this.#refuseUnanswered(object)
      return { object, cached: await this.#readOnce(object, priority), source: 'device', staleReason: null }
    } catch (error) {
      const staleReason = staleReasonOf(error)
      const older = this.cache.get(object.name)
      if (staleReason === undefined || older === undefined || !this.cache.isUsable(object.name, older)) throw error
      return { object, cached: older, source: 'cache', staleReason }
    }
  }

  /** Queries the device in any case and joins no request in progress: for values that must be current. */
  async readDirect(object: CatalogObject, priority: Priority): Promise<CachedValue> {
    const cached = await this.#query(object, priority, (payload) => this.#keep(object, payload))
    this.#dependencies.onValue(object)
    return cached
  }

  /**
   * Returns the bytes of an object as the device has them, even when they are no value of its type: from the cache when they are
   * younger than `maxAge`, milliseconds. Throws a `Problem` when it does not answer.
   */
  async readBytes(object: CatalogObject, maxAge: number): Promise<Uint8Array> {
    const known = this.cache.get(object.name)
    if (known !== undefined && this.cache.age(known) < maxAge) {
      this.counts.hits += 1
      return known.payload
    }
    this.counts.misses += 1
    this.#refuseUnanswered(object)
    return this.#query(object, 'normal', (payload) => {
      this.accept(object, payload)
      return payload
    })
  }

  /** Sends a request and takes the answer, and notes how it went. */
  async #query<T>({ objectId }: CatalogObject, priority: Priority, take: (payload: Uint8Array) => T): Promise<T> {
    const { link, address, timers, unanswered, onOutcome } = this.#dependencies
    const begin = timers.monotonic()
    const damage = this.#damage()
    const notify = (worked: boolean, lives: boolean) =>
      onOutcome({ worked, lives, priority, seconds: (timers.monotonic() - begin) / 1000 })
    try {
      const payload = await link.read(objectId, { address, priority })
      unanswered.recordAnswer(objectId)
      const taken = take(payload)
      notify(true, true)
      return taken
    } catch (error) {
      const isSilence = error instanceof LinkError && error.failure === 'timeout' && this.#damage() === damage
      if (isSilence) unanswered.recordSilence(objectId)
      notify(false, error instanceof DecodeError)
      throw deviceProblem(error)
    }
  }

  /** Resolves when there is a connection, at once if there is one; after so many milliseconds in any case. */
  async reconnected(ms: number): Promise<void> {
    const { link, timers } = this.#dependencies
    if (link.status().state === 'connected') return
    const { promise, resolve } = Promise.withResolvers<void>()
    const ends = [link.onConnected(() => resolve()), timers.after(ms, resolve)]
    await promise
    for (const end of ends) end()
  }

  /** Takes a value the device sent on its own. */
  accept(object: CatalogObject, payload: Uint8Array): void {
    this.#dependencies.unanswered.recordAnswer(object.objectId)
    try {
      this.#keep(object, payload)
      this.#dependencies.onValue(object)
    } catch {
      // An invalid value is ignored; the next one arrives by itself.
    }
  }

  /** Throws a `DecodeError` when the bytes are no value of the object. */
  #keep(object: CatalogObject, payload: Uint8Array): CachedValue {
    return this.cache.put(object.name, { value: apiValueOf(object, payload), payload })
  }

  /** Every silence costs the connection, so an object that is known to be silent is not requested until its next attempt. */
  #refuseUnanswered(object: CatalogObject): void {
    const { name, objectId } = object
    const found = this.isLeftOut(object) ? this.#dependencies.unanswered.find(objectId) : undefined
    if (found === undefined) return
    const retryAt = new Date(found.retryAt).toISOString()
    const detail = `The inverter's firmware does not answer ${name}; it is requested again at ${retryAt}`
    throw new Problem('device_timeout', detail, { members: { retry_at: retryAt } })
  }

  /** Grows with everything on the line that may have been an answer. */
  #damage(): number {
    const { crcErrors, framingErrors, discardedBytes } = this.#dependencies.link.status()
    return crcErrors + framingErrors + discardedBytes
  }

  #isGoodEnough(name: string, known: CachedValue, maxAge: number | undefined): boolean {
    return maxAge === undefined ? this.cache.isFresh(name, known) : this.cache.age(known) < maxAge
  }

  #readOnce(object: CatalogObject, priority: Priority): Promise<CachedValue> {
    const running = this.#underWay.get(object.name)
    if (running !== undefined) return running
    const reading = this.readDirect(object, priority).finally(() => this.#underWay.delete(object.name))
    this.#underWay.set(object.name, reading)
    return reading
  }
}
