/** A day of the calendar and when it is. */
export interface LocalDay {
  /** `2026-11-27` */
  readonly date: string
  /** First and end of the day, milliseconds since the epoch; a day with a clock change has 23 or 25 hours. */
  readonly from: number
  readonly until: number
}

/** The days of a time zone. A day is the time from one midnight of the zone to the next, whatever its clocks do between. */
export class LocalDays {
  readonly zone: string
  #latest: LocalDay | undefined

  constructor(zone: string) {
    this.zone = zone
  }

  /** Returns the day that a time is in. */
  at(ms: number): LocalDay {
    const latest = this.#latest
    if (latest !== undefined && ms >= latest.from && ms < latest.until) return latest
    const date = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(this.zone).toPlainDate()
    this.#latest = this.#dayOf(date)
    return this.#latest
  }

  /** Returns a day by its date. */
  on(date: string): LocalDay {
    return this.#dayOf(Temporal.PlainDate.from(date))
  }

  /** Returns the days from one time to another, the latter left out. */
  between(from: number, until: number): LocalDay[] {
    const days: LocalDay[] = []
    for (let day = this.at(from); day.from < until; day = this.at(day.until)) days.push(day)
    return days
  }

  #dayOf(date: Temporal.PlainDate): LocalDay {
    const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(this.zone).epochMilliseconds
    return { date: date.toString(), from: startOf(date), until: startOf(date.add({ days: 1 })) }
  }
}

/** Returns true for the name of a time zone that this machine knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId !== ''
  } catch {
    return false
  }
}

/** Offset of a zone from UTC at a time, milliseconds. */
export const offsetAt = (ms: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000

/**
 * Returns the times at which the clocks of a zone show a date and time, given as if it were UTC: the same twice, but for what
 * they never show, or show two times.
 */
export function timesOfWallClock(wallMs: number, zone: string): { readonly earlier: number; readonly later: number } {
  const shown = Temporal.Instant.fromEpochMilliseconds(Math.floor(wallMs)).toZonedDateTimeISO('UTC').toPlainDateTime()
  const at = (disambiguation: 'earlier' | 'later') => shown.toZonedDateTime(zone, { disambiguation }).epochMilliseconds
  return { earlier: at('earlier'), later: at('later') }
}
