import type { Readable } from 'node:stream'
import { SettledClock } from '@hearth/runtime'
import { invalid, Problem, unknownDevice } from '../problems.ts'
import { SwitchedPart } from '../switched-part.ts'
import { plantId } from '../plant/schema.ts'
import type { EnergySlotRow } from '../tables.ts'
import type { HistoryDependencies } from './dependencies.ts'
import { openHistorySettings, type HistorySettingsStore } from './history-settings.ts'
import { PlantHistory } from './plant/plant-history.ts'
import { slotAt, slotsPerHour, startOfSlot } from './quantities.ts'
import type { HistoryRecorder } from './recorder.ts'
import type {
  DeviceHistoryStatus,
  EnergyExportQuery,
  EnergyHistory,
  EnergyHistoryQuery,
  FillingStatus,
  HistorySettings,
  HistoryView,
} from './schema.ts'
import { beginOfHistory, deleteMeter, extentOf, meterOf, slotRows, sumDays, updateMeter } from './store.ts'

/** The energy history of all inverters. */
export type History = HistoryService

/** Reads the settings. Nothing is recorded before `start`. */
export async function openHistory(dependencies: HistoryDependencies): Promise<HistoryService> {
  return new HistoryService(dependencies, await openHistorySettings(dependencies.database))
}

/** State of reading the log while nothing is read. */
const notFilling: FillingStatus = { state: 'off', detail: null, checked_until: null, reading_at: null, slots: 0 }

