/** Days of the week, Monday first. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

/** A time of some days. */
export interface ScheduleTime {
  /** The days on which it begins. */
  readonly days: readonly Weekday[]
  /** `HH:MM`. */
  readonly from: string
  /** `HH:MM`, or `24:00`; not after `from`: on the next day. */
  readonly to: string
}

/** When a profile holds. */
export interface Schedule {
  /** IANA name; null for the time zone of the service. */
  readonly time_zone: string | null
  readonly times: readonly ScheduleTime[]
  /** The profile for the rest of the time; null for none. */
  readonly otherwise: string | null
}

/** A schedule at a moment. */
export interface ScheduleState {
  readonly isOn: boolean
  /** When that changes, milliseconds since the epoch; undefined when it does not within `horizonMs`. */
  readonly until: number | undefined
}

const day = 86_400_000

/** How far ahead changes are looked for: a week, and a day for a week with a clock change. */
export const horizonMs = 8 * day

/** Returns whether the schedule is on at a moment, and until when. */
export function scheduleAt({ times, time_zone: zone }: Schedule, now: number, serviceZone: string): ScheduleState {
  const spans = spansBetween(times, { zone: zone ?? serviceZone, from: now, to: now + horizonMs })
  const here = spans.find(({ start, end }) => start <= now && now < end)
  if (here !== undefined) return { isOn: true, until: here.end > now + horizonMs ? undefined : here.end }
  return { isOn: false, until: spans.find(({ start }) => start > now && start <= now + horizonMs)?.start }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** The times that touch what is between two moments, in their order; those that touch each other are one. */
function spansBetween(
  times: readonly ScheduleTime[],
  { zone, from, to }: { readonly zone: string; readonly from: number; readonly to: number },
): Span[] {
  const spans: Span[] = []
  const dateOf = (moment: number) =>
    Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDate()
  // A time that began the day before yesterday may last until now: a day has up to 26 hours.
  const last = dateOf(to).add({ days: 1 })
  for (
    let date = dateOf(from).subtract({ days: 2 });
    Temporal.PlainDate.compare(date, last) <= 0;
    date = date.add({ days: 1 })
  )
    for (const time of times) {
      if (!time.days.some((day) => weekdays.indexOf(day) === date.dayOfWeek - 1)) continue
      const span = spanOf(time, date, zone)
      if (span.start < span.end) spans.push(span)
    }
  return joined(spans)
}

function joined(spans: Span[]): Span[] {
  const whole: Span[] = []
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const before = whole.at(-1)
    if (before === undefined || span.start > before.end) whole.push(span)
    else whole[whole.length - 1] = { start: before.start, end: Math.max(before.end, span.end) }
  }
  return whole
}

/**
 * A time on a date. When clocks go back and show a time twice, it begins with the first and ends with the second, so that it has
 * no hole. A time that clocks skip is the moment in which they do: a time within what is skipped is none.
 */
function spanOf({ from, to }: ScheduleTime, date: Temporal.PlainDate, zone: string): Span {
  const isNextDay = to <= from || to === '24:00'
  const end = isNextDay ? date.add({ days: 1 }) : date
  return {
    start: momentOf(date.toPlainDateTime(from), zone, 'earlier'),
    end: momentOf(end.toPlainDateTime(to === '24:00' ? '00:00' : to), zone, 'later'),
  }
}

function momentOf(time: Temporal.PlainDateTime, zone: string, which: 'earlier' | 'later'): number {
  const earlier = time.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(time))
    return (which === 'earlier' ? earlier : time.toZonedDateTime(zone, { disambiguation: 'later' })).epochMilliseconds
  return earlier.getTimeZoneTransition('next')?.epochMilliseconds ?? earlier.epochMilliseconds
}

/** Returns true if there is such a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The time zone of this process. */
export const serviceTimeZone = (): string => Temporal.Now.timeZoneId()
