/** A counter of the inverter as it was followed so far. */
export interface CounterState {
  /** Value that only grows, or starts again with its period. */
  readonly value: number
  /** The inverter's reading behind it. */
  readonly raw: number
  /** When the reading was taken over, milliseconds since the epoch. */
  readonly at: number
  /** A reading that cannot be right, and since when it has been read without a break. */
  readonly doubt?: { readonly since: number; readonly raw: number }
}

/** How a counter behaves. */
export interface CounterKind {
  /** Starts again at the begin of a day, month or year. */
  readonly isPeriodic: boolean
  /** Largest plausible growth in an hour; a rise beyond is doubted. */
  readonly maxPerHour: number
}

/** Time for which a doubtful reading must last before it is believed, milliseconds. */
const doubtMs = 300_000

/** Rise that is always plausible, as a share of an hour's growth: readings do not come evenly. */
const alwaysPlausible = 0.1

/** A reading of the inverter and when it was taken. */
interface CounterReading {
  readonly value: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * Returns the counter after a reading. A counter of a period may start again; every other one never falls: when the inverter
 * counts from less than before, the value goes on from where it was. A single wrong reading changes nothing.
 * The sign of a reading is its direction, not part of the count.
 */
export function count(before: CounterState | undefined, reading: CounterReading, kind: CounterKind): CounterState {
  const raw = Math.abs(reading.value)
  const { at } = reading
  if (before === undefined) return { value: raw, raw, at }
  const hours = Math.max(0, at - before.at) / 3_600_000
  const growth = raw - before.raw
  if (growth >= 0 && growth <= kind.maxPerHour * (hours + alwaysPlausible))
    return { value: before.value + growth, raw, at }
  const { doubt } = before
  // A reading that is doubted for another reason than the one before it is a new doubt.
  const isSame = doubt !== undefined && Math.sign(doubt.raw - before.raw) === Math.sign(growth) && raw >= doubt.raw
  const since = isSame ? doubt.since : at
  if (at - since < doubtMs)
    return { value: before.value, raw: before.raw, at: before.at, doubt: { since, raw: isSame ? doubt.raw : raw } }
  if (growth > 0) return { value: before.value + growth, raw, at }
  return { value: kind.isPeriodic ? raw : before.value, raw, at }
}

/** Largest plausible growth of an energy counter: 100 kW for an hour. */
const maxWattHours = 100_000

/** Returns how the counter of a metric behaves. */
export const counterKind = (name: string, unit: string | null): CounterKind => ({
  isPeriodic: /_(?:day|month|year)(?:_\d)?$/.test(name),
  maxPerHour: unit === 'Wh' ? maxWattHours : 1000,
})
