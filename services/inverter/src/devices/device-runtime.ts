import type { Log, Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Link } from '../link/link.ts'
import { startPeriodic, type Periodic } from '../link/periodic.ts'
import { UnansweredObjects } from '../link/unanswered-objects.ts'
import { createDeviceGateway, type DeviceGateway } from '../metrics/device-gateway.ts'
import { DeviceIdentity, type Identity } from '../metrics/device-identity.ts'
import { DeviceReader } from '../metrics/device-reader.ts'
import { DeviceWriter } from '../metrics/device-writer.ts'
import type { CachedValue } from '../metrics/metric-cache.ts'
import type { Device } from './device.ts'
import { startHeartbeat, type Heartbeat, Liveness } from './liveness.ts'

/** The device's own interval for values it sends by itself, seconds: one for all of them. */
const periodSeconds = 30

/** A value that came by itself stays fresh for three intervals. */
const periodicFreshMs = 3 * periodSeconds * 1000

/** A device that gave a value so lately needs no asking whether it lives, milliseconds. */
const recently = 30_000

/** Dependencies and listeners of a device at work. */
export interface RuntimeDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly journal: (entry: JournalEntry) => Promise<void>
  readonly onValue: (deviceId: string, object: CatalogObject, cached: CachedValue) => void
  /** Every exchange with a device, and how long it took, seconds. */
  readonly onExchange: (deviceId: string, seconds: number) => void
  /** Firmware and serial number as the device tells them on every connection; rejects to refuse writes on it. */
  readonly onIdentity: (deviceId: string, identity: Identity) => Promise<'same' | 'changed'>
}

/** A configured inverter at work. */
export class DeviceRuntime {
  readonly deviceId: string
  readonly link: Link
  readonly liveness: Liveness
  /** Objects that the firmware does not answer. */
  readonly unanswered: UnansweredObjects
  readonly reader: DeviceReader
  readonly writer: DeviceWriter
  readonly gateway: DeviceGateway
  /** Undefined when the device is not asked to send values by itself. */
  readonly periodic: Periodic | undefined
  readonly #dependencies: RuntimeDependencies
  readonly #heartbeat: Heartbeat
  readonly #identity: DeviceIdentity
  readonly #endConnected: () => void
  /** Replaced when what does not concern the connection changes, such as the name. */
  device: Device

  constructor(device: Device, link: Link, dependencies: RuntimeDependencies) {
    const { timers, catalog, journal } = dependencies
    const [deviceId, address] = [device.id, device.networkId]
    this.deviceId = deviceId
    this.device = device
    this.link = link
    this.#dependencies = dependencies
    this.liveness = new Liveness(timers)
    this.unanswered = new UnansweredObjects(timers)
    this.reader = new DeviceReader({
      link,
      address,
      timers,
      unanswered: this.unanswered,
      onValue: (object, cached) => dependencies.onValue(deviceId, object, cached),
      onOutcome: ({ worked, lives, priority, seconds }) => {
        this.liveness.recordExchange({ worked, lives, isHeartbeat: priority === 'background' })
        dependencies.onExchange(deviceId, seconds)
      },
    })
    const { reader } = this
    const onWritten = ({ name }: CatalogObject) => {
      if (name === 'pas_period') this.periodic?.refresh()
    }
    const identity = this.#createIdentity()
    this.#identity = identity
    this.writer = new DeviceWriter({ deviceId, link, address, reader, identity, timers, journal, onWritten })
    this.gateway = createDeviceGateway({ deviceId, catalog, reader, identity, writer: this.writer })
    this.#endConnected = link.onConnected(() => void identity.confirm('background').catch(() => undefined))
    this.periodic = device.periodicReads ? this.#startPeriodic() : undefined
    this.#heartbeat = this.#startHeartbeat()
  }

  /** Takes a value that arrived without being asked for. */
  accept(objectId: number, payload: Uint8Array): void {
    const object = this.#dependencies.catalog.byId(objectId)
    if (object === undefined) return
    this.liveness.recordPeriodic()
    this.reader.accept(object, payload)
  }

  async close(): Promise<void> {
    this.#endConnected()
    this.#heartbeat.close()
    await this.periodic?.stop()
  }

  #startPeriodic(): Periodic {
    const { catalog, timers, log } = this.#dependencies
    const names = catalog.roles.periodic
    const objects = names.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
    const ids = new Map(objects.map(({ name, objectId }) => [name, objectId]))
    this.reader.cache.setPeriodic(new Set(names), (name) =>
      this.periodic?.isRegistered(ids.get(name) ?? 0) === true ? periodicFreshMs : 0,
    )
    return startPeriodic({
      link: this.link,
      address: this.device.networkId,
      objectIds: objects.map((object) => object.objectId),
      periodSeconds,
      unanswered: this.unanswered,
      prepare: () => this.#identity.confirm('background'),
      timers,
      log,
      onValue: (objectId, payload) => this.accept(objectId, payload),
    })
  }

  #createIdentity(): DeviceIdentity {
    const { catalog, onIdentity } = this.#dependencies
    return new DeviceIdentity({
      link: this.link,
      firmware: catalog.byName('svnversion'),
      serial: catalog.byName('inverter_serial'),
      probe: catalog.byName(catalog.roles.heartbeat),
      unanswered: this.unanswered,
      read: async (object, priority) => (await this.reader.readDirect(object, priority)).value,
      onIdentity: (identity) => onIdentity(this.deviceId, identity),
    })
  }

  #startHeartbeat(): Heartbeat {
    const { catalog, timers } = this.#dependencies
    const state = catalog.byName(catalog.roles.heartbeat)
    return startHeartbeat({
      timers,
      isFailing: () => this.liveness.status().consecutiveFailures > 0,
      beat: async () => {
        if (state !== undefined && this.liveness.silence() > recently) await this.reader.readDirect(state, 'background')
        await this.#identity.confirm('background')
      },
    })
  }
}
