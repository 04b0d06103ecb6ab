import { invalid, Problem, unknownDevice } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import { SwitchedPart } from '../switched-part.ts'
import type { PlanDependencies, PlannedDevice } from './dependencies.ts'
import { openPlanSettings, type PlanSettingsStore } from './plan-settings.ts'
import { quarterMs, quarterOf } from './quarters/quarters.ts'
import type { Planner } from './planner.ts'
import type { DevicePlan, PlanChange, PlanChoice, PlanDay, PlanSettingsView, PlanStatus } from './schema.ts'
import { choicesFrom, deletePlans, deletePrices, latestDays, replaceChoices, replaceForecast } from './store.ts'
import { noneStale, staleAfter } from './stale-inputs.ts'

/** Days that an answer shows. */
const shownDays = 31

/** Longest pause, milliseconds. */
const maxPauseMs = 30 * 86_400_000

const pauseSetting = 'plan_pause'
const stopSetting = 'plan_stop'

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
}

/** Plans for the battery. */
export type Plans = PlanService

/** Reads the settings. Nothing is planned before `start`. */
export async function openPlans(dependencies: PlanDependencies): Promise<PlanService> {
  const { query } = dependencies.database
  const settings = await openPlanSettings(dependencies.database, dependencies.sealer)
  const [paused, stopped] = [await readSetting(query, pauseSetting), await readSetting(query, stopSetting)]
  return new PlanService(dependencies, settings, {
    pausedUntil: typeof paused === 'number' ? paused : null,
    stoppedUntil: typeof stopped === 'number' ? stopped : 0,
  })
}

