import type { Database } from '@hearth/database'
import type { Capability } from '../capabilities/schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceCondition } from '../devices/device.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { invalid, Problem } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { plantNow, type MeasuredPart } from './plant-now.ts'
import { readPart, type PartReadings } from './read-part.ts'
import { PlantSettings, type PlantInverter, type PlantNow } from './schema.ts'

/** Parts of the service that the plant reads. */
export interface PlantDependencies {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly devices: () => readonly { readonly id: string; readonly displayName: string }[]
  readonly runtime: (deviceId: string) => DeviceRuntime | undefined
  readonly conditionOf: (deviceId: string) => DeviceCondition | undefined
  readonly capabilities: (deviceId: string) => Promise<readonly Capability[]>
  /** Content of the full battery of an inverter, watt-hours. */
  readonly capacityOf: (deviceId: string) => Promise<number | null>
  /** True for an inverter without a battery that is silent because it is dark. */
  readonly isOffForNight: (deviceId: string) => Promise<boolean>
  /** Called when other inverters are the plant than before. */
  readonly changed: () => Promise<void>
}

const setting = 'plant'
const defaults: PlantSettings = { enabled: false, display_name: 'Plant', inverters: [] }

/** The inverters behind one grid connection, as one plant. */
export type Plant = PlantService

/** Reads the settings. */
export async function openPlant(dependencies: PlantDependencies): Promise<PlantService> {
  const found = PlantSettings.safeParse(await readSetting(dependencies.database.query, setting))
  return new PlantService(dependencies, found.success ? found.data : defaults)
}

/** Which inverters are the plant, and what they do together. */
class PlantService {
  readonly #dependencies: PlantDependencies
  #settings: PlantSettings
  /** Inverters of the plant that have given a state of charge. */
  readonly #batteries = new Set<string>()

  constructor(dependencies: PlantDependencies, settings: PlantSettings) {
    this.#dependencies = dependencies
    this.#settings = settings
  }

  settings(): PlantSettings {
    return this.#settings
  }

  /** Inverters of the plant in their order; none while there is no plant. */
  inverters(): readonly PlantInverter[] {
    return this.#settings.enabled ? this.#settings.inverters : []
  }

  /**
   * The inverter whose sensor sees the grid connection of the house of another one: itself where it sees it or is part of no
   * plant, else the first that answers, or the first while none does.
   */
  gridMeterOf(deviceId: string): string {
    const own = this.inverters().find((inverter) => inverter.device_id === deviceId)
    if (own === undefined || own.sees_grid) return deviceId
    const meters = this.inverters().filter(({ sees_grid: seesGrid }) => seesGrid)
    const meter = meters.find(({ device_id: id }) => this.isThere(id)) ?? meters[0]
    return meter?.device_id ?? deviceId
  }

  /** True while an inverter answers. */
  isThere(deviceId: string): boolean {
    const state = this.#dependencies.conditionOf(deviceId)?.state
    return state === 'ok' || state === 'degraded'
  }

  /** Stores which inverters are the plant. Throws `invalid_request` for a plant that cannot be added up. */
  async change(settings: PlantSettings): Promise<void> {
    const { enabled, inverters } = settings
    const known = new Set(this.#dependencies.devices().map(({ id }) => id))
    for (const { device_id: id } of inverters)
      if (!known.has(id)) throw invalid('inverters', `names no inverter: ${id}`)
    if (enabled && inverters.length === 0) throw invalid('inverters', 'must name the inverters of the plant')
    if (enabled && !inverters.some(({ sees_grid: seesGrid }) => seesGrid))
      throw invalid('inverters', 'must have one whose sensor sees the grid connection (sees_grid)')
    await this.#store(settings)
  }

  /** Takes an inverter that was removed out of the plant; without one that sees the grid connection there is none. */
  async forget(deviceId: string): Promise<void> {
    const { inverters } = this.#settings
    if (this.#dependencies.devices().some(({ id }) => id === deviceId)) return
    if (!inverters.some((inverter) => inverter.device_id === deviceId)) return
    const left = inverters.filter((inverter) => inverter.device_id !== deviceId)
    const enabled = this.#settings.enabled && left.some(({ sees_grid: seesGrid }) => seesGrid)
    await this.#store({ ...this.#settings, enabled, inverters: left })
  }

  /** Returns what the plant does now. Throws `conflict` while there is none. */
  async now({ isCachedOnly } = { isCachedOnly: false }): Promise<PlantNow> {
    const inverters = this.inverters()
    if (inverters.length === 0)
      throw new Problem(
        'conflict',
        'No plant is set up; choose its inverters on the page Inverters, or with PUT /admin/api/plant',
      )
    // Inverters with connections of their own do not wait for each other.
    const parts = await Promise.all(inverters.map((inverter) => this.#partOf(inverter, isCachedOnly)))
    return plantNow(this.#settings.display_name, parts)
  }

  /** Returns what is known of the plant without a request to an inverter; undefined while there is no plant. */
  async known(): Promise<PlantNow | undefined> {
    return this.inverters().length === 0 ? undefined : this.now({ isCachedOnly: true })
  }

  async #partOf({ device_id: id, sees_grid: seesGrid }: PlantInverter, isCachedOnly: boolean): Promise<MeasuredPart> {
    const { devices, conditionOf, capacityOf, isOffForNight } = this.#dependencies
    const condition = conditionOf(id)
    const state = condition?.state ?? 'starting'
    const readings = await this.#readingsOf(id, isCachedOnly)
    const isOff = readings === undefined && state === 'unreachable' && (await isOffForNight(id))
    const assumed = isOff ? 0 : null
    if ((readings?.soc_percent ?? 0) > 0) this.#batteries.add(id)
    return {
      device_id: id,
      display_name: devices().find((device) => device.id === id)?.displayName ?? id,
      sees_grid: seesGrid,
      state,
      is_away: readings === undefined && !isOff,
      is_off_for_night: isOff,
      last_success_at: condition?.last_success_at ?? null,
      pv_w: readings?.pv_w ?? assumed,
      battery_w: readings?.battery_w ?? assumed,
      ac_w: readings?.ac_w ?? assumed,
      gridW: readings?.gridW ?? null,
      toldOfBattery: this.#batteries.has(id),
      soc_percent: readings?.soc_percent ?? null,
      capacity_wh: await capacityOf(id),
    }
  }

  /** Reads an inverter; one that does not answer is not asked again and again. */
  async #readingsOf(id: string, isCachedOnly: boolean): Promise<PartReadings | undefined> {
    const { catalog, runtime: runtimeOf, capabilities } = this.#dependencies
    const runtime = runtimeOf(id)
    if (runtime === undefined || !this.isThere(id)) return undefined
    return readPart({ runtime, catalog, capabilities: await capabilities(id), isCachedOnly })
  }

  async #store(settings: PlantSettings): Promise<void> {
    await writeSetting(this.#dependencies.database.query, setting, settings)
    this.#settings = settings
    for (const id of this.#batteries)
      if (!settings.inverters.some((inverter) => inverter.device_id === id)) this.#batteries.delete(id)
    await this.#dependencies.changed()
  }
}
