import type { LoggedPoint } from '../../protocol/time-series.ts'
import { noPowers, slotAt, slotMs, slotsPerHour, type Slot } from '../quantities.ts'

/** The series of the inverter's log that the history takes, by the metric names of their objects. */
export const logSeries = {
  load: 'logger_minutes_eload_log_ts',
  pvA: 'logger_minutes_ea_log_ts',
  pvB: 'logger_minutes_eb_log_ts',
  imported: 'logger_minutes_egrid_load_log_ts',
  exported: 'logger_minutes_egrid_feed_log_ts',
  battery: 'logger_minutes_ebat_log_ts',
  soc: 'logger_minutes_soc_log_ts',
} as const
export type LogSeries = keyof typeof logSeries

/** A stretch of the log: the points of each series; a series that the firmware does not have is missing. */
export type LogStretch = Readonly<Partial<Record<LogSeries, readonly LoggedPoint[]>>>

/** What a point of an energy is: the energy of its five minutes, or their mean power. */
export type LogUnit = 'Wh' | 'W'

const logger = 1

/**
 * Tells the unit of the log from what the inverter has counted itself over the same time. Undefined when neither fits: the sums
 * differ by a factor of twelve, so there is no doubt otherwise.
 */
export function unitOf(loggedSum: number, countedWattHours: number): LogUnit | undefined {
  const ratio = Math.abs(loggedSum) / countedWattHours
  if (ratio > 0.4 && ratio < 2.5) return 'Wh'
  return ratio > 5 && ratio < 30 ? 'W' : undefined
}

/** Returns the slot of a point: it stands at the end of its five minutes, which need not begin with those of the hour. */
export const slotOfPoint = (ms: number): number => slotAt(ms - slotMs / 2)

interface LogReading {
  readonly unit: LogUnit
  /** Returns the time of a point in milliseconds; undefined when it cannot be told. */
  readonly timeOf: (seconds: number) => number | undefined
}

/** Makes slots of a stretch of the log, oldest first; one without a value for the house is left out. */
export function slotsOfLog(stretch: LogStretch, reading: LogReading): Slot[] {
  const series = new Map<LogSeries, Map<number, number>>()
  for (const [name, points] of Object.entries(stretch) as [LogSeries, readonly LoggedPoint[]][])
    series.set(name, bySlot(points, reading))
  const at = (name: LogSeries, slot: number) => series.get(name)?.get(slot)
  const factor = reading.unit === 'W' ? 1 / slotsPerHour : 1
  const dischargeSign = batterySignOf(stretch)
  return [...(series.get('load')?.keys() ?? [])]
    .toSorted((a, b) => a - b)
    .map((slot) => {
      const energy = (...names: LogSeries[]) => {
        const known = names.map((name) => at(name, slot)).filter((value) => value !== undefined)
        return known.length === 0 ? null : known.reduce((sum, value) => sum + Math.abs(value), 0) * factor
      }
      const battery = at('battery', slot)
      const discharged = battery === undefined ? null : battery * factor * dischargeSign
      return logSlot(slot, {
        pv: energy('pvA', 'pvB'),
        load: energy('load'),
        imported: energy('imported'),
        exported: energy('exported'),
        discharged,
        soc: at('soc', slot),
      })
    })
}

interface LogValues {
  readonly pv: number | null
  readonly load: number | null
  readonly imported: number | null
  readonly exported: number | null
  /** Negative for energy into the battery. */
  readonly discharged: number | null
  readonly soc: number | undefined
}

function logSlot(slot: number, { pv, load, imported, exported, discharged, soc }: LogValues): Slot {
  const grid = imported === null || exported === null ? null : imported - exported
  return {
    slot,
    pv_wh: rounded(pv),
    load_wh: rounded(load),
    import_wh: rounded(imported),
    export_wh: rounded(exported),
    charge_wh: discharged === null ? null : rounded(Math.max(0, -discharged)),
    discharge_wh: discharged === null ? null : rounded(Math.max(0, discharged)),
    ...noPowers,
    pv_w: wattsOf(pv),
    load_w: wattsOf(load),
    grid_w: wattsOf(grid),
    battery_w: wattsOf(discharged),
    soc: soc === undefined || soc < 0 || soc > 100 ? null : Math.round(soc > 1 ? soc * 10 : soc * 1000),
    source: logger,
  }
}

// `+ 0` makes zero of minus zero.
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value) + 0)
const wattsOf = (wattHours: number | null): number | null =>
  wattHours === null ? null : Math.round(wattHours * slotsPerHour) + 0

function bySlot(points: readonly LoggedPoint[], { timeOf }: LogReading): Map<number, number> {
  const slots = new Map<number, number>()
  for (const { time, value } of points) {
    const ms = timeOf(time)
    if (ms !== undefined) slots.set(slotOfPoint(ms), value)
  }
  return slots
}

/**
 * Returns 1 if the log counts discharge positive, and -1 if it counts it negative: what house and grid take beyond sun and grid
 * comes out of the battery.
 */
function batterySignOf(stretch: LogStretch): 1 | -1 {
  const valueAt = (name: LogSeries, time: number) =>
    Math.abs(stretch[name]?.find((point) => point.time === time)?.value ?? 0)
  let agreement = 0
  for (const { time, value } of stretch.battery ?? []) {
    const missing =
      valueAt('load', time) +
      valueAt('exported', time) -
      valueAt('pvA', time) -
      valueAt('pvB', time) -
      valueAt('imported', time)
    agreement += value * missing
  }
  return agreement < 0 ? -1 : 1
}
