import { count, counterKind, type CounterState } from '../../metrics/counter.ts'

/** The counters behind one energy, and how much of them is in slots already. */
export interface CountedEnergy {
  readonly counters: Readonly<Record<string, CounterState>>
  /** Watt-hours of the counters that slots hold. */
  readonly booked: number
  /** Watt-hours that slots hold from measured power, because the counters were in doubt. */
  readonly provisional: number
}

/** Readings of the counters of one energy by metric name. */
export type CounterReadings = Readonly<Record<string, number>>

/** An energy after a reading. */
interface Growth {
  readonly energy: CountedEnergy
  /** Whole watt-hours to put into slots; null when the counters do not tell now. */
  readonly wattHours: number | null
}

/** Returns an energy whose counters are read for the first time. */
export const beginCounting = (readings: CounterReadings, at: number): CountedEnergy => {
  const counters = follow({}, readings, at)
  return { counters, booked: sumOf(counters), provisional: 0 }
}

/**
 * Returns how much an energy has grown. While a reading is doubted, and when a counter has begun again, its growth is not known,
 * and the caller takes what it measured itself. A part of a watt-hour is left for the next time.
 */
export function growthOf(before: CountedEnergy, readings: CounterReadings, at: number): Growth {
  const counters = follow(before.counters, readings, at)
  if (Object.values(counters).some(({ doubt }) => doubt !== undefined))
    return { energy: { ...before, counters }, wattHours: null }
  const value = sumOf(counters)
  const hasRestarted = Object.entries(counters).some(([name, { raw }]) => raw < (before.counters[name]?.raw ?? raw))
  if (hasRestarted) return { energy: { counters, booked: value, provisional: 0 }, wattHours: null }
  const grown = Math.floor(value - before.booked - before.provisional + 1e-6)
  if (grown < 0) return { energy: { ...before, counters }, wattHours: 0 }
  return { energy: { counters, booked: before.booked + before.provisional + grown, provisional: 0 }, wattHours: grown }
}

function follow(before: CountedEnergy['counters'], readings: CounterReadings, at: number): CountedEnergy['counters'] {
  const next = Object.entries(readings).map(([name, value]) => [
    name,
    count(before[name], { value, at }, counterKind(name, 'Wh')),
  ])
  return Object.fromEntries(next) as CountedEnergy['counters']
}

const sumOf = (counters: CountedEnergy['counters']): number =>
  Object.values(counters).reduce((sum, { value }) => sum + value, 0)
