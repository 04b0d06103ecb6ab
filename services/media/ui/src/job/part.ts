/** A part of a sound, in seconds from its beginning. */
export interface Part {
  start: number
  end: number
}

/** Lengths the server cuts, in seconds. */
export const shortest = 1
export const longest = 600

/** Milliseconds are the finest the server knows. */
const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000

/** A part with its ends in order, inside the sound and to the millisecond; how long it is stays as it is. */
export function tidyPart({ start, end }: Part, duration: number): Part {
  const [from, to] = start <= end ? [start, end] : [end, start]
  const inside = (value: number) => toMilliseconds(Math.min(Math.max(0, value), duration))
  return { start: inside(from), end: inside(to) }
}

/** Why a part cannot be cut, as a sentence; undefined when it can. */
export function partProblem({ start, end }: Part, duration: number): string | undefined {
  if (end > duration + 0.0005) return 'The end lies behind the end of the sound'
  if (end <= start) return 'The end has to lie behind the start'
  if (end - start < shortest) return 'A part has to be a second long at least'
  if (end - start > longest) return 'A part may be ten minutes long at most'
  return undefined
}

/** Reads a time as people write it: `62.5`, `1:02.5`, `1:01:02`; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const parts = /^(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:[.,]\d{1,3})?)$/.exec(text.trim())
  if (parts === null) return undefined
  const [, hours = '0', minutes, seconds = ''] = parts
  const value = Number(seconds.replace(',', '.'))
  if (minutes !== undefined && (value >= 60 || (parts[1] !== undefined && Number(minutes) >= 60))) return undefined
  return Number(hours) * 3600 + Number(minutes ?? 0) * 60 + value
}

/** A time to the millisecond, as `parseTime` reads it: `1:02.500`. */
export function formatTime(seconds: number): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000))
  const [whole, rest] = [Math.floor(milliseconds / 1000), milliseconds % 1000]
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const padded = (value: number, length: number) => String(value).padStart(length, '0')
  const end = `${padded(whole % 60, 2)}.${padded(rest, 3)}`
  return hours > 0 ? `${hours}:${padded(minutes, 2)}:${end}` : `${minutes}:${end}`
}
