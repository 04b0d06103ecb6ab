import { parseJson, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { invalid, unknownDevice } from '../problems.ts'
import {
  capabilityNames,
  afterFirmware,
  chooseCopies,
  replaceCapability,
  unverified,
  unverifiedCapability,
} from './rules.ts'
import {
  Capability,
  type CapabilityCopied,
  type CapabilityCopy,
  type CapabilityName,
  type CapabilityUpdate,
} from './schema.ts'
import { capabilityRows, deleteCapabilityRows, writeCapabilityRows } from './store.ts'

export interface CapabilityDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly devices: { find(deviceId: string): object | undefined }
  /**
   * Runs a change while no operation of the device starts; throws `dispatch_capability_conflict` when one is active that
   * depends on these capabilities.
   */
  readonly guarded: <T>(deviceId: string, names: readonly CapabilityName[], change: () => Promise<T>) => Promise<T>
  /** Called after every change. */
  readonly changed: () => void
}

/** Capabilities of all devices. The command line uses them too. */
export class Capabilities {
  readonly #dependencies: CapabilityDependencies

  constructor(dependencies: CapabilityDependencies) {
    this.#dependencies = dependencies
  }

  /** All five of a device, configured or not, in a fixed order. */
  async read(deviceId: string): Promise<Capability[]> {
    const rows = new Map((await capabilityRows(this.#dependencies.db, deviceId)).map((row) => [row.name, row.record]))
    return capabilityNames.map((name) => {
      const { data } = Capability.safeParse(parseJson(rows.get(name) ?? ''))
      // A record that cannot be read counts as never verified.
      return data?.name === name ? data : unverifiedCapability(name)
    })
  }

  /** As `read`, for a configured device; throws `unknown_device`. */
  async list(deviceId: string): Promise<Capability[]> {
    this.#required(deviceId)
    return this.read(deviceId)
  }

  /** Returns true if anything was ever recorded about the device. */
  async isRecorded(deviceId: string): Promise<boolean> {
    return (await capabilityRows(this.#dependencies.db, deviceId)).length > 0
  }

  /** Replaces a whole record; throws 400 or 422 by the rules, 409 while an operation depends on it. */
  async replace(
    deviceId: string,
    { name, update, by }: { name: CapabilityName; update: CapabilityUpdate; by: string },
  ): Promise<Capability> {
    this.#required(deviceId)
    const record = replaceCapability(name, update, { name: by, at: this.#dependencies.clock.now() })
    await this.#dependencies.guarded(deviceId, [name], () => this.#write(deviceId, [record]))
    return record
  }

  /** Takes over what was verified on another device of the same model and firmware. */
  async copyFrom(deviceId: string, copy: CapabilityCopy & { by: string }): Promise<CapabilityCopied> {
    this.#required(deviceId)
    const { source_device_id: sourceId, by } = copy
    if (sourceId === deviceId) throw invalid('source_device_id', 'is the device itself')
    if (this.#dependencies.devices.find(sourceId) === undefined)
      throw invalid('source_device_id', 'is no configured device')
    const { copied, notCopied } = chooseCopies(await this.read(sourceId), copy)
    const names = copied.map(({ name }) => name)
    const verifiedAt = new Date(this.#dependencies.clock.now()).toISOString()
    const records = copied.map((record) => Object.assign({}, record, { verified_at: verifiedAt, verified_by: by }))
    await this.#dependencies.guarded(deviceId, names, () => this.#write(deviceId, records))
    for (const capability of names)
      this.#dependencies.log.warn(
        { device: deviceId, source: sourceId, capability, by },
        'capability copied from a device',
      )
    return { device_id: deviceId, copied: names, not_copied: notCopied, capabilities: await this.read(deviceId) }
  }

  /** Deletes the records of a device that was removed or replaced. */
  async reset(deviceId: string): Promise<void> {
    await deleteCapabilityRows(this.#dependencies.db, deviceId)
  }

  /** Unverifies what was verified on another firmware. Returns the capabilities that are no longer verified. */
  async firmwareChanged(deviceId: string, firmware: string): Promise<CapabilityName[]> {
    return this.#unverify(deviceId, (record) => afterFirmware(record, firmware))
  }

  /** Unverifies everything, because another inverter answers in the place of the device. Returns the capabilities that are no longer verified. */
  async inverterChanged(deviceId: string): Promise<CapabilityName[]> {
    return this.#unverify(deviceId, unverified)
  }

  async #unverify(deviceId: string, after: (record: Capability) => Capability): Promise<CapabilityName[]> {
    const before = await this.read(deviceId)
    const changed = before.map(after).filter((record) => !before.includes(record))
    await this.#write(deviceId, changed)
    for (const { name } of changed)
      this.#dependencies.log.warn(
        { device: deviceId, capability: name },
        'capability unverified: the inverter has changed',
      )
    return changed.map(({ name }) => name)
  }

  #required(deviceId: string): void {
    if (this.#dependencies.devices.find(deviceId) === undefined) throw unknownDevice(deviceId)
  }

  async #write(deviceId: string, records: readonly Capability[]): Promise<void> {
    await writeCapabilityRows(
      this.#dependencies.db,
      records.map((record) => ({ device_id: deviceId, name: record.name, record: JSON.stringify(record) })),
    )
    this.#dependencies.changed()
  }
}
