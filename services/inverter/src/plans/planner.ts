import type { EndedOperation } from '../dispatch/dispatch.ts'
import type { PlanDependencies, PlannedDevice } from './dependencies.ts'
import { type PersonStop, PlanCarrier } from './carrier.ts'
import { Feed } from './feeds/feed.ts'
import { loadForecast } from './feeds/forecast-feed.ts'
import { loadPrices } from './feeds/price-feed.ts'
import { learnHabits, type Habits } from './habits.ts'
import { makePlan } from './make-plan.ts'
import { solveInThread } from './optimiser/solve-in-thread.ts'
import { costOfDay } from './past-day.ts'
import { quarterMs, quarterOf } from './quarters/quarters.ts'
import type { Plan, PlanSettings, PlanStatus } from './schema.ts'
import type { DeviceFacts } from './site-of.ts'
import { addPlan, choicesFrom, forecastFrom, latestDays, pricesFrom, writeDay } from './store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Interval of looking whether something is to be done, and that of new plans. */
const tickMs = 60_000
const planMs = hourMs

/** Pause after a plan that could not be made. */
const retryMs = 300_000

/** Shortest pause between two requests that a person asks for; a file may be read at any time. */
const pauseOf = (source: string): number => (source === 'file' ? 0 : 60_000)

/** Time for a round that is under way when it is closed, milliseconds. */
const closeMs = 2000

/** The inverter stops there when it does not say where. */
const usualMinSoc = 0.07

interface PlannerOptions {
  readonly dependencies: PlanDependencies
  readonly settings: PlanSettings
  readonly key: string
  readonly device: PlannedDevice
  readonly pausedUntil: () => number | null
  readonly personStop: PersonStop
}

