/** Periods of quotas in the time zone of the process. Times are milliseconds since the epoch. */

/** Days of a rolling period, today among them. */
export const rollingDays = 30

/** Begin of the local day that is so many days from the one of a time. */
export function dayStart(at: number, daysLater = 0): number {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime()
}

/** Begin of the month that a time lies in; `day` is the day on which months begin, the last one of shorter months. */
export function monthStart(at: number, day: number): number {
  const begin = monthBegin(at, 0, day)
  return begin <= at ? begin : monthBegin(at, -1, day)
}

/** Begin of the next month after a time. */
export function nextMonthStart(at: number, day: number): number {
  const begin = monthBegin(at, 0, day)
  return begin > at ? begin : monthBegin(at, 1, day)
}

/** The begin that lies in the calendar month of a time, or in one before or after it. */
function monthBegin(at: number, months: number, day: number): number {
  const date = new Date(at)
  const [year, month] = [date.getFullYear(), date.getMonth() + months]
  const lastDay = new Date(year, month + 1, 0).getDate()
  return new Date(year, month, Math.min(day, lastDay)).getTime()
}
