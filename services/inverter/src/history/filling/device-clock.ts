import { offsetAt, timesOfWallClock } from '../local-days.ts'

/** How the clock of an inverter stands to the time: it shows the time of a zone, or is off by a fixed time. */
export type DeviceClock = { readonly zone: string } | { readonly offsetMs: number }

/** Difference that two clocks may have and still show the same time, milliseconds. */
const tolerance = 600_000

/**
 * Returns how a clock stands. Inverters have no time zone: they count seconds as if their local time were UTC.
 *
 * @param shownMs what the clock shows, as if it were UTC
 */
export function clockOf(shownMs: number, nowMs: number, zone: string): DeviceClock {
  const offset = shownMs - nowMs
  if (Math.abs(offset - offsetAt(nowMs, zone)) <= tolerance) return { zone }
  if (Math.abs(offset) <= tolerance) return { zone: 'UTC' }
  return { offsetMs: offset }
}

/** Returns what the clock shows at a time, seconds as if it were UTC. */
export const shownAt = (ms: number, clock: DeviceClock): number =>
  Math.floor((ms + ('zone' in clock ? offsetAt(ms, clock.zone) : clock.offsetMs)) / 1000)

/** Returns when the clock shows a time; undefined where it shows it twice or never. */
export function timeOf(shownSeconds: number, clock: DeviceClock): number | undefined {
  const { earlier, later } = timesOf(shownSeconds, clock)
  return earlier === later ? earlier : undefined
}

/** Returns when the clock shows a time first. */
export const firstTimeOf = (shownSeconds: number, clock: DeviceClock): number => timesOf(shownSeconds, clock).earlier

function timesOf(shownSeconds: number, clock: DeviceClock): { earlier: number; later: number } {
  const shown = shownSeconds * 1000
  if ('zone' in clock) return timesOfWallClock(shown, clock.zone)
  return { earlier: shown - clock.offsetMs, later: shown - clock.offsetMs }
}
