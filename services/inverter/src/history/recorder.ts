import { parseJson } from '@hearth/runtime'
import type { EnergyMeterRow } from '../tables.ts'
import type { HistoryDependencies } from './dependencies.ts'
import type { Filling, FillingState } from './filling/filling.ts'
import type { HistorySettingsStore } from './history-settings.ts'
import { SlotMeter, type MeterState } from './meter/slot-meter.ts'
import { slotAt, slotsPerHour, type Slot } from './quantities.ts'
import { Sampler } from './sampler.ts'
import type { FillingStatus } from './schema.ts'
import { addMeter, deleteOld, knownSlots, meterOf, updateMeter, type SlotWrite } from './store.ts'

/** Time after the start before the log of an inverter is read, and the interval at which gaps are looked for; milliseconds. */
const firstFilling = 120_000
const fillEvery = 900_000

/** Time for filling that is under way when the recorder is closed, milliseconds. */
const closeMs = 1000

/** Years for which hours and days are kept. */
const hourYears = 10
const dayYears = 50

interface RecorderDependencies extends HistoryDependencies {
  readonly settings: HistorySettingsStore
  /** Stores slots of an inverter, and what follows from them. */
  readonly write: (write: SlotWrite) => Promise<void>
  /** True once the wall clock has run without a jump for long enough to be believed. */
  readonly isClockSettled: () => boolean
}

interface DeviceRecorder {
  readonly row: EnergyMeterRow
  readonly meter: SlotMeter
}

/** The energy history while it is switched on: samples, filled gaps, and the end of what is too old. */
export class HistoryRecorder {
  readonly #dependencies: RecorderDependencies
  readonly #sampler: Sampler
  readonly #devices = new Map<string, Promise<DeviceRecorder>>()
  readonly #fillings = new Map<string, Filling>()
  #cancel: () => void = () => undefined
  #filled: Promise<void> = Promise.resolve()
  /** Date of the last clean-up. */
  #cleanedOn = ''
  #isClosed = false

