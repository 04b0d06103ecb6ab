import type { Database } from '@hearth/database'
import { parseJson, type Log, type Timers } from '@hearth/runtime'
import { z } from 'zod'
import { plantId, type PlantInverter } from '../../plant/schema.ts'
import type { Tables } from '../../tables.ts'
import type { LocalDays } from '../local-days.ts'
import {
  addMeter,
  deleteMeter,
  extentOf,
  meterOf,
  putSlots,
  updateMeter,
  writeSlots,
  type SlotWrite,
} from '../store.ts'
import { addUp, plantMeters } from './add-up.ts'

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
 * the transaction that stores one of an inverter; all of them are once other inverters are the plant.
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
      // While it is made anew everything is added up anyway.
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
    if (inverters.length === 0) return deleteMeter(query, plantId)
    const key = JSON.stringify(inverters)
    const row = await addMeter(query, plantId)
    const found = Progress.safeParse(parseJson(row.filling ?? ''))
    const isKnown = found.success && found.data.key === key
    if (!isKnown) await deleteMeter(query, plantId)
    const meter = isKnown ? row : await addMeter(query, plantId)
    const meters = await plantMeters(query, inverters)
    const oldest = Math.min(...meters.map(({ firstSlot }) => firstSlot))
    let next = isKnown ? found.data.next : await this.#end(meters.map(({ number }) => number))
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

  /** The slot after the newest of all inverters. */
  async #end(numbers: readonly number[]): Promise<number> {
    const newest = await Promise.all(numbers.map((number) => extentOf(this.#dependencies.database.query, number)))
    return Math.max(0, ...newest.map(({ newest: slot }) => (slot ?? -1) + 1))
  }
}
