import type { Log, Timers } from '@hearth/runtime'
import { z } from 'zod'
import type { Catalog } from '../../catalog/catalog.ts'
import type { DeviceRuntime } from '../../devices/device-runtime.ts'
import { deviceProblem } from '../../metrics/device-problem.ts'
import { Problem } from '../../problems.ts'
import { DecodeError } from '../../protocol/wire-value.ts'
import { decodeTimeSeries, encodeHistoryRequest, type LoggedPoint } from '../../protocol/time-series.ts'
import { slotAt, startOfSlot, type Slot } from '../quantities.ts'
import type { FillingStatus } from '../schema.ts'
import type { SlotRange } from '../store.ts'
import { clockOf, firstTimeOf, shownAt, timeOf, type DeviceClock } from './device-clock.ts'
import { newestGap } from './gaps.ts'
import {
  logSeries,
  slotOfPoint,
  slotsOfLog,
  unitOf,
  type LogSeries,
  type LogStretch,
  type LogUnit,
} from './log-series.ts'

/** How far the log of an inverter goes back, slots. */
export const logSlots = 90 * 288

/** Slots that one look at the database covers. */
const windowSlots = 7 * 288

/** Pause between two requests, milliseconds: a day of the log takes some fifty of them. */
const pauseMs = 2000

/** Time for a request that is under way when the filling is closed, milliseconds. */
const closeMs = 2000

/** Attempts of one request, and the pause before another; milliseconds. */
const maxAttempts = 3
const retryMs = 15_000

/** Watt-hours that the house must have used today before the unit of the log is told from them. */
const minWattHours = 300

/** What is known of reading the log, kept over restarts. */
export const FillingState = z.object({
  /** Slots before this one need no look any more. */
  checkedUntil: z.int(),
  /** The round that is under way reads backwards from here; null when none is. */
  cursor: z.int().nullable(),
  /** First slot that the round under way does not look at. */
  until: z.int().nullable(),
  /** Series that the firmware does not answer. */
  silent: z.array(z.enum(Object.keys(logSeries) as [LogSeries, ...LogSeries[]])),
})
export type FillingState = z.infer<typeof FillingState>

/** State of a device whose log was never read. */
export const neverFilled: FillingState = { checkedUntil: 0, cursor: null, until: null, silent: [] }

interface FillingDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly device: () => DeviceRuntime | undefined
  readonly zone: () => string
  /** First slot that is kept. */
  readonly oldestKept: () => number
  /** True while the clock may be wrong: that of the inverter is told by it. */
  readonly isDoubted: () => Promise<boolean>
  readonly known: (range: SlotRange) => Promise<ReadonlySet<number>>
  readonly store: (slots: readonly Slot[], state: FillingState) => Promise<void>
}

/** A reason not to go on now, in words. */
class FillingStopped extends Error {}

/**
 * Fills the gaps in the history of one inverter from its own log. It reads backwards, one request every two seconds, behind all
 * other requests, and goes on where it was after a restart.
 */
export class Filling {
  readonly #dependencies: FillingDependencies
  readonly #end = new AbortController()
  #state: FillingState
  #running: Promise<void> | undefined
  #detail: string | null = null
  #slots = 0

  constructor(state: FillingState, dependencies: FillingDependencies) {
    this.#state = state
    this.#dependencies = dependencies
  }

  status(): FillingStatus {
    const { checkedUntil, cursor } = this.#state
    const iso = (slot: number) => new Date(startOfSlot(slot)).toISOString()
    const isRunning = this.#running !== undefined
    return {
      state: isRunning ? 'reading' : cursor === null && checkedUntil > 0 ? 'done' : 'waiting',
      detail: this.#detail,
      checked_until: checkedUntil === 0 ? null : iso(checkedUntil),
      reading_at: isRunning && cursor !== null ? iso(cursor) : null,
      slots: this.#slots,
    }
  }

  /** Looks at everything again that the log may have. */
  restart(): void {
    this.#state = { ...neverFilled }
  }

