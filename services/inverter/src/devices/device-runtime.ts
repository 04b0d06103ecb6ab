import type { Log, Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Link } from '../link/link.ts'
import { startPeriodic, type Periodic } from '../link/periodic.ts'
import { createDeviceGateway, type DeviceGateway } from '../metrics/device-gateway.ts'
import { createDeviceReader, type DeviceReader } from '../metrics/device-reader.ts'
import { createDeviceWriter, type DeviceWriter } from '../metrics/device-writer.ts'
import type { CachedValue } from '../metrics/metric-cache.ts'
import { startHeartbeat, type Heartbeat } from '../readiness/heartbeat.ts'
import { createVitality, type Vitality } from '../readiness/vitality.ts'
import type { Device } from './device.ts'

/** The device's own interval for values it sends by itself, seconds: one for all of them. */
const periodSeconds = 30

/** A value that came by itself stays fresh for three intervals. */
const periodicFreshMs = 3 * periodSeconds * 1000

/** A configured inverter at work. */
export interface DeviceRuntime {
  readonly deviceId: string
  readonly device: Device
  readonly link: Link
  readonly reader: DeviceReader
  readonly writer: DeviceWriter
  readonly gateway: DeviceGateway
  readonly vitality: Vitality
  /** Undefined when the device is not asked to send values by itself. */
  readonly periodic: Periodic | undefined
  /** Takes a value that arrived without being asked for. */
  accept(objectId: number, payload: Uint8Array): void
  close(): Promise<void>
}

/** What the devices report to. */
export interface RuntimeParts {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly journal: (entry: JournalEntry) => Promise<void>
  readonly onValue: (deviceId: string, object: CatalogObject, cached: CachedValue) => void
  readonly onVitality: (deviceId: string) => void
  /** The firmware revision as the device tells it, after every connection. */
  readonly onFirmware: (deviceId: string, firmware: string) => void
}

export function createDeviceRuntime(device: Device, link: Link, parts: RuntimeParts): DeviceRuntime {
  const { catalog, timers } = parts
  const address = device.networkId
  const vitality = createVitality(timers)
  const reader = createDeviceReader({
    link,
    address,
    timers,
    onValue: (object, cached) => parts.onValue(device.id, object, cached),
    onOutcome: (worked, priority) => {
      vitality.noteExchange(worked, priority === 'background')
      parts.onVitality(device.id)
    },
  })
  const periodic = device.periodicReads ? openPeriodic() : undefined
  const heartbeat = beat(device, reader, parts, vitality)

  function openPeriodic(): Periodic {
    const names = catalog.roles.periodic
    const objects = names.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
    reader.cache.setPeriodic(new Set(names), periodicFreshMs)
    return startPeriodic({
      link,
      address,
      objectIds: objects.map((object) => object.objectId),
      periodSeconds,
      timers,
      log: parts.log,
      onValue: accept,
    })
  }

  function accept(objectId: number, payload: Uint8Array): void {
    const object = catalog.byId(objectId)
    if (object === undefined) return
    vitality.notePeriodic()
    reader.accept(object, payload)
    parts.onVitality(device.id)
  }

  const writer = createDeviceWriter({
    deviceId: device.id,
    link,
    address,
    reader,
    timers,
    journal: parts.journal,
    onWritten: (object) => {
      if (object.name === 'pas_period') periodic?.refresh()
    },
  })
  return {
    deviceId: device.id,
    device,
    link,
    reader,
    writer,
    gateway: createDeviceGateway({ deviceId: device.id, catalog, reader, writer }),
    vitality,
    periodic,
    accept,
    async close() {
      heartbeat.close()
      await periodic?.stop()
    },
  }
}

function beat(device: Device, reader: DeviceReader, parts: RuntimeParts, vitality: Vitality): Heartbeat {
  const { catalog, timers } = parts
  const [state, revision] = [catalog.byName(catalog.roles.heartbeat), catalog.byName('svnversion')]
  let hasFirmware = false
  return startHeartbeat({
    timers,
    isFailing: () => vitality.signs().consecutiveFailures > 0,
    async beat() {
      if (state !== undefined) await reader.readDirect(state, 'background')
      if (revision === undefined || (hasFirmware && device.firmware !== null)) return
      parts.onFirmware(device.id, String((await reader.readDirect(revision, 'background')).value))
      hasFirmware = true
    },
  })
}
