import type { MaintenanceWindowRow } from '../tables.ts'

/** A time in which a window holds, milliseconds. */
export interface Occurrence {
  readonly start: number
  readonly end: number
}

/** Parts of a window that say when it holds. */
export type WindowTimes = Pick<MaintenanceWindowRow, 'starts_at' | 'ends_at' | 'repeats' | 'time_zone'>

/** Length of a week, milliseconds. */
export const weekMs = 7 * 86_400_000

/**
 * Returns the occurrence that holds at a time, or else the next one; undefined when there is none any more. A weekly window begins
 * at the same time of the day in its time zone, whatever summer time does, and keeps its length.
 */
export function occurrenceAt(window: WindowTimes, at: number): Occurrence | undefined {
  const { starts_at: start, ends_at: end, repeats } = window
  if (at < end) return { start, end }
  if (repeats === 'never') return undefined
  const length = end - start
  const first = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(window.time_zone)
  // An hour of summer time may move an occurrence across the estimate.
  const weeks = Math.max(0, Math.floor((at - start) / weekMs) - 1)
  for (let count = weeks; ; count += 1) {
    const begin = first.add({ weeks: count }).epochMilliseconds
    if (at < begin + length) return { start: begin, end: begin + length }
  }
}

/** Returns true when the window holds at a time. */
export function isActive(window: WindowTimes, at: number): boolean {
  const occurrence = occurrenceAt(window, at)
  return occurrence !== undefined && occurrence.start <= at
}
