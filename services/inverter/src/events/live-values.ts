import type { Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { metricValueOf } from '../metrics/metric-value.ts'
import type { GatewayEvent } from './schema.ts'

/** Values of one device are collected for so long before they are told, milliseconds. */
const collectFor = 250

export interface LiveParts {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly devices: () => readonly DeviceRuntime[]
  readonly listeners: () => number
  readonly intervalMs: () => number
  readonly publish: (event: GatewayEvent) => void
}

/** Tells listeners what devices gave, and reads the energy flow regularly while somebody listens. */
export interface LiveValues {
  note(deviceId: string, object: CatalogObject): void
  close(): void
}

export function startLiveValues(parts: LiveParts): LiveValues {
  const { catalog, timers, devices, listeners } = parts
  const waiting = new Map<string, Map<string, CatalogObject>>()
  const flow = catalog.roles.energyFlow.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
  let isClosed = false
  let cancel = timers.after(parts.intervalMs(), () => void watch())

  function note(deviceId: string, object: CatalogObject): void {
    if (listeners() === 0) return
    const collected = waiting.get(deviceId)
    if (collected !== undefined) {
      collected.set(object.name, object)
      return
    }
    waiting.set(deviceId, new Map([[object.name, object]]))
    timers.after(collectFor, () => tell(deviceId))
  }

  function tell(deviceId: string): void {
    const collected = waiting.get(deviceId)
    waiting.delete(deviceId)
    const runtime = devices().find((device) => device.deviceId === deviceId)
    if (collected === undefined || runtime === undefined || listeners() === 0) return
    const { cache } = runtime.reader
    const values = [...collected.values()].flatMap((object) => {
      const cached = cache.get(object.name)
      return cached === undefined
        ? []
        : [metricValueOf({ object, cached, source: 'cache', staleReason: null }, cache, false)]
    })
    parts.publish({ type: 'values', device_id: deviceId, values })
  }

  async function refresh(runtime: DeviceRuntime): Promise<void> {
    for (const object of flow) {
      // The first failure is the device's as a whole; the next round tries again.
      const { staleReason } = await runtime.reader.read(object, { maxAge: parts.intervalMs(), priority: 'normal' })
      if (staleReason !== null || isClosed) return
    }
  }

  async function watch(): Promise<void> {
    if (listeners() > 0) await Promise.allSettled(devices().map((runtime) => refresh(runtime)))
    if (!isClosed) cancel = timers.after(parts.intervalMs(), () => void watch())
  }

  return {
    note,
    close() {
      isClosed = true
      cancel()
    },
  }
}
