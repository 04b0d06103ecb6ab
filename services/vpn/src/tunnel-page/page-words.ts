const units = ['kB', 'MB', 'GB', 'TB', 'PB']

/** An amount of bytes as people say it. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  let [value, unit] = [bytes / 1000, 0]
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ''}`
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A length of time in its two largest units, minutes at least. */
export function durationText(ms: number): string {
  if (ms < minute) return 'less than a minute'
  if (ms < hour) return counted(Math.floor(ms / minute), 'minute')
  if (ms < day) {
    const minutes = Math.floor((ms % hour) / minute)
    return `${counted(Math.floor(ms / hour), 'hour')}${minutes === 0 ? '' : ` ${counted(minutes, 'minute')}`}`
  }
  const hours = Math.floor((ms % day) / hour)
  return `${counted(Math.floor(ms / day), 'day')}${hours === 0 || ms >= 10 * day ? '' : ` ${counted(hours, 'hour')}`}`
}

/** A time that has passed. */
export const agoText = (at: number, now: number): string => `${durationText(Math.max(0, now - at))} ago`

/** Time that is left until then; what is begun counts as a whole minute. */
export const leftText = (at: number, now: number): string =>
  durationText(Math.ceil(Math.max(0, at - now) / minute) * minute)

/** A day in the future, with the time until then when that is less than two months. */
export function dateText(at: number, now: number): string {
  const date = new Date(at).toISOString().slice(0, 10)
  return at - now < 60 * day ? `${date}, in ${leftText(at, now)}` : date
}

/** Times something happened. */
export const timesText = (count: number): string => (count === 1 ? 'once' : `${count} times`)
