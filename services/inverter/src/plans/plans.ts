import { plantId } from '../plant/schema.ts'
import { invalid, Problem, unknownDevice } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import { SwitchedPart } from '../switched-part.ts'
import { choiceRows } from './choice-rows.ts'
import type { PlanDependencies, PlanSubject } from './dependencies.ts'
import { openPersonStops, type PersonStops } from './person-stops.ts'
import { readDay, readDays } from './past-days.ts'
import { openPlanSettings, type PlanSettingsStore } from './plan-settings.ts'
import type { Planner } from './planner.ts'
import type { PlanDays, PlanPastDay } from './day-schema.ts'
import type { DevicePlan, PlanChange, PlanChoice, PlanSettingsView, PlanStatus } from './schema.ts'
import { choicesFrom, deleteForecast, deletePlans, deletePrices, replaceChoices } from './store.ts'
import { noneStale, staleAfter } from './stale-inputs.ts'
import { isSameSubject, subjectOf } from './subject.ts'

/** Days that an answer shows. */
const shownDays = 31

/** Longest pause, milliseconds. */
const maxPauseMs = 30 * 86_400_000

const pauseSetting = 'plan_pause'

const off: PlanStatus = {
  state: 'off',
  missing: [],
  prices_until: null,
  forecast_until: null,
  price_error: null,
  forecast_error: null,
  carrying: 'off',
  carrying_detail: null,
  paused_until: null,
  batteries: [],
}

/** Plans for the battery. */
export type Plans = PlanService

/** Reads the settings. Nothing is planned before `start`. */
export async function openPlans(dependencies: PlanDependencies): Promise<PlanService> {
  const { query } = dependencies.database
  const settings = await openPlanSettings(dependencies.database, dependencies.sealer)
  const paused = await readSetting(query, pauseSetting)
  const stops = await openPersonStops(dependencies.database, settings.current().device_id)
  return new PlanService(dependencies, settings, {
    pausedUntil: typeof paused === 'number' ? paused : null,
    stops,
  })
}

