import type { Database } from '@hearth/database'
import { parseJson, type Log, type Timers } from '@hearth/runtime'
import { z } from 'zod'
import { plantId, type PlantInverter } from '../../plant/schema.ts'
import type { Tables } from '../../tables.ts'
import type { LocalDays } from '../local-days.ts'
import { slotAt, slotsPerHour, startOfSlot } from '../quantities.ts'
import {
  addMeter,
  beginOfHistory,
  extentOf,
  meterOf,
  putSlots,
  updateMeter,
  writeSlots,
  type SlotWrite,
} from '../store.ts'
import { addUp, plantMeters } from './add-up.ts'
import { removeSums } from './plant-store.ts'

/** Slots that are added up in one transaction, and the pause after it, in which others get their turn; milliseconds. */
const slotsAtOnce = 288
const pauseMs = 20

/** How far the history of a plant is added up, backwards. */
const Progress = z.object({
  /** The inverters that it is of. */
  key: z.string(),
  /** Everything from here on is added up; null once all is. */
  next: z.int().nullable(),
})
type Progress = z.infer<typeof Progress>

interface PlantHistoryDependencies {
  readonly database: Database<Tables>
  readonly timers: Timers
  readonly log: Log
  readonly days: () => LocalDays
  /** Inverters of the plant; none while there is no plant. */
  readonly plant: () => readonly PlantInverter[]
  readonly changed: () => void
}

/**
 * The history of the plant: five minutes, hours and days like those of an inverter, of its own meter. Each slot is added up in
 * the transaction that stores one of an inverter. Once other inverters are the plant, all are added up again of which the
 * inverters have slots; older hours and days stay.
 */
export class PlantHistory {
  readonly #dependencies: PlantHistoryDependencies
  #working: Promise<void> = Promise.resolve()
  /** Counts the changes: an adding-up that is overtaken ends. */
  #round = 0

  constructor(dependencies: PlantHistoryDependencies) {
    this.#dependencies = dependencies
  }

  /** Stores slots of an inverter, and with them those of the plant that it belongs to. */
  async write(write: SlotWrite): Promise<void> {
    const { database, days, plant } = this.#dependencies
    const inverters = plant()
    const [first, last] = [write.slots.at(0), write.slots.at(-1)]
    const isPart = inverters.some(({ device_id: id }) => id === write.meter.device_id)
    if (!isPart || first === undefined || last === undefined) return writeSlots(database.query, write)
    await database.query.transaction().execute(async (trx) => {
      await putSlots(trx, write)
      const meter = await meterOf(trx, plantId)
      if (meter === undefined) return
      const range = { from: first.slot, until: last.slot + 1 }
      await addUp(trx, { plant: meter, inverters, range, days: days() })
    })
  }

  /** Adds everything up in the background, unless that is done for these inverters. */
  refresh(): void {
    const { log } = this.#dependencies
    const round = ++this.#round
    this.#working = this.#working
      .then(() => this.#addUpAll(round))
      .catch((error: unknown) => log.error({ err: error }, 'the history of the plant could not be added up'))
  }

  /** Resolves when nothing is being added up. */
  idle(): Promise<void> {
    return this.#working
  }

  async close(): Promise<void> {
    this.#round += 1
    await this.#working
  }

  async #addUpAll(round: number): Promise<void> {
    const { database, days, plant, timers, changed } = this.#dependencies
    const { query } = database
    const inverters = plant()
    if (round !== this.#round) return
    // A plant that is switched off keeps its history; what comes meanwhile is added up when it is back.
    if (inverters.length === 0) return updateMeter(query, plantId, { filling: null })
    const key = keyOf(inverters)
    const meter = await addMeter(query, plantId)
    const found = Progress.safeParse(parseJson(meter.filling ?? ''))
    if (found.success && found.data.key === key && found.data.next === null) return
    const meters = await plantMeters(query, inverters)
    const oldest = await this.#beginOf(
      meter.number,
      meters.map(({ firstSlot }) => firstSlot),
    )
    let next =
      found.success && found.data.key === key
        ? found.data.next
        : await this.#begin({ key, plant: meter.number, oldest, numbers: meters.map(({ number }) => number) })
    while (next !== null && round === this.#round) {
      const range: { from: number; until: number } = { from: Math.max(oldest, next - slotsAtOnce), until: next }
      next = range.from > oldest && Number.isFinite(oldest) ? range.from : null
      const progress: Progress = { key, next }
      await query.transaction().execute(async (trx) => {
        if (range.until > range.from) await addUp(trx, { plant: meter, inverters, range, days: days() })
        await updateMeter(trx, plantId, { filling: JSON.stringify(progress) })
      })
      await timers.delay(pauseMs)
    }
    changed()
  }

  /**
   * The first slot that is added up anew; infinite without one. Hours and days are kept longer than slots, so a day whose first
   * slots may be gone stays as it is where there are days before it.
   */
  async #beginOf(plant: number, firstSlots: readonly number[]): Promise<number> {
    const { database, days } = this.#dependencies
    const oldest = Math.min(...firstSlots)
    if (!Number.isFinite(oldest)) return oldest
    const { firstDay } = await beginOfHistory(database.query, plant)
    const day = days().at(startOfSlot(oldest))
    return firstDay !== null && firstDay < day.date ? slotAt(day.until) : oldest
  }

  /** Begins to add everything up anew: returns the slot after the newest of all inverters. */
  async #begin({ key, plant, oldest, numbers }: Beginning): Promise<number> {
    const next = await this.#end(numbers)
    await this.#dependencies.database.query.transaction().execute(async (trx) => {
      if (Number.isFinite(oldest)) {
        const { date: day } = this.#dependencies.days().at(startOfSlot(oldest))
        await removeSums(trx, plant, { hour: Math.ceil(oldest / slotsPerHour), day })
      }
      await updateMeter(trx, plantId, { filling: JSON.stringify({ key, next } satisfies Progress) })
    })
    return next
  }

  /** The slot after the newest of all inverters. */
  async #end(numbers: readonly number[]): Promise<number> {
    const newest = await Promise.all(numbers.map((number) => extentOf(this.#dependencies.database.query, number)))
    return Math.max(0, ...newest.map(({ newest: slot }) => (slot ?? -1) + 1))
  }
}

interface Beginning {
  readonly key: string
  /** Number of the meter of the plant. */
  readonly plant: number
  readonly oldest: number
  /** Numbers of the meters of its inverters. */
  readonly numbers: readonly number[]
}

/** What a history is of: the inverters and which of them see the grid, in any order. */
const keyOf = (inverters: readonly PlantInverter[]): string =>
  JSON.stringify(
    inverters
      .map(({ device_id: id, sees_grid: seesGrid }) => [id, seesGrid] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