/** Makes plans for one inverter until it is closed, and carries them out when that is wanted. */
export class Planner {
  readonly #options: PlannerOptions
  readonly #prices: Feed
  readonly #forecast: Feed
  readonly #carrier: PlanCarrier
  readonly #zone: string
  #habits: (Habits & { readonly at: number }) | undefined
  #plan: Plan | undefined
  #missing: string[] = []
  #extent: Pick<PlanStatus, 'prices_until' | 'forecast_until'> = { prices_until: null, forecast_until: null }
  #planDueAt = 0
  #cancel: () => void = () => undefined
  #working: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: PlannerOptions) {
    const { dependencies, settings, key, device, personStop } = options
    this.#options = options
    this.#zone = dependencies.history.timeZone()
    const { timers, log, dispatch } = dependencies
    const context = { dependencies, settings, key, zone: this.#zone }
    this.#prices = new Feed({
      timers,
      load: (signal) => loadPrices(context, signal),
      minPauseMs: pauseOf(settings.price_source),
    })
    this.#forecast = new Feed({
      timers,
      load: (signal) => loadForecast(context, signal),
      minPauseMs: pauseOf(settings.forecast_source),
    })
    this.#carrier = new PlanCarrier({ deviceId: device.id, personStop, dispatch, timers, log })
    this.#cancel = timers.after(0, () => this.#tick())
  }

  get deviceId(): string {
    return this.#options.device.id
  }

  /** The plan in force. */
  get plan(): Plan | undefined {
    return this.#plan
  }

  status(): PlanStatus {
    const { pausedUntil } = this.#options
    const until = pausedUntil()
    return {
      state: this.#plan === undefined || this.#missing.length > 0 ? 'waiting' : 'ready',
      missing: this.#missing,
      ...this.#extent,
      price_error: this.#prices.error,
      forecast_error: this.#forecast.error,
      ...this.#carrier.status,
      paused_until: until === null ? null : new Date(until).toISOString(),
    }
  }

  /** Looks at prices, forecast and plan at once. Resolves when that is done. */
  async renew(): Promise<void> {
    this.#prices.hurry()
    this.#forecast.hurry()
    this.#planDueAt = 0
    this.#cancel()
    await this.#run()
  }

  /** Brings the inverter to what the plan wants at once, whatever a round waits for: after a pause began. */
  carry(): Promise<void> {
    const { settings, pausedUntil } = this.#options
    return this.#carrier.carry({ plan: this.#plan, isOn: settings.carries_out, pausedUntil: pausedUntil() })
  }

  /** Makes a plan with what is known, after a choice or the end of a pause. */
  async replan(): Promise<void> {
    this.#planDueAt = 0
    this.#cancel()
    await this.#run()
  }

  /** Notes the end of an operation of dispatch. */
  ended(ended: EndedOperation): Promise<void> {
    return this.#carrier.ended(ended)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#prices.close()
    this.#forecast.close()
    await this.#carrier.close()
    // A plan that is being made, or an inverter that does not answer, holds up nothing.
    await Promise.race([this.#working, this.#options.dependencies.timers.delay(closeMs)])
  }

  #tick(): void {
    void this.#run()
  }

  #run(): Promise<void> {
    this.#working = this.#working.then(() => this.#round())
    return this.#working
  }

  async #round(): Promise<void> {
    if (this.#isClosed) return
    const { timers, log, changed } = this.#options.dependencies
    try {
      const isNew = [await this.#prices.refresh(), await this.#forecast.refresh()].includes(true)
      if (isNew || timers.now() >= this.#planDueAt) await this.#make()
      await this.#judgeYesterday()
    } catch (error) {
      this.#planDueAt = timers.now() + retryMs
      this.#missing = ['The plan could not be made; the log says why.']
      log.error({ err: error }, 'a plan could not be made')
    }
    if (!this.#isClosed) await this.carry()
    changed()
    this.#cancel()
    const now = timers.now()
    // A block begins with a quarter hour, so it is not to wait for the next round.
    const next = Math.min(tickMs, quarterOf(now) + quarterMs - now + 500)
    if (!this.#isClosed) this.#cancel = timers.after(next, () => this.#tick())
  }

  async #make(): Promise<void> {
    const { dependencies, settings, device } = this.#options
    const { timers, database } = dependencies
    const now = timers.now()
    this.#planDueAt = now + planMs
    const market = await pricesFrom(database.query, now - dayMs)
    const facts = await this.#facts()
    const habits = await this.#learn(now)
    const forecast =
      settings.forecast_source === 'none' ? habits.sun : await forecastFrom(database.query, now - quarterMs)
    this.#extent = { prices_until: lastOf(market, now), forecast_until: lastOf(forecast, now) }
    this.#missing = [
      ...facts.missing,
      ...(settings.price_source !== 'fixed' && this.#extent.prices_until === null ? [missingPrices(this.#prices)] : []),
      ...(settings.forecast_source !== 'none' && this.#extent.forecast_until === null
        ? [`There is no forecast of the sun: ${this.#forecast.error ?? 'it is being loaded'}.`]
        : []),
    ]
    const choices = await choicesFrom(database.query, device.id, now)
    const input = { now, zone: this.#zone, settings, market, forecast, profile: habits.profile, choices }
    const plan =
      this.#missing.length > 0 || facts.device === undefined
        ? undefined
        : await makePlan({ ...input, device: facts.device }, solveInThread)
    this.#plan = plan
    if (plan === undefined) {
      this.#planDueAt = now + retryMs
      return
    }
    await addPlan(database.query, device.id, { madeAt: now, document: JSON.stringify(plan) })
  }

  async #learn(now: number): Promise<Habits> {
    if (this.#habits === undefined || now - this.#habits.at > 6 * hourMs) {
      const learned = await learnHabits(this.#options.dependencies, this.deviceId, now)
      this.#habits = Object.assign({ at: now }, learned)
    }
    return this.#habits
  }

  /** What is known of the battery, and in words what is not. */
  async #facts(): Promise<{ device: DeviceFacts | undefined; missing: string[] }> {
    const { dependencies, settings } = this.#options
    const { id, displayName } = this.#options.device
    const device = dependencies.devices().find((each) => each.id === id)
    const { soc, minSoc } = await dependencies.readBattery(id)
    const capacityWh = settings.capacity_wh ?? (await dependencies.history.capacityOf(id))
    const { maxChargePowerW: chargeW, maxDischargePowerW: dischargeW } = device ?? this.#options.device
    const name = displayName || id
    if (soc !== null && capacityWh !== null && chargeW !== null && dischargeW !== null)
      return { device: { soc, capacityWh, chargeW, dischargeW, minSoc: minSoc ?? usualMinSoc }, missing: [] }
    const missing = [
      soc === null && `The inverter ${name} does not say how full its battery is.`,
      capacityWh === null && 'The content of the battery is not known; enter it in the settings.',
      (chargeW === null || dischargeW === null) &&
        `The inverter ${name} has no power limits; set them on the page Inverters.`,
    ]
    return { device: undefined, missing: missing.filter((text) => text !== false) }
  }

  /** Once a day, some minutes after midnight: what yesterday cost, and would have cost without a plan. */
  async #judgeYesterday(): Promise<void> {
    const { dependencies, settings, device } = this.#options
    const { timers, database, history, reports } = dependencies
    if (!settings.carries_out) return
    const today = Temporal.Instant.fromEpochMilliseconds(timers.now()).toZonedDateTimeISO(this.#zone).startOfDay()
    if (timers.now() - today.epochMilliseconds < 600_000) return
    const yesterday = today.subtract({ days: 1 })
    const date = yesterday.toPlainDate().toString()
    const [latest] = await latestDays(database.query, device.id, 1)
    if (latest !== undefined && latest.day >= date) return
    const { device: facts } = await this.#facts()
    if (facts === undefined) return
    const [from, until] = [yesterday.epochMilliseconds, today.epochMilliseconds]
    const slots = await history.slotsOf(device.id, from, until)
    const market = await pricesFrom(database.query, from)
    const costs = costOfDay({ from, until, slots, settings, market, zone: this.#zone, device: facts })
    if (costs === undefined) return
    const { cost, costWithout } = costs
    const { currency } = settings
    await writeDay(database.query, { device_id: device.id, day: date, cost, cost_without: costWithout, currency })
    const saved = costWithout - cost
    reports.notify({
      class: 'plan.day',
      title: `Yesterday cost ${money(cost)} ${currency}`,
      text: `${money(Math.abs(saved))} ${currency} ${saved >= 0 ? 'less' : 'more'} than without the plan.`,
      path: '/plan',
    })
  }
}

const missingPrices = (feed: Feed): string => `There are no prices: ${feed.error ?? 'they are being loaded'}.`

/** End of what is known without a gap from now on. */
function lastOf(stretches: readonly { readonly from: number; readonly until: number }[], now: number): string | null {
  let until = now
  for (const stretch of stretches) if (stretch.from <= until + quarterMs && stretch.until > until) until = stretch.until
  return until === now ? null : new Date(until).toISOString()
}

const money = (value: number): string => value.toFixed(2)
