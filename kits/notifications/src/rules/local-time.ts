const minuteMs = 60_000
const dayMinutes = 1440
/** Clocks change at quarters of an hour only. */
const quarterMs = 15 * minuteMs
/** Two days, because a change of the clock may skip a time of day. */
const searchMs = 49 * 60 * minuteMs

/** Reads `22:30` as minutes since midnight. */
export function minuteOfDay(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
}

/** Returns the same time when its local minute of the day matches, or else the begin of the first minute that does. */
export function firstTime(at: number, timeZone: string, matches: (minute: number) => boolean): number {
  for (const { time, minute } of localMinutes(at, timeZone)) if (matches(minute)) return Math.max(time, at)
  return at
}

/**
 * Returns the next time, after the given one, at which local clocks show or skip over this minute of the day. A time of day
 * that clocks show twice counts both times.
 */
export function nextTimeOfDay(at: number, timeZone: string, target: number): number {
  let before: number | undefined
  for (const { time, minute } of localMinutes(at, timeZone)) {
    if (before !== undefined && passes(before, minute, target)) return time
    before = minute
  }
  return at + dayMinutes * minuteMs
}

/** True when a clock that goes from one minute to another reaches the target. A clock set back reaches only what it shows. */
function passes(before: number, minute: number, target: number): boolean {
  const step = (minute - before + dayMinutes) % dayMinutes
  const distance = (target - before + dayMinutes) % dayMinutes
  return step > dayMinutes / 2 ? minute === target : distance > 0 && distance <= step
}

/** The minutes from a time on, each with the local minute of the day. */
function* localMinutes(at: number, timeZone: string): Generator<{ time: number; minute: number }> {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const start = Math.floor(at / minuteMs) * minuteMs
  let [known, knownMinute] = [start, minuteOfDay(format.format(start))]
  for (let time = start; time < at + searchMs; time += minuteMs) {
    if (time % quarterMs === 0) [known, knownMinute] = [time, minuteOfDay(format.format(time))]
    yield { time, minute: (knownMinute + (time - known) / minuteMs) % dayMinutes }
  }
}
