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
export function createLiveValues(dependencies: LiveDependencies) {
  const { catalog, timers, devices, listeners, intervalMs, readiness, publish } = dependencies
  const flow = catalog.roles.energyFlow.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
  const waiting = new Map<string, Map<string, CatalogObject>>()
  /** Readiness published last for each device, as JSON. */
  const published = new Map<string, string>()
  let isClosed = false
  let cancel = timers.after(intervalMs(), () => void watch())
  let cancelReadiness = timers.after(readinessInterval, publishReadiness)

  /** Publishes the readiness of devices that changed. */
  function publishReadiness(): void {
    for (const runtime of listeners() > 0 ? devices() : []) {
      const device = readiness(runtime)
      const key = JSON.stringify(device, visibleMembers)
      if (published.get(runtime.deviceId) === key) continue
      published.set(runtime.deviceId, key)
      publish({ type: 'readiness', device })
    }
    if (!isClosed) cancelReadiness = timers.after(readinessInterval, publishReadiness)
  }

  function publishValues(deviceId: string): void {
    const collected = waiting.get(deviceId)
    waiting.delete(deviceId)
    const runtime = devices().find((device) => device.deviceId === deviceId)
    if (collected === undefined || runtime === undefined || listeners() === 0) return
    const { cache } = runtime.reader
    const values = [...collected.values()].flatMap((object) => {
      const cached = cache.get(object.name)
      if (cached === undefined) return []
      return [metricValueOf({ object, cached, source: 'cache', staleReason: null }, cache, false)]
    })
    publish({ type: 'values', device_id: deviceId, values })
  }

  async function watch(): Promise<void> {
    if (listeners() > 0) await Promise.allSettled(devices().map(refresh))
    if (!isClosed) cancel = timers.after(intervalMs(), () => void watch())
  }

  async function refresh(runtime: DeviceRuntime): Promise<void> {
    for (const object of flow) {
      const { staleReason } = await runtime.reader.read(object, { maxAge: intervalMs() })
      // The first failure is the device's as a whole; the next round tries again.
      if (staleReason !== null || isClosed) return
    }
  }

  return {
    note(deviceId: string, object: CatalogObject): void {
      if (listeners() === 0) return
      const collected = waiting.get(deviceId)
      if (collected === undefined) timers.after(collectMs, () => publishValues(deviceId))
      waiting.set(deviceId, (collected ?? new Map<string, CatalogObject>()).set(object.name, object))
    },
    close(): void {
      isClosed = true
      cancel()
      cancelReadiness()
    },
  }
}