/** Plans, on or off. What makes them is loaded when they are switched on. */
class PlanService {
  readonly #dependencies: PlanDependencies
  readonly #settings: PlanSettingsStore
  #pausedUntil: number | null
  /** A person stopped a part of the plan that would last until then. */
  #stoppedUntil: number
  #stale = noneStale
  readonly #part = new SwitchedPart<Planner>({
    begin: () => this.#begin(),
    end: (planner) => planner.close(),
  })

  constructor(
    dependencies: PlanDependencies,
    settings: PlanSettingsStore,
    { pausedUntil, stoppedUntil }: { pausedUntil: number | null; stoppedUntil: number },
  ) {
    this.#dependencies = dependencies
    this.#settings = settings
    this.#pausedUntil = pausedUntil
    this.#stoppedUntil = stoppedUntil
    dependencies.dispatch.onEnded((ended) => this.#part.running?.ended(ended) ?? Promise.resolve())
  }

  start(): Promise<void> {
    return this.#part.start()
  }

  async view(): Promise<PlanSettingsView> {
    const device = this.#device()
    const { history } = this.#dependencies
    return {
      settings: this.#settings.current(),
      device_id: device?.id ?? null,
      capacity_wh: device === undefined ? null : await history.capacityOf(device.id),
      time_zone: history.timeZone(),
    }
  }

  /** Stores the settings and applies them at once. */
  async change(change: PlanChange): Promise<void> {
    const { device_id: id } = change
    if (id !== '' && this.#find(id) === undefined) throw invalid('device_id', `names no inverter: ${id}`)
    if (change.carries_out && this.#chosen(id) === undefined) throw invalid('carries_out', 'needs an inverter')
    await this.#part.change(async () => {
      const before = this.#settings.current()
      // By its id: the plan is not to move to another inverter by itself.
      await this.#settings.change(change.enabled ? { ...change, device_id: this.#chosen(id)?.id ?? '' } : change)
      const { prices, forecast } = staleAfter(before, change)
      this.#stale = { prices: prices || this.#stale.prices, forecast: forecast || this.#stale.forecast }
      await this.#deleteStale()
    })
    this.#dependencies.changed()
  }

  /** Returns the plan of a device. Throws `unknown_device`. */
  async read(deviceId: string): Promise<DevicePlan> {
    this.#required(deviceId)
    const { database, timers } = this.#dependencies
    const planner = this.#plannerOf(deviceId)
    const choices = await choicesFrom(database.query, deviceId, timers.now())
    const days = await latestDays(database.query, deviceId, shownDays)
    return {
      device_id: deviceId,
      status: planner?.status() ?? off,
      plan: planner?.plan ?? null,
      choices: choices.map(({ from_at, until_at, action }) => ({
        start: new Date(from_at).toISOString(),
        end: new Date(until_at).toISOString(),
        action,
      })),
      days: days.map(({ day, cost, cost_without, currency }): PlanDay => ({ date: day, cost, cost_without, currency })),
    }
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
    const rows = choices
      .map(({ start, end, action }) => ({
        device_id: deviceId,
        from_at: quarterOf(Date.parse(start)),
        until_at: quarterOf(Date.parse(end) + quarterMs - 1),
        action,
      }))
      .toSorted((a, b) => a.from_at - b.from_at)
    for (const [index, { from_at: from, until_at: until }] of rows.entries()) {
      if (until <= from) throw invalid('choices', 'must end after they begin')
      if (from > timers.now() + 3 * 86_400_000) throw invalid('choices', 'must begin within three days')
      if ((rows[index + 1]?.from_at ?? Infinity) < until) throw invalid('choices', 'must not overlap')
    }
    await replaceChoices(database.query, deviceId, rows)
    await this.#stopUntil(0)
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
    if (!this.#settings.current().enabled || this.#device()?.id === this.#part.running?.deviceId) return
    await this.#part.change(() => Promise.resolve())
  }

  /** Deletes what is known of a device that was removed or is another one now; plans for it are switched off. */
  async forget(deviceId: string): Promise<void> {
    const forget = () => deletePlans(this.#dependencies.database.query, deviceId)
    if (this.#settings.current().device_id !== deviceId) return forget()
    await this.#part.change(async () => {
      await forget()
      await this.#settings.switchOff()
    })
    this.#dependencies.changed()
  }

  close(): Promise<void> {
    return this.#part.close()
  }

  async #deleteStale(): Promise<void> {
    const { query } = this.#dependencies.database
    if (this.#stale.prices) await deletePrices(query)
    if (this.#stale.forecast) await replaceForecast(query, [])
  }

  async #begin(): Promise<Planner | undefined> {
    // Once more, because what ran until now may have stored what it was loading.
    await this.#deleteStale()
    this.#stale = noneStale
    const settings = this.#settings.current()
    const device = this.#device()
    if (!settings.enabled || device === undefined) return undefined
    const { Planner } = await import('./planner.ts')
    return new Planner({
      dependencies: this.#dependencies,
      settings,
      key: this.#settings.key(),
      device,
      pausedUntil: () => this.#currentPause(),
      personStop: { get: () => this.#stoppedUntil, set: (until) => this.#stopUntil(until) },
    })
  }

  async #stopUntil(until: number): Promise<void> {
    if (until === this.#stoppedUntil) return
    this.#stoppedUntil = until
    await writeSetting(this.#dependencies.database.query, stopSetting, until)
  }

  #currentPause(): number | null {
    const isOver = this.#pausedUntil !== null && this.#pausedUntil <= this.#dependencies.timers.now()
    return isOver ? null : this.#pausedUntil
  }

  /** The inverter that plans are made for. */
  #device(): PlannedDevice | undefined {
    return this.#chosen(this.#settings.current().device_id)
  }

  /** The inverter of an id; the first one when there is none. */
  #chosen(id: string): PlannedDevice | undefined {
    return id === '' ? this.#dependencies.devices()[0] : this.#find(id)
  }

  #find(deviceId: string): PlannedDevice | undefined {
    return this.#dependencies.devices().find(({ id }) => id === deviceId)
  }

  #required(deviceId: string): void {
    if (this.#find(deviceId) === undefined) throw unknownDevice(deviceId)
  }

  #plannerOf(deviceId: string): Planner | undefined {
    const { running } = this.#part
    return running?.deviceId === deviceId ? running : undefined
  }

  #running(deviceId: string): Planner {
    this.#required(deviceId)
    const planner = this.#plannerOf(deviceId)
    if (planner === undefined) throw new Problem('conflict', `No plans are made for ${deviceId}; switch them on first`)
    return planner
  }
}
