import { dayStart, monthStart, nextMonthStart, rollingDays } from './periods.ts'

/** A peer's total at a time; totals only grow, also over restarts and new devices. */
export interface Mark {
  readonly at: number
  readonly total: number
}

/** Marks of the period that runs, oldest first: the first is where the count began, those of a rolling period one a day. */
export type Marks = readonly [Mark, ...Mark[]]

/** The part of a quota that decides its periods. */
export interface QuotaPeriod {
  readonly period: 'month' | 'rolling'
  readonly start_day: number
}

/** Bytes since the count began. */
export function usedSince([first]: Marks, total: number): number {
  return Math.max(0, total - first.total)
}

/** The marks at a time, by a clock that is believed: the same object unless a period, or a day of a rolling one, began since the last. */
export function turnMarks(marks: Marks, { period, start_day: day }: QuotaPeriod, now: Mark): Marks {
  const known = withoutFuture(marks, now.at)
  if (period === 'month')
    return now.at >= nextMonthStart(known[0].at, day) ? [{ at: monthStart(now.at, day), total: now.total }] : known
  const today = dayStart(now.at)
  const last = known.at(-1) ?? known[0]
  if (dayStart(last.at) >= today) return known
  const oldest = dayStart(now.at, 1 - rollingDays)
  const [first, ...rest] = [...known.filter(({ at }) => at >= oldest), { at: today, total: now.total }]
  return first === undefined ? known : [first, ...rest]
}

/** Time at which marks turn next, unless the clock is set back. */
export function nextTurn(marks: Marks, { period, start_day: day }: QuotaPeriod): number {
  return period === 'month' ? nextMonthStart(marks[0].at, day) : dayStart((marks.at(-1) ?? marks[0]).at, 1)
}

/** A clock that was ahead and is right again left marks of times to come; they are of now. */
function withoutFuture(marks: Marks, now: number): Marks {
  if (marks.every(({ at }) => at <= now)) return marks
  const [first, ...rest] = marks
  const past = (mark: Mark): Mark => (mark.at <= now ? mark : { ...mark, at: dayStart(now) })
  return [past(first), ...rest.map(past)]
}

/** Time at which the count begins anew; of a rolling period, at which so much is out of it that less than `bytes` is left. */
export function countsUntil(marks: Marks, quota: QuotaPeriod & { bytes: number }, total: number): number {
  const [first, ...rest] = marks
  if (quota.period === 'month') return nextMonthStart(first.at, quota.start_day)
  let leaving = first
  for (const mark of rest) {
    if (total - leaving.total < quota.bytes || total - mark.total < quota.bytes) break
    leaving = mark
  }
  return dayStart(leaving.at, rollingDays)
}