  constructor(dependencies: RecorderDependencies) {
    this.#dependencies = dependencies
    const { catalog, timers, log, devices, capabilities, plant } = dependencies
    this.#sampler = new Sampler({
      catalog,
      timers,
      log,
      devices,
      capabilities,
      meter: async (id) => (await this.#device(id)).meter,
      needsAc: (id) => plant().some(({ device_id: own }) => own === id),
      isDoubted: (meter) => this.#isDoubted(meter),
      store: (id, slots, capacityWh) => this.#store(id, slots, capacityWh),
    })
    if (dependencies.settings.current().fills_gaps) this.#planFilling(firstFilling)
  }

  fillingStatus(deviceId: string): FillingStatus | undefined {
    return this.#fillings.get(deviceId)?.status()
  }

  /** Reads the log of an inverter again, as far as it goes back. Returns as soon as the reading has begun. */
  async fill(deviceId: string): Promise<void> {
    const filling = await this.#filling(deviceId)
    filling.restart()
    void filling.run()
  }

  /** Begins anew with a device: another inverter may answer there. */
  async forget(deviceId: string): Promise<void> {
    await this.#sampler.settled(deviceId)
    const filling = this.#fillings.get(deviceId)
    this.#fillings.delete(deviceId)
    this.#devices.delete(deviceId)
    await filling?.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await Promise.all([...this.#fillings.values()].map((filling) => filling.close()))
    await Promise.race([this.#filled, this.#dependencies.timers.delay(closeMs)])
    await this.#sampler.close()
  }

  /** Returns the recorder of a device, read from the database when it is first needed. */
  #device(id: string): Promise<DeviceRecorder> {
    const known = this.#devices.get(id)
    if (known !== undefined) return known
    const opening = addMeter(this.#dependencies.database.query, id).then((row) => ({
      row,
      meter: new SlotMeter((row.meter === null ? undefined : parseJson(row.meter)) as MeterState | undefined),
    }))
    this.#devices.set(id, opening)
    opening.catch(() => this.#devices.delete(id))
    return opening
  }

  async #store(id: string, slots: readonly Slot[], capacityWh: number | undefined): Promise<void> {
    const { settings, changed, write } = this.#dependencies
    const { row, meter } = await this.#device(id)
    const change = {
      meter: JSON.stringify(meter.state),
      ...(capacityWh !== undefined && { capacity_wh: capacityWh }),
    }
    try {
      await write({ meter: row, slots, days: settings.days(), change })
    } catch (error) {
      // Begins again from what is stored: the counters still know what these slots had.
      this.#devices.delete(id)
      throw error
    }
    if (slots.length > 0) changed()
    await this.#cleanUp()
  }

  /** True while the clock says a time that is far from what is stored, and may be wrong: nothing is stored at it. */
  #isDoubted(meter: SlotMeter): boolean {
    const isSettled = this.#dependencies.isClockSettled()
    return !isSettled && meter.isFarFrom(this.#dependencies.timers.now())
  }

  /** Deletes what is too old, once a day, and nothing by a clock that may be wrong. */
  async #cleanUp(): Promise<void> {
    const { database, settings, timers, isClockSettled } = this.#dependencies
    if (!isClockSettled()) return
    const today = settings.days().at(timers.now()).date
    if (today === this.#cleanedOn) return
    this.#cleanedOn = today
    const date = Temporal.PlainDate.from(today)
    const hours = settings.days().on(date.subtract({ years: hourYears }).toString()).from
    await deleteOld(database.query, {
      slot: this.#oldestKept(),
      hour: slotAt(hours) / slotsPerHour,
      day: date.subtract({ years: dayYears }).toString(),
    })
  }

  /** First slot that is kept: the first one of a day, so that the sum of a day never loses a part. */
  #oldestKept(): number {
    const { settings, timers } = this.#dependencies
    const today = Temporal.PlainDate.from(settings.days().at(timers.now()).date)
    const first = today.subtract({ days: settings.current().five_minute_days })
    return slotAt(settings.days().on(first.toString()).from)
  }

  #planFilling(ms: number): void {
    this.#cancel = this.#dependencies.timers.after(ms, () => {
      this.#filled = this.#fillAll()
        .catch((error: unknown) => this.#dependencies.log.error({ err: error }, 'gaps in the history stay open'))
        .finally(() => {
          if (!this.#isClosed) this.#planFilling(fillEvery)
        })
    })
  }

  /** Fills the gaps of all devices, one after the other on each. */
  async #fillAll(): Promise<void> {
    const fillings = await Promise.all(this.#dependencies.devices().map(({ deviceId }) => this.#filling(deviceId)))
    if (!this.#isClosed) await Promise.all(fillings.map((filling) => filling.run()))
  }

  async #filling(id: string): Promise<Filling> {
    const { catalog, timers, log, devices, database, settings, changed, write } = this.#dependencies
    const { row } = await this.#device(id)
    // Loaded here: most installations have no gaps most of the time.
    const { Filling, FillingState, neverFilled } = await import('./filling/filling.ts')
    const known = this.#fillings.get(id)
    if (known !== undefined) return known
    const stored = FillingState.safeParse(parseJson((await meterOf(database.query, id))?.filling ?? ''))
    const store = async (slots: readonly Slot[], state: FillingState) => {
      const change = { filling: JSON.stringify(state) }
      if (slots.length === 0) await updateMeter(database.query, id, change)
      else await write({ meter: row, slots, days: settings.days(), change })
      if (slots.length > 0) changed()
    }
    const filling = new Filling(stored.success ? stored.data : neverFilled, {
      catalog,
      timers,
      log: log.child({ device: id }),
      device: () => devices().find(({ deviceId }) => deviceId === id),
      zone: () => settings.days().zone,
      oldestKept: () => this.#oldestKept(),
      isDoubted: async () => this.#isDoubted((await this.#device(id)).meter),
      known: (range) => knownSlots(database.query, row.number, range),
      store,
    })
    this.#fillings.set(id, filling)
    return filling
  }
}
