import type { EndedOperation } from '../dispatch/dispatch.ts'
import { batteryFacts } from './battery-facts.ts'
import type { PlanDependencies, PlanSubject } from './dependencies.ts'
import { type PersonStop, PlanCarrier } from './carrier.ts'
import { DueTime } from './due-time.ts'
import { Feed } from './feeds/feed.ts'
import { loadForecast } from './feeds/forecast-feed.ts'
import { loadPrices } from './feeds/price-feed.ts'
import { learnHabits, type Habits } from './habits.ts'
import { judgeYesterday } from './judge-day.ts'
import { makePlan } from './make-plan.ts'
import { solveInThread } from './optimiser/solve-in-thread.ts'
import { quarterMs, quarterOf } from './quarters/quarters.ts'
import type { Plan, PlanBatteryStatus, PlanSettings, PlanStatus } from './schema.ts'
import { addPlan, choicesFrom, forecastFrom, pricesFrom } from './store.ts'

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

interface PlannerOptions {
  readonly dependencies: PlanDependencies
  readonly settings: PlanSettings
  readonly key: string
  readonly subject: PlanSubject
  readonly pausedUntil: () => number | null
  readonly personStop: (deviceId: string) => PersonStop
}

/** Which of several says most about who decides. */
const precedence = ['failed', 'person', 'plan', 'paused', 'automatic'] as const

