/** Locale of times and days on every page; undefined follows the browser. */
export type Locale = string | undefined

/** The time of day as the browser's locale writes it: `09:05`, `09:05:07 AM`. */
export function formatTime(at: Date, format: TimeFormat = {}, locale?: Locale): string {
  return at.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', ...format })
}

/** Parts of a time beside hours and minutes, and its time zone. */
export interface TimeFormat {
  readonly second?: '2-digit'
  readonly fractionalSecondDigits?: 3
  readonly timeZone?: 'UTC'
}

/** Writes the seconds too. */
export const withSeconds: TimeFormat = { second: '2-digit' }

/** Writes seconds and milliseconds too. */
export const withMilliseconds: TimeFormat = { second: '2-digit', fractionalSecondDigits: 3 }

/** Parts of a day that are written, and the time zone. */
export interface DayFormat {
  readonly month?: 'short' | 'long'
  readonly weekday?: 'short'
  readonly year?: 'numeric'
  readonly timeZone?: 'UTC'
}

/** A day as the browser's locale writes it: `20 Nov`, `Nov 20`, `Fri 20 Nov`. */
export function formatDay(at: Date, format: DayFormat = {}, locale?: Locale): string {
  return at.toLocaleDateString(locale, { day: 'numeric', month: 'short', ...format })
}

/** A day with the time on it: `20 Nov 2026, 09:05:07`. */
export function formatTimestamp(at: Date, locale?: Locale): string {
  return at.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' })
}