/** Plans, on or off. What makes them is loaded when they are switched on. */
class PlanService {
  readonly #dependencies: PlanDependencies
  readonly #settings: PlanSettingsStore
  #pausedUntil: number | null
  readonly #stops: PersonStops
  #stale = noneStale
  readonly #part = new SwitchedPart<Planner>({
    begin: () => this.#begin(),
    end: (planner) => planner.close(),
  })

  constructor(
    dependencies: PlanDependencies,
    settings: PlanSettingsStore,
    { pausedUntil, stops }: { pausedUntil: number | null; stops: PersonStops },
  ) {
    this.#dependencies = dependencies
    this.#settings = settings
    this.#pausedUntil = pausedUntil
    this.#stops = stops
    dependencies.dispatch.onEnded((ended) => this.#part.running?.ended(ended) ?? Promise.resolve())
  }

  start(): Promise<void> {
    return this.#part.start()
  }

  async view(): Promise<PlanSettingsView> {
    const subject = this.#subject()
    const { history, plant } = this.#dependencies
    const batteries = (subject?.devices ?? []).map(async ({ id, displayName }) => {
      return { device_id: id, display_name: displayName, capacity_wh: await history.capacityOf(id) }
    })
    return {
      settings: this.#settings.current(),
      device_id: subject?.id ?? null,
      batteries: await Promise.all(batteries),
      has_plant: plant().length > 0,
      capacity_wh: subject === undefined ? null : await history.capacityOf(subject.id),
      time_zone: history.timeZone(),
    }
  }

  /** Stores the settings and applies them at once. */
  async change(change: PlanChange): Promise<void> {
    this.#checkDevices(change)
    await this.#part.change(async () => {
      const before = this.#settings.current()
      // By its id: the plan is not to move to another inverter by itself.
      const only = change.enabled && !change.whole_plant ? subjectOf(change, this.#dependencies)?.id : undefined
      await this.#settings.change(only === undefined ? change : { ...change, device_id: only })
      const { prices, forecast } = staleAfter(before, change)
      this.#stale = { prices: prices || this.#stale.prices, forecast: forecast || this.#stale.forecast }
      await this.#deleteStale()
    })
    this.#dependencies.changed()
  }

  /** Largest power that may be taken from the grid, watts, whoever commands the battery; null for no limit. */
  gridLimitW(): number | null {
    return this.#settings.current().grid_limit_w
  }

  /** Returns the plan of a device. Throws `unknown_device`. */
  async read(deviceId: string): Promise<DevicePlan> {
    this.#required(deviceId)
    const { database, timers } = this.#dependencies
    const planner = this.#plannerOf(deviceId)
    const ids = planner?.subject.devices.map(({ id }) => id) ?? [deviceId]
    const choices = await choicesFrom(database.query, ids, timers.now())
    return {
      device_id: deviceId,
      status: planner?.status() ?? off,
      plan: planner?.plan ?? null,
      choices: choices.map(({ device_id: own, from_at, until_at, action }) => ({
        device_id: own,
        start: new Date(from_at).toISOString(),
        end: new Date(until_at).toISOString(),
        action,
      })),
      days: await readDays(database.query, deviceId, shownDays),
    }
  }

  /** Returns what the days cost on which plans were carried out. Throws `unknown_device`. */
  async days(deviceId: string): Promise<PlanDays> {
    this.#required(deviceId)
    return { device_id: deviceId, days: await readDays(this.#dependencies.database.query, deviceId) }
  }

  /** Returns a day on which plans were carried out. Throws `unknown_device` and `not_found`. */
  async day(deviceId: string, date: string): Promise<PlanPastDay> {
    this.#required(deviceId)
    return readDay(this.#dependencies.database.query, deviceId, date)
  }

  /** Loads prices and forecast and makes a plan now. Throws `conflict` while no plans are made. */
  async renew(deviceId: string): Promise<DevicePlan> {
    await this.#running(deviceId).renew()
    return this.read(deviceId)
  }

  /** Replaces what a person wants, and plans anew. */
  async choose(deviceId: string, choices: readonly PlanChoice[]): Promise<DevicePlan> {
    const planner = this.#running(deviceId)
    const { database, timers } = this.#dependencies
    const ids = planner.subject.devices.map(({ id }) => id)
    const rows = choiceRows(choices, ids, timers.now())
    await replaceChoices(database.query, ids, rows)
    await this.#stops.set(ids, 0)
    await planner.replan()
    return this.read(deviceId)
  }

  /** Pauses carrying out, or goes on with it. */
  async pause(deviceId: string, until: string | null): Promise<DevicePlan> {
    const planner = this.#running(deviceId)
    const { database, timers } = this.#dependencies
    const at = until === null ? null : Math.min(Date.parse(until), timers.now() + maxPauseMs)
    await writeSetting(database.query, pauseSetting, at)
    this.#pausedUntil = at
    await (at === null ? planner.replan() : planner.carry())
    this.#dependencies.changed()
    return this.read(deviceId)
  }

  /** Begins anew when plans are to be made for another inverter than before. */
  async devicesChanged(): Promise<void> {
    const { running } = this.#part
    if (!this.#settings.current().enabled || isSameSubject(this.#subject(), running?.subject)) return
    await this.#part.change(() => Promise.resolve())
  }

  /**
   * Deletes what is known of a device that was removed or is another one now. Plans for it alone are switched off; those for the
   * plant go on.
   */
  async forget(deviceId: string): Promise<void> {
    const { device_id: only, whole_plant: isWhole, batteries } = this.#settings.current()
    const { database, devices } = this.#dependencies
    const isGone = !devices().some(({ id }) => id === deviceId)
    const isNamed = only === deviceId || batteries.some(({ device_id: id }) => id === deviceId)
    const isOff = only === deviceId && !isWhole
    if (!isOff && !(isGone && isNamed)) return deletePlans(database.query, deviceId)
    await this.#part.change(async () => {
      await deletePlans(database.query, deviceId)
      if (isGone) await this.#settings.forget(deviceId)
      if (isOff) await this.#settings.switchOff()
    })
    this.#dependencies.changed()
  }

  close(): Promise<void> {
    return this.#part.close()
  }

  async #deleteStale(): Promise<void> {
    const { query } = this.#dependencies.database
    if (this.#stale.prices) await deletePrices(query)
    if (this.#stale.forecast) await deleteForecast(query)
  }

  async #begin(): Promise<Planner | undefined> {
    // Once more, because what ran until now may have stored what it was loading.
    await this.#deleteStale()
    this.#stale = noneStale
    const settings = this.#settings.current()
    const subject = this.#subject()
    if (!settings.enabled || subject === undefined) return undefined
    const { Planner } = await import('./planner.ts')
    return new Planner({
      dependencies: this.#dependencies,
      settings,
      key: this.#settings.key(),
      subject,
      pausedUntil: () => this.#currentPause(),
      personStop: (id) => this.#stops.of(id),
    })
  }

  #currentPause(): number | null {
    const isOver = this.#pausedUntil !== null && this.#pausedUntil <= this.#dependencies.timers.now()
    return isOver ? null : this.#pausedUntil
  }

  /** What plans are made for. */
  #subject(): PlanSubject | undefined {
    return subjectOf(this.#settings.current(), this.#dependencies)
  }

  #checkDevices(change: PlanChange): void {
    // Plans can be switched off and changed also after their inverter or the plant is gone.
    if (!change.enabled) return
    const { devices, plant } = this.#dependencies
    const isKnown = (id: string) => devices().some((device) => device.id === id)
    const { device_id: id, batteries } = change
    if (id !== '' && !isKnown(id)) throw invalid('device_id', `names no inverter: ${id}`)
    for (const [index, { device_id: own }] of batteries.entries())
      if (!isKnown(own)) throw invalid(`batteries.${index}.device_id`, `names no inverter: ${own}`)
    if (change.whole_plant && plant().length === 0)
      throw invalid('whole_plant', 'needs a plant; set it up on the page Inverters first')
    if (change.carries_out && subjectOf(change, this.#dependencies) === undefined)
      throw invalid('carries_out', 'needs an inverter')
  }

  #required(deviceId: string): void {
    const { devices, plant } = this.#dependencies
    const isPlant = deviceId === plantId && plant().length > 0
    if (!isPlant && !devices().some(({ id }) => id === deviceId)) throw unknownDevice(deviceId)
  }

  #plannerOf(deviceId: string): Planner | undefined {
    const { running } = this.#part
    return running?.subject.id === deviceId ? running : undefined
  }

  #running(deviceId: string): Planner {
    this.#required(deviceId)
    const planner = this.#plannerOf(deviceId)
    if (planner === undefined) throw new Problem('conflict', `No plans are made for ${deviceId}; switch them on first`)
    return planner
  }
}