/** Makes plans for the batteries of its subject until it is closed, and carries them out when that is wanted. */
export class Planner {
  readonly #options: PlannerOptions
  readonly #prices: Feed
  readonly #forecast: Feed
  readonly #carriers: ReadonlyMap<string, PlanCarrier>
  readonly #zone: string
  #habits: (Habits & { readonly at: number }) | undefined
  #plan: Plan | undefined
  #missing: readonly string[] = []
  /** Why an inverter is not part of the plan, by its id. */
  #leftOut: ReadonlyMap<string, string> = new Map()
  /** The inverters that answered when the plan was made. */
  #there = ''
  #extent: Pick<PlanStatus, 'prices_until' | 'forecast_until'> = { prices_until: null, forecast_until: null }
  readonly #planDue: DueTime
  #cancel: () => void = () => undefined
  #working: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: PlannerOptions) {
    const { dependencies, settings, key, subject, personStop } = options
    this.#options = options
    this.#zone = dependencies.history.timeZone()
    const { timers, log, dispatch } = dependencies
    const context = { dependencies, settings, key, zone: this.#zone }
    this.#planDue = new DueTime(timers)
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
    this.#carriers = new Map(
      subject.devices.map(({ id }) => [
        id,
        new PlanCarrier({ deviceId: id, personStop: personStop(id), dispatch, timers, log }),
      ]),
    )
    this.#cancel = timers.after(0, () => this.#tick())
  }

  get subject(): PlanSubject {
    return this.#options.subject
  }

  /** The plan in force. */
  get plan(): Plan | undefined {
    return this.#plan
  }

  status(): PlanStatus {
    const { pausedUntil } = this.#options
    const until = pausedUntil()
    const batteries = Array.from(this.#carriers, ([id, { status }]): PlanBatteryStatus => {
      return Object.assign({ device_id: id, left_out: this.#leftOut.get(id) ?? null }, status)
    })
    const carrying = precedence.find((state) => batteries.some((battery) => battery.carrying === state)) ?? 'off'
    return {
      state: this.#plan === undefined || this.#missing.length > 0 ? 'waiting' : 'ready',
      missing: [...this.#missing],
      ...this.#extent,
      price_error: this.#prices.error,
      forecast_error: this.#forecast.error,
      carrying,
      carrying_detail: batteries.find((battery) => battery.carrying === carrying)?.carrying_detail ?? null,
      batteries,
      paused_until: until === null ? null : new Date(until).toISOString(),
    }
  }

  /** Looks at prices, forecast and plan at once. Resolves when that is done. */
  async renew(): Promise<void> {
    this.#prices.hurry()
    this.#forecast.hurry()
    this.#planDue.set(0)
    this.#cancel()
    await this.#run()
  }

  /** Brings the inverters to what the plan wants at once, whatever a round waits for: after a pause began. */
  async carry(): Promise<void> {
    const { settings, pausedUntil } = this.#options
    const order = { isOn: settings.carries_out, pausedUntil: pausedUntil() }
    // One that does not answer holds up no other.
    await Promise.all(
      Array.from(this.#carriers, ([id, carrier]) => carrier.carry({ ...order, plan: partFor(this.#plan, id) })),
    )
  }

  /** Makes a plan with what is known, after a choice or the end of a pause. */
  async replan(): Promise<void> {
    this.#planDue.set(0)
    this.#cancel()
    await this.#run()
  }

  /** Notes the end of an operation of dispatch. */
  async ended(ended: EndedOperation): Promise<void> {
    await this.#carriers.get(ended.deviceId)?.ended(ended)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#prices.close()
    this.#forecast.close()
    await Promise.all(Array.from(this.#carriers.values(), (carrier) => carrier.close()))
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
    const { dependencies, settings, subject } = this.#options
    const { timers, log, changed } = dependencies
    // A plan for several goes on without one that is away, and with it again.
    if (this.#presence() !== this.#there) this.#planDue.set(0)
    try {
      const isNew = [await this.#prices.refresh(), await this.#forecast.refresh()].includes(true)
      if (isNew || this.#planDue.isDue()) await this.#make()
      await judgeYesterday({ dependencies, settings, subject })
    } catch (error) {
      this.#planDue.set(timers.now() + retryMs)
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
    const { dependencies, settings, subject } = this.#options
    const { timers, database } = dependencies
    const now = timers.now()
    this.#planDue.set(now + planMs)
    this.#there = this.#presence()
    const market = await pricesFrom(database.query, now - dayMs)
    const { devices, leftOut, missing } = await batteryFacts({ dependencies, settings, subject })
    const habits = await this.#learn(now)
    const forecast =
      settings.forecast_source === 'none' ? habits.sun : await forecastFrom(database.query, now - quarterMs)
    this.#extent = { prices_until: lastOf(market, now), forecast_until: lastOf(forecast, now) }
    this.#missing = [
      ...missing,
      ...(settings.price_source !== 'fixed' && this.#extent.prices_until === null ? [missingPrices(this.#prices)] : []),
      ...(settings.forecast_source !== 'none' && this.#extent.forecast_until === null
        ? [`There is no forecast of the sun: ${this.#forecast.error ?? 'it is being loaded'}.`]
        : []),
    ]
    const ids = subject.devices.map(({ id }) => id)
    const choices = await choicesFrom(database.query, ids, now)
    const input = { now, zone: this.#zone, settings, market, forecast, profile: habits.profile, choices }
    const plan = this.#missing.length > 0 ? undefined : await makePlan({ ...input, devices }, solveInThread)
    this.#plan = plan
    this.#leftOut = leftOut
    if (plan === undefined) {
      this.#planDue.set(now + retryMs)
      return
    }
    await addPlan(database.query, subject.id, { madeAt: now, document: JSON.stringify(plan) })
  }

  /** The inverters that answer, as a text that another one differs from; one inverter alone is asked in any case. */
  #presence(): string {
    const { dependencies, subject } = this.#options
    if (subject.devices.length < 2) return ''
    return subject.devices
      .filter(({ id }) => dependencies.isThere(id))
      .map(({ id }) => id)
      .join(' ')
  }

  async #learn(now: number): Promise<Habits> {
    if (this.#habits === undefined || Math.abs(now - this.#habits.at) > 6 * hourMs) {
      const learned = await learnHabits(this.#options.dependencies, this.subject.id, now)
      this.#habits = Object.assign({ at: now }, learned)
    }
    return this.#habits
  }
}

/** The part of a plan that is for one inverter. */
const partFor = (plan: Plan | undefined, id: string): Plan | undefined =>
  plan && { ...plan, blocks: plan.blocks.filter(({ device_id: own }) => own === id) }

const missingPrices = (feed: Feed): string => `There are no prices: ${feed.error ?? 'they are being loaded'}.`

/** End of what is known without a gap from now on. */
function lastOf(stretches: readonly { readonly from: number; readonly until: number }[], now: number): string | null {
  let until = now
  for (const stretch of stretches) if (stretch.from <= until + quarterMs && stretch.until > until) until = stretch.until
  return until === now ? null : new Date(until).toISOString()
}
