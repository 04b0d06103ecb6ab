import type { Database } from '@hearth/database'
import { createKeyedQueue, OperatorError, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Capabilities } from '../capabilities/capabilities.ts'
import type { Identity } from '../metrics/device-identity.ts'
import { invalid, Problem, unknownDevice } from '../problems.ts'
import { deviceListError, deviceOfRow, endpointOf, rowOfDevice, type Device } from './device.ts'
import type { DeviceChange, DeviceCreate, DispatchDeviceChange } from './schema.ts'
import * as store from './store.ts'

/** Maximum number of devices. */
const maximum = 32

/** Hooks around changes; each may refuse by throwing, and then nothing was changed. */
interface DeviceHooks {
  /** Runs the removal or change of address of a device after its settings were restored. */
  readonly whileLeaving: <T>(id: string, change: () => Promise<T>) => Promise<T>
  /** The connections follow the new list. */
  readonly rebuild: (devices: readonly Device[]) => Promise<void>
  /** Called after a device was removed or its address changed: its verifications are no longer valid. */
  readonly afterLeaving: (id: string) => Promise<void>
  /** Runs a change of limits or engineering mode; refused while an operation depends on them. */
  readonly guarded: <T>(id: string, change: () => Promise<T>) => Promise<T>
  readonly changed: () => void
}

/** Reads the saved list; throws an `OperatorError` when it cannot be used. */
export async function readDevices(db: Kysely<Tables>): Promise<Device[]> {
  const list = (await store.allDeviceRows(db)).map(deviceOfRow)
  const fault = deviceListError(list)
  if (fault !== undefined) throw new OperatorError(`the saved device list cannot be used: ${fault}`)
  return list
}

/** Reads the list; throws an `OperatorError` when the saved one cannot be used. */
export async function openDevices({ query }: Database<Tables>, clock: Clock, hooks: DeviceHooks): Promise<Devices> {
  return new Devices(query, { clock, hooks, list: await readDevices(query) })
}

/** The configured inverters, in step with the database. */
export class Devices {
  readonly #db: Kysely<Tables>
  readonly #clock: Clock
  readonly #hooks: DeviceHooks
  readonly #queue = createKeyedQueue(32)
  #list: readonly Device[]

  constructor(db: Kysely<Tables>, context: { clock: Clock; hooks: DeviceHooks; list: readonly Device[] }) {
    const { clock, hooks, list } = context
    this.#db = db
    this.#clock = clock
    this.#hooks = hooks
    this.#list = list
  }

  all = (): readonly Device[] => this.#list
  find = (id: string): Device | undefined => this.#list.find((device) => device.id === id)
  ids = (): string[] => this.#list.map((device) => device.id)

  add(input: DeviceCreate, { isSimulated } = { isSimulated: false }): Promise<Device> {
    return this.#withLock(async () => {
      if (this.find(input.device_id) !== undefined)
        throw new Problem('conflict', `There is a device ${input.device_id} already`, part('device_id', 'is taken'))
      if (this.#list.length >= maximum) throw new Problem('conflict', `There are ${maximum} devices already`)
      const device = newDevice(input, { isSimulated, now: this.#clock.now() })
      const next = [...this.#list, device]
      checkList(next)
      await store.insertDeviceRow(this.#db, rowOfDevice(device))
      await this.#follow(next)
      return device
    })
  }

  change(id: string, input: DeviceChange): Promise<Device> {
    return this.#withLock(async () => {
      const before = this.#required(id)
      const device = changedDevice(before, input)
      const moved = endpointOf(before) !== endpointOf(device) || before.networkId !== device.networkId
      const next = this.#list.map((other) => (other.id === id ? device : other))
      checkList(next)
      if (!moved) return this.#settle(device)
      return this.#hooks.whileLeaving(id, async () => {
        const settled = await this.#settle({ ...device, engineeringMode: false, firmware: null, serial: null })
        await this.#hooks.afterLeaving(id)
        return settled
      })
    })
  }

  remove(id: string): Promise<void> {
    return this.#withLock(async () => {
      this.#required(id)
      await this.#hooks.whileLeaving(id, async () => {
        await store.deleteDeviceRow(this.#db, id)
        await this.#follow(this.#list.filter((device) => device.id !== id))
        await this.#hooks.afterLeaving(id)
      })
    })
  }

  /** Power limits and engineering mode. */
  changeDispatch(id: string, input: DispatchDeviceChange): Promise<Device> {
    return this.#withLock(async () => {
      const before = this.#required(id)
      const device: Device = {
        ...before,
        maxChargePowerW: input.max_charge_power_w === undefined ? before.maxChargePowerW : input.max_charge_power_w,
        maxDischargePowerW:
          input.max_discharge_power_w === undefined ? before.maxDischargePowerW : input.max_discharge_power_w,
        engineeringMode: input.engineering_mode ?? before.engineeringMode,
      }
      await this.#hooks.guarded(id, () => this.#keep(device))
      return device
    })
  }

  /** Notes which inverter answers and what runs on it. */
  setIdentity(id: string, { firmware, serial }: Pick<Device, 'firmware' | 'serial'>): Promise<void> {
    return this.#withLock(async () => {
      const before = this.find(id)
      if (before !== undefined) await this.#keep({ ...before, firmware, serial })
    })
  }

  /** Stores a device and lets the connections follow. */
  async #settle(device: Device): Promise<Device> {
    const { id, ...values } = rowOfDevice(device)
    await store.updateDeviceRow(this.#db, id, values)
    await this.#follow(this.#list.map((other) => (other.id === id ? device : other)))
    return device
  }

  /** Stores what does not concern the connections. */
  async #keep(device: Device): Promise<void> {
    const { id, ...values } = rowOfDevice(device)
    await store.updateDeviceRow(this.#db, id, values)
    this.#list = this.#list.map((other) => (other.id === id ? device : other))
    this.#hooks.changed()
  }

  async #follow(next: readonly Device[]): Promise<void> {
    this.#list = next
    await this.#hooks.rebuild(next)
    this.#hooks.changed()
  }

  #required(id: string): Device {
    const device = this.find(id)
    if (device === undefined) throw unknownDevice(id)
    return device
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('devices', work)
  }
}

