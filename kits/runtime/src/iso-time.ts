import { z } from 'zod'

/** Date, time of day and offset, each with its digits; a lower-case `t` or `z` and a decimal comma are taken as well. */
const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/

/** Forms of ISO 8601 that are taken beside a date and time with an offset. */
export interface IsoTimeForms {
  /** A date and time without an offset, which is UTC then. */
  readonly withoutOffset?: boolean
  /** A date alone, which means midnight in UTC. */
  readonly dateOnly?: boolean
}

/**
 * Reads a date and time in ISO 8601 with an offset. Returns milliseconds since the epoch, or undefined when the text has
 * another form or names what does not exist: 30 February, month 13, hour 24, minute or second 60, an offset of 24 hours. Leap
 * seconds are refused, because system clocks have none.
 */
export function parseIsoTime(text: string, forms: IsoTimeForms = {}): number | undefined {
  const match = isoTime.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as TimeFields
  const fraction = Number(`0.${match[7] ?? 0}`)
  const [sign, offsetHours, offsetMinutes] = [match[8], Number(match[9] ?? 0), Number(match[10] ?? 0)]
  const isDateOnly = match[4] === undefined
  const hasOffset = sign !== undefined || /[Zz]$/.test(text)
  if (isDateOnly ? forms.dateOnly !== true : !hasOffset && forms.withoutOffset !== true) return undefined
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
  const isTime = hour <= 23 && minute <= 59 && second <= 59
  if (!isDay || !isTime || offsetHours > 23 || offsetMinutes > 59) return undefined
  const local = new Date(0)
  local.setUTCFullYear(year, month - 1, day)
  local.setUTCHours(hour, minute, second, Math.floor(fraction * 1000))
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000
  return local.getTime() - (sign === '-' ? -offset : offset)
}

type TimeFields = [year: number, month: number, day: number, hour: number, minute: number, second: number]

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/** A member or parameter with a date and time in ISO 8601 with an offset that exists; the text is kept as it is. */
export const IsoTime = z
  .string()
  .max(40)
  .superRefine((text, context) => {
    if (parseIsoTime(text) !== undefined) return
    const message = 'must be a date and time that exists, in ISO 8601 with an offset'
    context.addIssue({ code: 'invalid_format', format: 'datetime', message })
  })
  .meta({ format: 'date-time' })
