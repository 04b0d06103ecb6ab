import type { LoggedPoint } from '../protocol/time-series.ts'
import { advancePlant, newPlant, type PlantState } from './plant.ts'

/** Seconds between two points, and how far the log goes back. */
const raster = 300
const maxPoints = 90 * 288

/** Content of one point. Energies in watt-hours of the five minutes before it. */
interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly solarA: number
  readonly solarB: number
  readonly load: number
  readonly gridImport: number
  readonly gridExport: number
  readonly battery: number
  readonly soc: number
}

/** Series of the log by the names of their objects; as the counters do, the log counts what goes out below zero. */
const series: Readonly<Record<string, (entry: LogEntry) => number>> = {
  logger_minutes_ea_log_ts: ({ solarA }) => solarA,
  logger_minutes_eb_log_ts: ({ solarB }) => solarB,
  logger_minutes_eload_log_ts: ({ load }) => load,
  logger_minutes_egrid_load_log_ts: ({ gridImport }) => gridImport,
  logger_minutes_egrid_feed_log_ts: ({ gridExport }) => -gridExport,
  logger_minutes_ebat_log_ts: ({ battery }) => battery,
  logger_minutes_soc_log_ts: ({ soc }) => soc,
}

/** The five-minute log of a simulated inverter: a ring of 90 days, the time before its start included. */
export class EnergyLog {
  readonly #weather: { readonly seed: number; readonly clouds?: number | undefined }
  #last: PlantState
  #entries: LogEntry[] | undefined
  #recorded: LogEntry[] = []

  /** Begins with a plant at its start. */
  constructor(plant: PlantState, weather: { readonly seed: number; readonly clouds?: number | undefined }) {
    this.#last = plant
    this.#weather = weather
  }

  /** Time of the point after a time, milliseconds. */
  static nextPoint(at: number): number {
    return (Math.floor(at / 1000 / raster) + 1) * raster * 1000
  }

  /** Takes the plant at the time of a point. */
  record(plant: PlantState): void {
    this.#recorded.push(entryOf(this.#last, plant))
    this.#last = plant
    if (this.#recorded.length > maxPoints) this.#recorded.shift()
  }

  /** Returns the newest points of a series before a time, newest first; undefined for an object that is none of them. */
  before(name: string, { at, count }: { readonly at: number; readonly count: number }): LoggedPoint[] | undefined {
    const valueOf = series[name]
    if (valueOf === undefined) return undefined
    const entries = [...this.#earlier(), ...this.#recorded].slice(-maxPoints)
    return entries
      .filter((entry) => entry.at < at)
      .slice(-count)
      .toReversed()
      .map((entry) => ({ time: entry.at / 1000, value: valueOf(entry) }))
  }

  /** The time before the start, simulated when it is first needed. */
  #earlier(): LogEntry[] {
    if (this.#entries !== undefined) return this.#entries
    const first = this.#recorded[0]?.at ?? EnergyLog.nextPoint(this.#last.at)
    const control = { strategy: 4, setpoint: 0, mayChargeFromGrid: false }
    const options = { ...this.#weather, control, stepMs: raster * 1000 }
    let plant = newPlant(first - (maxPoints + 1) * raster * 1000)
    this.#entries = Array.from({ length: maxPoints }, () => {
      const before = plant
      plant = advancePlant(plant, plant.at + raster * 1000, options)
      return entryOf(before, plant)
    })
    return this.#entries
  }
}

function entryOf(before: PlantState, after: PlantState): LogEntry {
  const grown = (name: keyof PlantState['energy']) => after.energy[name] - before.energy[name]
  return {
    at: after.at,
    solarA: grown('solarA'),
    solarB: grown('solarB'),
    load: grown('load'),
    gridImport: grown('gridImport'),
    gridExport: grown('gridExport'),
    battery: grown('discharged') - grown('charged'),
    soc: after.soc,
  }
}
