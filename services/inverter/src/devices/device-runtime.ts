import type { Log, Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Link } from '../link/link.ts'
import { startPeriodic, type Periodic } from '../link/periodic.ts'
import { createDeviceGateway, type DeviceGateway } from '../metrics/device-gateway.ts'
import { createDeviceReader, type DeviceReader } from '../metrics/device-reader.ts'
import { createDeviceWriter, type DeviceWriter } from '../metrics/device-writer.ts'
import { textOf } from '../metrics/value.ts'
import type { CachedValue } from '../metrics/metric-cache.ts'
import { startHeartbeat, type Heartbeat } from '../readiness/heartbeat.ts'
import { createVitality, type Vitality } from '../readiness/vitality.ts'
import type { Device } from './device.ts'

/** The device's own interval for values it sends by itself, seconds: one for all of them. */
const periodSeconds = 30

/** A value that came by itself stays fresh for three intervals. */
const periodicFreshMs = 3 * periodSeconds * 1000

/** A device that gave a value so lately needs no asking whether it lives, milliseconds. */
const recently = 30_000

/** How often the firmware revision is asked for in vain. */
const mostMisses = 2

/** A configured inverter at work. */
export interface DeviceRuntime {
  readonly deviceId: string
  device: Device
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
  /** Every exchange with a device, and how long it took, seconds. */
  readonly onExchange: (deviceId: string, seconds: number) => void
  /** The firmware revision as the device tells it, after every connection. */
  readonly onFirmware: (deviceId: string, firmware: string) => void
}

export function createDeviceRuntime(device: Device, link: Link, parts: RuntimeParts): DeviceRuntime {
  return new WorkingDevice(device, link, parts)
}

class WorkingDevice implements DeviceRuntime {
  readonly deviceId: string
  readonly link: Link
  readonly vitality: Vitality
  readonly reader: DeviceReader
  readonly writer: DeviceWriter
  readonly gateway: DeviceGateway
  readonly periodic: Periodic | undefined
  readonly #parts: RuntimeParts
  readonly #heartbeat: Heartbeat
  /** Replaced when what does not concern the connection changes, such as the name. */
  device: Device

  constructor(device: Device, link: Link, parts: RuntimeParts) {
    const { timers, catalog, journal } = parts
    const [deviceId, address] = [device.id, device.networkId]
    this.deviceId = deviceId
    this.device = device
    this.link = link
    this.#parts = parts
    this.vitality = createVitality(timers)
    this.reader = createDeviceReader({
      link,
      address,
      timers,
      onValue: (object, cached) => parts.onValue(deviceId, object, cached),
      onOutcome: ({ worked, lives, priority, seconds }) => {
        this.vitality.noteExchange({ worked, lives, isHeartbeat: priority === 'background' })
        parts.onExchange(deviceId, seconds)
      },
    })
    const { reader } = this
    const onWritten = ({ name }: CatalogObject) => {
      if (name === 'pas_period') this.periodic?.refresh()
    }
    this.writer = createDeviceWriter({ deviceId, link, address, reader, timers, journal, onWritten })
    this.gateway = createDeviceGateway({ deviceId, catalog, reader, writer: this.writer })
    this.periodic = device.periodicReads ? this.#startPeriodic() : undefined
    this.#heartbeat = this.#startHeartbeat()
  }

  accept(objectId: number, payload: Uint8Array): void {
    const object = this.#parts.catalog.byId(objectId)
    if (object === undefined) return
    this.vitality.notePeriodic()
    this.reader.accept(object, payload)
  }

  async close(): Promise<void> {
    this.#heartbeat.close()
    await this.periodic?.stop()
  }

  #startPeriodic(): Periodic {
    const { catalog, timers, log } = this.#parts
    const names = catalog.roles.periodic
    const objects = names.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
    this.reader.cache.setPeriodic(new Set(names), () =>
      this.periodic?.status().available === true ? periodicFreshMs : 0,
    )
    return startPeriodic({
      link: this.link,
      address: this.device.networkId,
      objectIds: objects.map((object) => object.objectId),
      periodSeconds,
      timers,
      log,
      onValue: (objectId, payload) => this.accept(objectId, payload),
    })
  }

  #startHeartbeat(): Heartbeat {
    const { catalog, timers, onFirmware } = this.#parts
    const [state, revision] = [catalog.byName(catalog.roles.heartbeat), catalog.byName('svnversion')]
    let [epoch, misses] = [-1, 0]
    const readRevision = async (object: CatalogObject) => {
      const now = this.link.status().epoch
      // An update of the firmware ends the connection, so once a connection is often enough. A device that does not know the
      // object is silent about it, and every silence costs the connection: it is not asked for ever.
      if (now === epoch || misses >= mostMisses) return
      misses += 1
      onFirmware(this.deviceId, textOf((await this.reader.readDirect(object, 'background')).value))
      epoch = now
      misses = 0
    }
    return startHeartbeat({
      timers,
      isFailing: () => this.vitality.signs().consecutiveFailures > 0,
      beat: async () => {
        if (state !== undefined && this.vitality.silence() > recently) await this.reader.readDirect(state, 'background')
        if (revision !== undefined) await readRevision(revision)
      },
    })
  }
}
