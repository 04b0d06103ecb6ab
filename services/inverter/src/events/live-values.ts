import type { Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { metricValueOf } from '../metrics/device-reader.ts'
import type { DeviceReadiness } from '../readiness/schema.ts'
import type { GatewayEvent } from './schema.ts'

/** Values of one device are collected for so long before they are published, milliseconds. */
const collectMs = 250

/** Interval at which readiness is compared with the last one published, milliseconds. */
const readinessInterval = 1000

/** Members of a device's readiness that count as a change; counters do not. */
const visible = ['ready', 'state', 'periodic_available', 'foreign_access_suspected', 'dispatch_restore_pending']
const visibleMembers = [...visible, 'dispatch_record_corrupt', 'unanswered_metrics']

interface LiveDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly devices: () => readonly DeviceRuntime[]
  readonly listeners: () => number
  readonly intervalMs: () => number
  readonly readiness: (device: DeviceRuntime) => DeviceReadiness
  readonly publish: (event: GatewayEvent) => void
}

/** Publishes the values and states of devices, and reads the energy flow at an interval while anyone listens. */
export class LiveValues {
  readonly #dependencies: LiveDependencies
  readonly #flow: readonly CatalogObject[]
  readonly #waiting = new Map<string, Map<string, CatalogObject>>()
  /** Readiness published last for each device, as JSON. */
  readonly #published = new Map<string, string>()
  #isClosed = false
  #cancel: () => void
  #cancelReadiness: () => void

  constructor(dependencies: LiveDependencies) {
    const { catalog, timers, intervalMs } = dependencies
    this.#dependencies = dependencies
    this.#flow = catalog.roles.energyFlow.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
    this.#cancel = timers.after(intervalMs(), () => void this.#watch())
    this.#cancelReadiness = timers.after(readinessInterval, () => this.#publishReadiness())
  }

  note(deviceId: string, object: CatalogObject): void {
    if (this.#dependencies.listeners() === 0) return
    const collected = this.#waiting.get(deviceId)
    if (collected !== undefined) {
      collected.set(object.name, object)
      return
    }
    this.#waiting.set(deviceId, new Map([[object.name, object]]))
    this.#dependencies.timers.after(collectMs, () => this.#publishValues(deviceId))
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
    this.#cancelReadiness()
  }

  /** Publishes the readiness of devices that changed. */
  #publishReadiness(): void {
    const { devices, listeners, readiness, publish, timers } = this.#dependencies
    for (const runtime of listeners() > 0 ? devices() : []) {
      const device = readiness(runtime)
      const key = JSON.stringify(device, visibleMembers)
      if (this.#published.get(runtime.deviceId) === key) continue
      this.#published.set(runtime.deviceId, key)
      publish({ type: 'readiness', device })
    }
    if (!this.#isClosed) this.#cancelReadiness = timers.after(readinessInterval, () => this.#publishReadiness())
  }

  #publishValues(deviceId: string): void {
    const collected = this.#waiting.get(deviceId)
    this.#waiting.delete(deviceId)
    const runtime = this.#dependencies.devices().find((device) => device.deviceId === deviceId)
    if (collected === undefined || runtime === undefined || this.#dependencies.listeners() === 0) return
    const { cache } = runtime.reader
    const values = [...collected.values()].flatMap((object) => {
      const cached = cache.get(object.name)
      if (cached === undefined) return []
      return [metricValueOf({ object, cached, source: 'cache', staleReason: null }, cache, false)]
    })
    this.#dependencies.publish({ type: 'values', device_id: deviceId, values })
  }

  async #watch(): Promise<void> {
    const { devices, listeners, timers, intervalMs } = this.#dependencies
    if (listeners() > 0) await Promise.allSettled(devices().map((runtime) => this.#refresh(runtime)))
    if (!this.#isClosed) this.#cancel = timers.after(intervalMs(), () => void this.#watch())
  }

  async #refresh(runtime: DeviceRuntime): Promise<void> {
    for (const object of this.#flow) {
      const { staleReason } = await runtime.reader.read(object, { maxAge: this.#dependencies.intervalMs() })
      // The first failure is the device's as a whole; the next round tries again.
      if (staleReason !== null || this.#isClosed) return
    }
  }
}
