import type { EnergyHistory } from '../api.ts'

/** Length of a period of the history. */
export type Period = EnergyHistory['period']

/** The periods that the page offers. */
export const periods: readonly { readonly value: Period; readonly label: string }[] = [
  { value: 'day', label: 'Day' },
  { value: 'month', label: 'Month' },
  { value: 'year', label: 'Year' },
  { value: 'total', label: 'Total' },
]

/** Returns true for a period that there is. */
export const isPeriod = (text: string | null): text is Period => periods.some(({ value }) => value === text)

/** Returns the date in the period before or after that of a date, both as `2026-11-27`. */
export function stepDate(date: string, period: Period, step: 1 | -1): string {
  const at = new Date(`${date}T00:00Z`)
  if (period === 'day') at.setUTCDate(at.getUTCDate() + step)
  // The first of a month: the 31st has no counterpart in some.
  if (period === 'month') at.setUTCMonth(at.getUTCMonth() + step, 1)
  if (period === 'year') at.setUTCFullYear(at.getUTCFullYear() + step, 0, 1)
  return at.toISOString().slice(0, 10)
}

/** Returns the first characters of a date that tell its period: dates of one period have them in common. */
const keyOf = (date: string, period: Period): string => date.slice(0, { day: 10, month: 7, year: 4, total: 0 }[period])

/** Returns true if the period of a date is that of another one, or before it. */
export const isUpTo = (date: string, last: string, period: Period): boolean =>
  keyOf(date, period) <= keyOf(last, period)

/** Writes a period as people do: `Fri, 27 Nov 2026`, `November 2026`, `2026`. */
export function periodText(date: string, period: Period, locale?: string): string {
  const at = new Date(`${date}T00:00Z`)
  const forms: Record<Period, Intl.DateTimeFormatOptions> = {
    day: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    month: { month: 'long', year: 'numeric' },
    year: { year: 'numeric' },
    total: {},
  }
  return period === 'total' ? 'All time' : at.toLocaleDateString(locale, { ...forms[period], timeZone: 'UTC' })
}

/** Returns the date of a time in a time zone. */
export function dateIn(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  return parts.format(at)
}
