import type { Log, Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Link } from '../link/link.ts'
import { Periodic } from '../link/periodic.ts'
import { UnansweredObjects } from '../link/unanswered-objects.ts'
import { createIdentity, type ConfirmIdentity, type Identity } from '../metrics/device-identity.ts'
import { DeviceReader } from '../metrics/device-reader.ts'
import { createDeviceWriter, type DeviceWriter, type WriteCause } from '../metrics/device-writer.ts'
import type { ApiValue } from '../metrics/value.ts'
import { Problem } from '../problems.ts'
import type { Device } from './device.ts'
import { startHeartbeat, Liveness } from './liveness.ts'

/** The device's own interval for values it sends by itself, seconds: one for all of them. */
const periodSeconds = 30

/** A value that came by itself stays fresh for three intervals. */
const periodicFreshMs = 3 * periodSeconds * 1000

/** Age of the last value below which a device needs no heartbeat, milliseconds. */
const recently = 30_000

/** Dependencies and listeners of a running device. */
export interface RuntimeDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly journal: (entry: JournalEntry) => Promise<void>
  readonly onValue: (deviceId: string, object: CatalogObject) => void
  /** Called with the duration of every exchange with a device, seconds. */
  readonly onExchange: (deviceId: string, seconds: number) => void
  /** Called with firmware and serial number on every connection; rejects to refuse writes on it. */
  readonly onIdentity: (deviceId: string, identity: Identity) => Promise<'same' | 'changed'>
}

/** A configured inverter with its connection, cache and periodic reads. */
export class DeviceRuntime {
  readonly deviceId: string
  /** Address of the device among those behind its endpoint; undefined when it is alone there. */
  readonly networkId: number | undefined
  readonly link: Link
  readonly liveness: Liveness
  /** Objects that the firmware does not answer. */
  readonly unanswered: UnansweredObjects
  readonly reader: DeviceReader
  readonly writer: DeviceWriter
  /** Undefined for a device that is not configured to send values by itself. */
  readonly periodic: Periodic | undefined
  readonly #dependencies: RuntimeDependencies
  readonly #confirmIdentity: ConfirmIdentity
  readonly #endings: readonly (() => void)[]

  constructor(device: Device, link: Link, dependencies: RuntimeDependencies) {
    const { timers, catalog, journal, onIdentity } = dependencies
    const { id: deviceId, networkId: address } = device
    this.deviceId = deviceId
    this.networkId = address
    this.link = link
    this.#dependencies = dependencies
    this.liveness = new Liveness(timers)
    const unanswered = new UnansweredObjects(timers)
    this.unanswered = unanswered
    const reader = new DeviceReader({
      link,
      address,
      timers,
      unanswered,
      onValue: (object) => dependencies.onValue(deviceId, object),
      onOutcome: ({ worked, lives, priority, seconds }) => {
        this.liveness.recordExchange({ worked, lives, isHeartbeat: priority === 'background' })
        dependencies.onExchange(deviceId, seconds)
      },
    })
    this.reader = reader
    const confirmIdentity = createIdentity({
      link,
      catalog,
      reader,
      unanswered,
      onIdentity: (found) => onIdentity(deviceId, found),
    })
    this.#confirmIdentity = confirmIdentity
    const onWritten = ({ name }: CatalogObject) => {
      if (name === 'pas_period') this.periodic?.refresh()
    }
    this.writer = createDeviceWriter({ deviceId, link, address, reader, confirmIdentity, timers, journal, onWritten })
    this.periodic = device.periodicReads ? this.#startPeriodic() : undefined
    const isFailing = () => this.liveness.status().consecutiveFailures > 0
    this.#endings = [
      link.onConnected(() => void confirmIdentity('background').catch(() => undefined)),
      startHeartbeat(timers, isFailing, () => this.#beat()),
    ]
  }

  /** Reads from the device before the requests of the API. `at` is in monotonic milliseconds. Throws a `Problem`. */
  async readFresh(name: string): Promise<{ value: number | boolean | string; at: number }> {
    const { value, at } = await this.reader.readDirect(this.#objectOf(name), 'control')
    return { value: scalar(value, name), at }
  }

  /** Resolves when the firmware on the current connection is known and stored. Throws a `Problem`. */
  async identify(): Promise<void> {
    await this.#confirmIdentity('control')
  }

  /**
   * Writes a value before the requests of the API and reads it back until both agree. Throws `write_outcome_unknown` or a
   * problem of the device.
   */
  async writeConfirmed(name: string, value: number | boolean, cause: WriteCause): Promise<number | boolean | string> {
    const object = this.#objectOf(name)
    const oldValue = this.reader.cache.get(name)?.value ?? null
    const { readback } = await this.writer.write({ object, value, priority: 'control', oldValue, ...cause })
    return scalar(readback, name)
  }

  /** Takes a value that the device sent by itself. */
  accept(objectId: number, payload: Uint8Array): void {
    const object = this.#dependencies.catalog.byId(objectId)
    if (object === undefined) return
    this.liveness.recordPeriodic()
    this.reader.accept(object, payload)
  }

  async close(): Promise<void> {
    for (const end of this.#endings) end()
    await this.periodic?.stop()
  }

  #objectOf(name: string): CatalogObject {
    const object = this.#dependencies.catalog.byName(name)
    if (object === undefined) throw new Error(`the catalog has no ${name}`)
    return object
  }

  #startPeriodic(): Periodic {
    const { catalog, timers, log } = this.#dependencies
    const objects = catalog.roles.periodic.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
    const ids = new Map(objects.map(({ name, objectId }) => [name, objectId]))
    this.reader.cache.setPeriodic((name) =>
      this.periodic?.isRegistered(ids.get(name) ?? 0) === true ? periodicFreshMs : 0,
    )
    return new Periodic({
      link: this.link,
      address: this.networkId,
      objectIds: [...ids.values()],
      periodSeconds,
      unanswered: this.unanswered,
      prepare: () => this.#confirmIdentity('background'),
      timers,
      log,
      onValue: (objectId, payload) => this.accept(objectId, payload),
    })
  }

  async #beat(): Promise<void> {
    const { catalog } = this.#dependencies
    const state = catalog.byName(catalog.roles.heartbeat)
    if (state !== undefined && this.liveness.silence() > recently) await this.reader.readDirect(state, 'background')
    await this.#confirmIdentity('background')
  }
}

function scalar(value: ApiValue | null, name: string): number | boolean | string {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  throw new Problem('protocol_error', `${name} has no single value`)
}
