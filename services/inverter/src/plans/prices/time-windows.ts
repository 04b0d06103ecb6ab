/** A price for some hours of some days, in the time of a zone. */
export interface TimeWindow {
  readonly days: 'daily' | 'weekdays' | 'weekends'
  /** `HH:MM`; one that ends before it begins goes over midnight, and belongs to the day on which it begins. */
  readonly from: string
  readonly to: string
  readonly price: number
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

/** Returns the price of the first window that a time is in, or another one. */
export function windowPrice(windows: readonly TimeWindow[], ms: number, zone: string): number | undefined {
  if (windows.length === 0) return undefined
  const { hour, minute, dayOfWeek } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  const at = hour * 60 + minute
  const isOn = ({ days }: TimeWindow, day: number) => days === 'daily' || (days === 'weekends') === day >= 6
  return windows.find((window) => {
    const [from, to] = [minutesOf(window.from), minutesOf(window.to)]
    if (from < to) return at >= from && at < to && isOn(window, dayOfWeek)
    const before = dayOfWeek === 1 ? 7 : dayOfWeek - 1
    return (at >= from && isOn(window, dayOfWeek)) || (at < to && isOn(window, before))
  })?.price
}