  /** Runs a round, or joins the one under way. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#runRound()
    return this.#running
  }

  async close(): Promise<void> {
    this.#end.abort()
    // A request that waits for a silent inverter stores nothing any more.
    await Promise.race([this.#running, this.#dependencies.timers.delay(closeMs)])
  }

  async #runRound(): Promise<void> {
    try {
      await this.#round()
      this.#detail = null
    } catch (error) {
      this.#noteFailure(error)
    } finally {
      this.#running = undefined
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#end.signal.aborted) return
    this.#detail = error instanceof Error ? error.message : 'unknown error'
    if (!(error instanceof FillingStopped) && !(error instanceof Problem))
      this.#dependencies.log.error({ err: error }, 'the log of the inverter could not be read')
  }

  async #round(): Promise<void> {
    const { timers, oldestKept, isDoubted } = this.#dependencies
    if (await isDoubted()) throw new FillingStopped('Waits until the clock of this machine is known to be right')
    const now = slotAt(timers.now())
    // The newest slots are still being measured.
    const until = this.#state.until ?? now - 2
    const from = Math.max(now - logSlots, oldestKept(), this.#state.checkedUntil)
    let end = Math.min(this.#state.cursor ?? until, until)
    let log: OpenLog | undefined
    while (end > from) {
      const range = { from: Math.max(from, end - windowSlots), until: end }
      const gap = newestGap(await this.#dependencies.known(range), range)
      if (gap === undefined) end = range.from
      else {
        log ??= await this.#openLog()
        end = await this.#fill(gap, log)
      }
      this.#state = { ...this.#state, cursor: end, until }
    }
    this.#state = { ...this.#state, cursor: null, until: null, checkedUntil: until }
    await this.#dependencies.store([], this.#state)
  }

  /** Finds out how the clock of the inverter stands and in what unit it logs. */
  async #openLog(): Promise<OpenLog> {
    const { timers, zone } = this.#dependencies
    const shown = await this.#readNumber('flash_rtc_time_stamp')
    const clock = clockOf(shown * 1000, timers.now(), zone())
    const counted = Math.abs(await this.#readNumber('energy_e_load_day'))
    if (counted < minWattHours)
      throw new FillingStopped('Waits until the house has used more today: the unit of the log is told from it')
    const midnight = Math.floor(shown / 86_400) * 86_400
    let logged = 0
    for (let before = shown; before > midnight;) {
      const points = (await this.#query('load', before)).filter(({ time }) => time < before)
      const oldest = points.at(-1)?.time
      if (oldest === undefined) break
      logged += points.filter(({ time }) => time > midnight).reduce((sum, { value }) => sum + Math.abs(value), 0)
      before = oldest
    }
    const unit = unitOf(logged, counted)
    if (unit === undefined)
      throw new FillingStopped('The log of the inverter does not match its counters, so nothing is taken from it')
    return { clock, unit }
  }

  /** Takes one stretch of the log into a gap. Returns the slot from which on the round goes on, backwards. */
  async #fill(gap: SlotRange, { clock, unit }: OpenLog): Promise<number> {
    // A point of the last slot of the gap stands at its end, and may do so a little later.
    const before = shownAt(startOfSlot(gap.until + 1), clock)
    const stretch: Partial<Record<LogSeries, readonly LoggedPoint[]>> = {}
    for (const name of Object.keys(logSeries) as LogSeries[]) {
      const points = this.#state.silent.includes(name) ? [] : await this.#query(name, before)
      if (points.length > 0) stretch[name] = points.filter(({ time }) => time < before)
    }
    const oldest = oldestCommon(stretch)
    // Nothing as old as that: the log ends here.
    if (oldest === undefined) return 0
    const at = (seconds: number) => timeOf(seconds, clock)
    const slots = slotsOfLog(since(stretch, oldest), { unit, timeOf: at }).filter(
      ({ slot }) => slot >= gap.from && slot < gap.until,
    )
    const end = Math.min(slotOfPoint(firstTimeOf(oldest, clock)), gap.until - 1)
    this.#end.signal.throwIfAborted()
    this.#slots += slots.length
    await this.#dependencies.store(slots, { ...this.#state, cursor: end })
    return Math.max(gap.from, end)
  }

  async #readNumber(name: string): Promise<number> {
    const object = this.#dependencies.catalog.byName(name)
    const runtime = this.#dependencies.device()
    if (object === undefined || runtime === undefined) throw new FillingStopped('The inverter is not connected')
    const { value } = await runtime.reader.readDirect(object, 'background')
    return Number(value)
  }

  /**
   * Returns the points of a series before a time that the clock of the inverter shows, newest first. A series that stays
   * unanswered is left out from then on: the firmware does not have it, and each request costs the connection.
   */
  async #query(name: LogSeries, before: number): Promise<readonly LoggedPoint[]> {
    const { timers } = this.#dependencies
    for (let attempt = 1; ; attempt += 1) {
      await timers.delay(attempt === 1 ? pauseMs : retryMs, this.#end.signal)
      try {
        return await this.#queryOnce(name, before)
      } catch (error) {
        const problem = error instanceof DecodeError ? error : deviceProblem(error)
        if (attempt < maxAttempts && (problem instanceof Problem || problem instanceof DecodeError)) continue
        const isSilent = problem instanceof Problem && problem.code === 'device_timeout' && name !== 'load'
        if (!isSilent) throw problem
        this.#state = { ...this.#state, silent: [...this.#state.silent, name] }
        return []
      }
    }
  }

  async #queryOnce(name: LogSeries, before: number): Promise<readonly LoggedPoint[]> {
    const { catalog, device } = this.#dependencies
    const object = catalog.byName(logSeries[name])
    const runtime = device()
    if (object === undefined || runtime === undefined) throw new FillingStopped('The inverter is not connected')
    const options = { address: runtime.networkId, priority: 'background' } as const
    const payload = await runtime.link.query(object.objectId, encodeHistoryRequest(before), options)
    return decodeTimeSeries(payload).points
  }
}

/** How the log is to be read. */
interface OpenLog {
  readonly clock: DeviceClock
  readonly unit: LogUnit
}

/** Returns the oldest time that every series reaches; undefined when the house has no points. */
function oldestCommon(stretch: LogStretch): number | undefined {
  if ((stretch.load ?? []).length === 0) return undefined
  const oldest = Object.values(stretch).map((points) => points.at(-1)?.time ?? 0)
  return Math.max(...oldest)
}

const since = (stretch: LogStretch, oldest: number): LogStretch =>
  Object.fromEntries(
    Object.entries(stretch).map(([name, points]) => [name, points.filter(({ time }) => time >= oldest)]),
  )
