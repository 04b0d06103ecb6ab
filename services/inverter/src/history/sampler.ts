import type { Log, Timers } from '@hearth/runtime'
import type { Capability } from '../capabilities/schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { Problem } from '../problems.ts'
import { energyNames, type EnergyName, type Slot } from './quantities.ts'
import type { Sample } from './meter/slot-means.ts'
import type { MeterReading, SlotMeter } from './meter/slot-meter.ts'

/** Interval of samples, and the age of a value that is still taken from the cache; milliseconds. */
const everyMs = 30_000
const maxAge = 60_000

/** Time for samples that are under way when the sampler is closed, milliseconds. */
const closeMs = 2000

/** Counters of the inverter behind each energy, since it was installed. They never begin again with a day. */
export const energyCounters: Readonly<Record<EnergyName, readonly string[]>> = {
  pv_wh: ['energy_e_dc_total_0', 'energy_e_dc_total_1'],
  load_wh: ['energy_e_load_total'],
  import_wh: ['energy_grid_load_total'],
  export_wh: ['energy_e_grid_feed_total'],
  charge_wh: ['battery_stored_energy'],
  discharge_wh: ['battery_used_energy'],
}

interface SamplerDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly devices: () => readonly DeviceRuntime[]
  readonly capabilities: (deviceId: string) => Promise<readonly Capability[]>
  /** Returns the meter of a device. */
  readonly meter: (deviceId: string) => Promise<SlotMeter>
  /** True for an inverter whose power towards house and grid is wanted. */
  readonly needsAc: (deviceId: string) => boolean
  /** True while the clock may be wrong, so that nothing is stored by it. */
  readonly isDoubted: (meter: SlotMeter) => boolean
  /** Stores slots and the state of the meter. `capacityWh` is the content of the full battery, when it is known. */
  readonly store: (deviceId: string, slots: readonly Slot[], capacityWh: number | undefined) => Promise<void>
}

/** The device, or the line to it, gives no values at present. */
class NoValues extends Error {}

/**
 * Takes a sample of every inverter each half minute, and reads its counters when five minutes are over. Powers that the inverter
 * sends by itself cost no request; of the counters five are requested every five minutes.
 */
export class Sampler {
  readonly #dependencies: SamplerDependencies
  readonly #busy = new Map<string, Promise<void>>()
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: SamplerDependencies) {
    this.#dependencies = dependencies
    this.#plan()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    // A sample that waits for a silent inverter stores nothing any more.
    await Promise.race([Promise.all(this.#busy.values()), this.#dependencies.timers.delay(closeMs)])
  }

  /** Resolves when no sample of the device is under way. */
  async settled(deviceId: string): Promise<void> {
    await this.#busy.get(deviceId)
  }

  #plan(): void {
    this.#cancel = this.#dependencies.timers.after(everyMs, () => {
      for (const runtime of this.#dependencies.devices()) this.#take(runtime)
      if (!this.#isClosed) this.#plan()
    })
  }

  /** Takes a sample unless the one before is still under way. */
  #take(runtime: DeviceRuntime): void {
    const { deviceId } = runtime
    if (this.#busy.has(deviceId)) return
    const work = this.#sample(runtime)
      .catch((error: unknown) => {
        if (!(error instanceof NoValues))
          this.#dependencies.log.error({ err: error, device: deviceId }, 'the energy history could not be continued')
      })
      .finally(() => this.#busy.delete(deviceId))
    this.#busy.set(deviceId, work)
  }

  async #sample(runtime: DeviceRuntime): Promise<void> {
    const { timers, meter: meterOf, isDoubted, store } = this.#dependencies
    const { deviceId } = runtime
    const meter = await meterOf(deviceId)
    const sample = await this.#readPowers(runtime)
    if (!meter.add(timers.now(), sample) || isDoubted(meter)) return
    const capacityWh = await this.#readCapacity(runtime)
    const reading = await this.#readCounters(runtime)
    if (!this.#isClosed && !isDoubted(meter)) await store(deviceId, meter.close(reading), capacityWh)
  }

  async #readPowers(runtime: DeviceRuntime): Promise<Sample> {
    const read = (name: string) => this.#read(runtime, name)
    const [a, b] = [await read('solar_a_power'), await read('solar_b_power')]
    const [load, grid, battery] = [
      await read('household_load_power'),
      await read('grid_power'),
      await read('battery_power'),
    ]
    const records = await this.#dependencies.capabilities(runtime.deviceId)
    const signed = (watts: number | null, field: 'grid_import_positive' | 'battery_discharge_positive') =>
      watts === null || records.every((record) => record[field] !== false) ? watts : -watts
    return {
      pv_w: a === null && b === null ? null : Math.max(0, a ?? 0) + Math.max(0, b ?? 0),
      load_w: load,
      grid_w: signed(grid, 'grid_import_positive'),
      battery_w: signed(battery, 'battery_discharge_positive'),
      soc: await read('battery_soc'),
      ...(this.#dependencies.needsAc(runtime.deviceId) && { ac_w: await read('ac_power') }),
    }
  }

  async #readCounters(runtime: DeviceRuntime): Promise<MeterReading> {
    const counters: Partial<Record<EnergyName, Record<string, number>>> = {}
    for (const energy of energyNames) {
      const readings: Record<string, number> = {}
      for (const name of energyCounters[energy]) {
        const value = await this.#read(runtime, name)
        if (value !== null) readings[name] = value
      }
      if (Object.keys(readings).length === energyCounters[energy].length) counters[energy] = readings
    }
    return { at: this.#dependencies.timers.now(), counters }
  }

  /** Content of the full battery, from its charge and voltage; it changes little, so the cache may be old. */
  async #readCapacity(runtime: DeviceRuntime): Promise<number | undefined> {
    const charge = await this.#read(runtime, 'battery_ah_capacity', 86_400_000)
    const voltage = await this.#read(runtime, 'battery_voltage')
    return charge === null || voltage === null || charge * voltage <= 0 ? undefined : Math.round(charge * voltage)
  }

  /** Returns null for what the firmware does not have. Throws `NoValues` while the device gives nothing. */
  async #read({ reader }: DeviceRuntime, name: string, age = maxAge): Promise<number | null> {
    const object = this.#dependencies.catalog.byName(name)
    if (object === undefined || this.#isClosed) return null
    const { cached, staleReason } = await reader.read(object, { maxAge: age }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      if (isAbsent(reader.isLeftOut(object), error)) return { cached: undefined, staleReason: null }
      throw new NoValues(object.name, { cause: error })
    })
    if (staleReason !== null) throw new NoValues(object.name)
    return numberOf(cached?.value)
  }
}

/** Returns true if it is the one object that gives nothing: the firmware does not have it, or it holds no number. */
const isAbsent = (isLeftOut: boolean, { code }: Problem): boolean => isLeftOut || code === 'protocol_error'

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)
