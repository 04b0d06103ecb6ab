import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { Device } from '../devices/device.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { MetricWrites } from '../metrics/write-metric.ts'
import { Problem, unknownDevice } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { PowerSample } from './balance.ts'
import { PendingRestores } from './pending-restores.ts'
import type { CapabilityCheck, CheckedCapability, CheckFinding } from './schema.ts'

/** Readings that a sign is told from, and the pause between them; milliseconds. */
const samples = 5
const sampleMs = 1500

export interface CheckDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Timers
  readonly log: Log
  readonly catalog: Catalog
  readonly device: (deviceId: string) => Device | undefined
  readonly runtime: (deviceId: string) => DeviceRuntime | undefined
  readonly writes: MetricWrites
  /** Runs work while no operation of the device is active or starts. */
  readonly guarded: <T>(deviceId: string, work: () => Promise<T>) => Promise<T>
}

/** Checks of capabilities that do not move the battery. They find evidence; a person records it. */
export class CapabilityChecks {
  readonly #dependencies: CheckDependencies
  readonly #restores: PendingRestores
  readonly #running = new Set<string>()

  constructor(dependencies: CheckDependencies) {
    this.#dependencies = dependencies
    this.#restores = new PendingRestores(dependencies)
  }

  /** Puts back what a check of an earlier process left. */
  start(): Promise<void> {
    return this.#restores.start()
  }

  close(): void {
    this.#restores.close()
  }

  /** The device was removed, or is another one. */
  forget(deviceId: string): Promise<void> {
    return this.#restores.forget(deviceId)
  }

  /** Throws `unknown_device`, `conflict` while another check runs, and the problems of readings and writes. */
  async run(deviceId: string, name: CheckedCapability, caller: string): Promise<CapabilityCheck> {
    const device = this.#dependencies.device(deviceId)
    if (device === undefined) throw unknownDevice(deviceId)
    const runtime = this.#dependencies.runtime(deviceId)
    if (runtime === undefined) throw new Problem('device_unreachable', 'The service is not connected to the inverter')
    if (this.#running.has(deviceId)) throw new Problem('conflict', 'Another check of this inverter runs')
    if (this.#restores.has(deviceId))
      throw new Problem('conflict', 'The value that an earlier check replaced is not back yet; it is tried again')
    this.#running.add(deviceId)
    try {
      const finding = await this.#find(runtime, name, { serial: device.serial, caller })
      // Meanwhile it may have told its firmware for the first time.
      const { firmware } = this.#dependencies.device(deviceId) ?? device
      return { name, firmware, ...finding }
    } finally {
      this.#running.delete(deviceId)
    }
  }

  async #find(
    runtime: DeviceRuntime,
    name: CheckedCapability,
    { serial, caller }: { serial: string | null; caller: string },
  ): Promise<CheckFinding> {
    const { guarded, writes, timers } = this.#dependencies
    const { deviceId, reader } = runtime
    if (name !== 'write_path_convention') {
      const { findSign } = await import('./balance.ts')
      return findSign(name, await this.#samples(runtime))
    }
    const { checkWriting } = await import('./write-check.ts')
    const objectOf = (metric: string) => this.#objectOf(metric)
    const context = { deviceId, serial, caller, now: timers.now(), objectOf, reader, writes, restores: this.#restores }
    return guarded(deviceId, () => checkWriting(context))
  }

  async #samples({ reader }: DeviceRuntime): Promise<PowerSample[]> {
    const { timers } = this.#dependencies
    const read = async (name: string) => Number((await reader.readDirect(this.#objectOf(name), 'normal')).value)
    const taken: PowerSample[] = []
    while (taken.length < samples) {
      if (taken.length > 0) await timers.delay(sampleMs)
      const solar = (await read('solar_a_power')) + (await read('solar_b_power'))
      const load = await read('household_load_power')
      const grid = await read('grid_power')
      taken.push({ solar, load, grid, battery: await read('battery_power') })
    }
    return taken
  }

  #objectOf(name: string): CatalogObject {
    const object = this.#dependencies.catalog.byName(name)
    if (object === undefined) throw new Error(`the catalog has no ${name}`)
    return object
  }
}