function newDevice(input: DeviceCreate, { isSimulated, now }: { isSimulated: boolean; now: number }): Device {
  return {
    id: input.device_id,
    displayName: input.display_name === '' ? input.device_id : input.display_name,
    host: input.host,
    port: input.port,
    networkId: input.network_id ?? undefined,
    isSimulated,
    requestGapMs: input.request_gap_ms,
    periodicReads: input.periodic_reads,
    maxChargePowerW: null,
    maxDischargePowerW: null,
    engineeringMode: false,
    firmware: null,
    serial: null,
    createdAt: now,
  }
}

function changedDevice(before: Device, input: DeviceChange): Device {
  if (before.isSimulated && (input.host ?? input.port ?? input.network_id ?? null) !== null)
    throw invalid('host', 'cannot be changed: the simulated inverter is inside the service')
  return {
    ...before,
    displayName: input.display_name ?? before.displayName,
    host: input.host ?? before.host,
    port: input.port ?? before.port,
    networkId: input.network_id === undefined ? before.networkId : (input.network_id ?? undefined),
    requestGapMs: input.request_gap_ms ?? before.requestGapMs,
    periodicReads: input.periodic_reads ?? before.periodicReads,
  }
}

function checkList(devices: readonly Device[]): void {
  const fault = deviceListError(devices)
  if (fault !== undefined)
    throw new Problem(
      'conflict',
      `${fault}; a further inverter of an endpoint needs its own network id`,
      part('network_id', fault),
    )
}

const part = (parameter: string, detail: string) => ({ errors: [{ parameter, code: 'conflict', detail }] })

interface IdentityHooks {
  readonly log: Log
  /** Called when the same inverter runs another firmware. */
  readonly onUpdate: (deviceId: string) => void
  /** Called when another inverter or another firmware answers, before it is noted. */
  readonly onChange: (deviceId: string, identity: Identity) => void
}

/**
 * Creates the check of the firmware and serial number that a device reports on a new connection. It takes verifications away
 * when another firmware or another inverter answers, and rejects, so that nothing is written, when that cannot be stored.
 */
export function createIdentityCheck(
  devices: Devices,
  capabilities: Capabilities,
  { log, onUpdate, onChange }: IdentityHooks,
) {
  return async (id: string, { firmware, serial }: Identity): Promise<'same' | 'changed'> => {
    const known = devices.find(id)
    if (known === undefined) return 'same'
    // A missing value means nothing: on a bad line the request for it may stay unanswered for a while.
    const identity = { firmware: firmware ?? known.firmware, serial: serial ?? known.serial }
    if (identity.firmware === known.firmware && identity.serial === known.serial) return 'same'
    const isOther = known.serial !== null && identity.serial !== known.serial
    const isUpdated = known.firmware !== null && identity.firmware !== known.firmware
    if (isOther) await capabilities.inverterChanged(id)
    else if (isUpdated) {
      await capabilities.firmwareChanged(id, identity.firmware ?? '')
      onUpdate(id)
    }
    if (isOther || isUpdated) onChange(id, identity)
    // Not awaited: the device list may be waiting for the very operation that this is part of.
    void devices.setIdentity(id, identity).catch((error: unknown) => {
      log.error({ err: error, device: id }, 'the firmware could not be noted')
    })
    return isOther || isUpdated ? 'changed' : 'same'
  }
}