/** The history, on or off: what records and what answers is loaded when it is needed. */
class HistoryService {
  readonly #dependencies: HistoryDependencies
  readonly #settings: HistorySettingsStore
  readonly #plant: PlantHistory
  readonly #clock: SettledClock
  readonly #part = new SwitchedPart<HistoryRecorder>({
    begin: () => this.#begin(),
    end: (recorder) => recorder.close(),
  })

  constructor(dependencies: HistoryDependencies, settings: HistorySettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
    this.#clock = new SettledClock(dependencies.timers)
    this.#plant = new PlantHistory({ ...dependencies, days: () => settings.days() })
  }

  start(): Promise<void> {
    this.#plant.refresh()
    return this.#part.start()
  }

  /** Adds the history of the plant up anew, in the background, when other inverters are the plant. */
  plantChanged(): void {
    this.#plant.refresh()
    this.#dependencies.changed()
  }

  async view(): Promise<HistoryView> {
    const devices: DeviceHistoryStatus[] = []
    for (const id of this.#dependencies.deviceIds()) devices.push(await this.#statusOf(id))
    return { settings: this.#settings.current(), time_zone: this.#settings.days().zone, devices }
  }

  /** Stores the settings and applies them at once. In another time zone the days of which there are slots are added up again. */
  async change(settings: HistorySettings): Promise<void> {
    await this.#part.change(async () => {
      const { zone } = this.#settings.days()
      await this.#settings.change(settings)
      if (this.#settings.days().zone !== zone) await this.#sumAgain()
    })
    this.#dependencies.changed()
  }

  /** Returns balance and course of a period. Throws `unknown_device`. */
  async read(deviceId: string, { period, date }: EnergyHistoryQuery): Promise<EnergyHistory> {
    this.#readable(deviceId)
    const { database, timers, plant } = this.#dependencies
    const { query } = database
    const meter = await meterOf(query, deviceId)
    const { readHistory } = await import('./read-history.ts')
    const source = { db: query, days: this.#settings.days(), now: timers.now(), meter }
    const history = await readHistory(source, { deviceId, period, date })
    if (deviceId !== plantId || period !== 'day') return history
    const { missingStretches } = await import('./plant/missing-stretches.ts')
    // The newest slot may not be stored yet.
    const until = Math.min(slotAt(Date.parse(history.until)), slotAt(timers.now()) - 1)
    const range = { from: slotAt(Date.parse(history.from)), until }
    return { ...history, missing: await missingStretches(query, plant(), range) }
  }

  /** Returns what is stored of a device as a file. Throws `unknown_device`, and `invalid_parameter` for dates in the wrong order. */
  async export(deviceId: string, format: 'csv' | 'json', query: EnergyExportQuery): Promise<Readable> {
    this.#readable(deviceId)
    const { database, timers } = this.#dependencies
    const days = this.#settings.days()
    const today = days.at(timers.now()).date
    const meter = await meterOf(database.query, deviceId)
    const first = meter === undefined ? null : (await beginOfHistory(database.query, meter.number)).firstDay
    const { from = first ?? today, to = today, resolution } = query
    if (from > to) throw invalid('from', `must not be after ${to}`, 'invalid_parameter')
    const { exportFile } = await import('./export-lines.ts')
    return exportFile(format, { db: database.query, days, meter, resolution, from, to })
  }

  /** Content of the full battery of a device, watt-hours; null while it is not known. */
  async capacityOf(deviceId: string): Promise<number | null> {
    return (await meterOf(this.#dependencies.database.query, deviceId))?.capacity_wh ?? null
  }

  /** Returns true for a silent inverter without a battery that is switched off because it is dark, as on the days before. */
  async isOffForNight(deviceId: string): Promise<boolean> {
    const { database, timers } = this.#dependencies
    const meter = await meterOf(database.query, deviceId)
    if (meter === undefined) return false
    const { isOffForNight } = await import('./off-for-night.ts')
    return isOffForNight(database.query, meter, timers.now())
  }

  /** Returns the slots that begin in a stretch of time, oldest first. */
  async slotsOf(deviceId: string, from: number, until: number): Promise<EnergySlotRow[]> {
    const { query } = this.#dependencies.database
    const meter = await meterOf(query, deviceId)
    return meter === undefined ? [] : slotRows(query, meter.number, { from: slotAt(from), until: slotAt(until) })
  }

  /** The time zone of the days. */
  timeZone(): string {
    return this.#settings.days().zone
  }

  /** Reads the log of an inverter again, as far as it goes back. Throws `unknown_device`, and `conflict` while nothing is recorded. */
  async fill(deviceId: string): Promise<DeviceHistoryStatus> {
    this.#required(deviceId)
    const { running } = this.#part
    if (running === undefined) throw new Problem('conflict', 'The energy history is off, or the service does not run')
    await running.fill(deviceId)
    return this.#statusOf(deviceId)
  }

  /** Deletes the history of a device that was removed; one whose address changed keeps it, and counts anew. */
  async forget(deviceId: string): Promise<void> {
    const { database, deviceIds } = this.#dependencies
    await this.#part.running?.forget(deviceId)
    if (deviceIds().includes(deviceId)) await updateMeter(database.query, deviceId, { meter: null, filling: null })
    else await deleteMeter(database.query, deviceId)
    // A sample may have come in between, with what was known before.
    await this.#part.running?.forget(deviceId)
  }

  async close(): Promise<void> {
    await this.#plant.close()
    await this.#part.close()
  }

  async #begin(): Promise<HistoryRecorder | undefined> {
    if (!this.#settings.current().enabled) return undefined
    const { HistoryRecorder } = await import('./recorder.ts')
    const write = this.#plant.write.bind(this.#plant)
    const isClockSettled = () => this.#clock.isSettled()
    return new HistoryRecorder(Object.assign({ settings: this.#settings, write, isClockSettled }, this.#dependencies))
  }

  /**
   * Adds up the days of which there are slots. Hours and days are kept longer than slots: where there are hours before the oldest
   * slot, the days before stay, and so does the one that it is in the middle of.
   */
  async #sumAgain(): Promise<void> {
    const { query } = this.#dependencies.database
    const days = this.#settings.days()
    for (const id of [...this.#dependencies.deviceIds(), plantId]) {
      const meter = await meterOf(query, id)
      if (meter === undefined) continue
      const { oldest, firstHour } = await beginOfHistory(query, meter.number)
      const { newest } = await extentOf(query, meter.number)
      if (oldest === null || newest === null) continue
      const isCut = firstHour !== null && firstHour < Math.floor(oldest / slotsPerHour)
      const found = days.between(startOfSlot(oldest), startOfSlot(newest + 1))
      const whole = isCut ? found.filter(({ from }) => from >= startOfSlot(oldest)) : found
      const [first] = whole
      if (first !== undefined) await sumDays(query, meter.number, { days: whole, from: isCut ? first.date : '' })
    }
  }

  async #statusOf(deviceId: string): Promise<DeviceHistoryStatus> {
    const { query } = this.#dependencies.database
    const meter = await meterOf(query, deviceId)
    const extent = meter === undefined ? undefined : await extentOf(query, meter.number)
    const begin = meter === undefined ? undefined : await beginOfHistory(query, meter.number)
    const iso = (slot: number | null | undefined) => (slot == null ? null : new Date(startOfSlot(slot)).toISOString())
    return {
      device_id: deviceId,
      slots: extent?.count ?? 0,
      oldest: iso(begin?.oldest),
      newest: iso(extent?.newest),
      first_date: begin?.firstDay ?? null,
      filling: this.#part.running?.fillingStatus(deviceId) ?? this.#idleFilling(),
    }
  }

  #idleFilling(): FillingStatus {
    const isOn = this.#part.running !== undefined && this.#settings.current().fills_gaps
    return isOn ? { ...notFilling, state: 'waiting' } : notFilling
  }

  /** As `#required`, for what the plant has too. */
  #readable(deviceId: string): void {
    const isPlant = deviceId === plantId && this.#dependencies.plant().length > 0
    if (!isPlant) this.#required(deviceId)
  }

  #required(deviceId: string): void {
    if (!this.#dependencies.deviceIds().includes(deviceId)) throw unknownDevice(deviceId)
  }
}
