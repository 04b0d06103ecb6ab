const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** A number of bytes for a person: `0 B`, `1.5 KiB`, `12 MiB`; three significant figures, binary units. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 1) return '0 B'
  let index = Math.min(Math.floor(Math.log2(bytes) / 10), byteUnits.length - 1)
  if (bytes / 1024 ** index >= 999.5 && index < byteUnits.length - 1) index += 1
  const value = bytes / 1024 ** index
  return `${index === 0 ? Math.round(value) : significant(value)} ${byteUnits[index]}`
}

/** Bytes per second for a person: `1.5 KiB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`
}

/** A length of time in its two largest units: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min`
  if (whole < 86_400) return pair([Math.floor(whole / 3600), 'h'], [Math.floor((whole % 3600) / 60), 'min'])
  return pair([Math.floor(whole / 86_400), 'd'], [Math.floor((whole % 86_400) / 3600), 'h'])
}

/** Formats the distance of a time from `now`: `just now`, `5 minutes ago`, `in 3 days`. */
export function formatRelative(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000)
  if (Math.abs(seconds) < 10) return 'just now'
  const steps: [number, Intl.RelativeTimeFormatUnit][] = [
    [60, 'second'],
    [3600, 'minute'],
    [86_400, 'hour'],
    [2_592_000, 'day'],
    [31_536_000, 'month'],
  ]
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
  let size = 1
  for (const [limit, unit] of steps) {
    if (Math.abs(seconds) < limit) return format.format(wholeUnits(seconds / size), unit)
    size = limit
  }
  return format.format(wholeUnits(seconds / 31_536_000), 'year')
}

/** What is over counts when it is whole; what comes is rounded: three days from now stay three days a moment later. */
const wholeUnits = (value: number) => (value < 0 ? Math.trunc(value) : Math.round(value))

/** `1 peer`, `3 peers`: a count with its noun. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}

function significant(value: number): string {
  return String(Number(value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)))
}

function pair([big, bigUnit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}
