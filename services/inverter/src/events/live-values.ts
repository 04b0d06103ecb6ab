import type { Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { metricValueOf } from '../metrics/metric-value.ts'
import type { DeviceReadiness } from '../readiness/schema.ts'
import type { GatewayEvent } from './schema.ts'

/** Values of one device are collected for so long before they are told, milliseconds. */
const collectFor = 250

/** How often it is looked whether a device stands otherwise than before, milliseconds. */
const lookEvery = 1000

export interface LiveParts {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly devices: () => readonly DeviceRuntime[]
  readonly listeners: () => number
  readonly intervalMs: () => number
  readonly readiness: (device: DeviceRuntime) => DeviceReadiness
  readonly publish: (event: GatewayEvent) => void
}

/** Tells listeners what devices gave, and reads the energy flow regularly while somebody listens. */
export interface LiveValues {
  note(deviceId: string, object: CatalogObject): void
  close(): void
}

export function startLiveValues(parts: LiveParts): LiveValues {
  return new WatchedValues(parts)
}

class WatchedValues implements LiveValues {
  readonly #parts: LiveParts
  readonly #flow: readonly CatalogObject[]
  readonly #waiting = new Map<string, Map<string, CatalogObject>>()
  /** What was told last of each device. */
  readonly #told = new Map<string, string>()
  #isClosed = false
  #cancel: () => void
  #cancelLook: () => void

  constructor(parts: LiveParts) {
    const { catalog, timers, intervalMs } = parts
    this.#parts = parts
    this.#flow = catalog.roles.energyFlow.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
    this.#cancel = timers.after(intervalMs(), () => void this.#watch())
    this.#cancelLook = timers.after(lookEvery, () => this.#look())
  }

  note(deviceId: string, object: CatalogObject): void {
    if (this.#parts.listeners() === 0) return
    const collected = this.#waiting.get(deviceId)
    if (collected !== undefined) {
      collected.set(object.name, object)
      return
    }
    this.#waiting.set(deviceId, new Map([[object.name, object]]))
    this.#parts.timers.after(collectFor, () => this.#tell(deviceId))
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
    this.#cancelLook()
  }

  /** Tells how devices stand, when that has changed. */
  #look(): void {
    const { devices, listeners, readiness, publish, timers } = this.#parts
    for (const runtime of listeners() > 0 ? devices() : []) {
      const device = readiness(runtime)
      const standing = JSON.stringify(standingOf(device))
      if (this.#told.get(runtime.deviceId) === standing) continue
      this.#told.set(runtime.deviceId, standing)
      publish({ type: 'readiness', device })
    }
    if (!this.#isClosed) this.#cancelLook = timers.after(lookEvery, () => this.#look())
  }

  #tell(deviceId: string): void {
    const collected = this.#waiting.get(deviceId)
    this.#waiting.delete(deviceId)
    const runtime = this.#parts.devices().find((device) => device.deviceId === deviceId)
    if (collected === undefined || runtime === undefined || this.#parts.listeners() === 0) return
    const { cache } = runtime.reader
    const values = [...collected.values()].flatMap((object) => {
      const cached = cache.get(object.name)
      if (cached === undefined) return []
      return [metricValueOf({ object, cached, source: 'cache', staleReason: null }, cache, false)]
    })
    this.#parts.publish({ type: 'values', device_id: deviceId, values })
  }

  async #watch(): Promise<void> {
    const { devices, listeners, timers, intervalMs } = this.#parts
    if (listeners() > 0) await Promise.allSettled(devices().map((runtime) => this.#refresh(runtime)))
    if (!this.#isClosed) this.#cancel = timers.after(intervalMs(), () => void this.#watch())
  }

  async #refresh(runtime: DeviceRuntime): Promise<void> {
    for (const object of this.#flow) {
      const { staleReason } = await runtime.reader.read(object, { maxAge: this.#parts.intervalMs() })
      // The first failure is the device's as a whole; the next round tries again.
      if (staleReason !== null || this.#isClosed) return
    }
  }
}

/** What of a device's readiness is worth telling: not that its counters grow. */
function standingOf(device: DeviceReadiness): unknown[] {
  const { ready, state, periodic_available: periodic, foreign_access_suspected: foreign } = device
  const { dispatch_restore_pending: pending, dispatch_record_corrupt: corrupt, unanswered_metrics: unanswered } = device
  return [ready, state, periodic, foreign, pending, corrupt, unanswered]
}
