import { clock } from '../jobs/job-labels.ts'

/** A part of a sound, in seconds from its beginning. */
export interface Part {
  start: number
  end: number
}

/** Lengths the server cuts, in seconds. */
export const minLength = 1
export const maxLength = 600

/** One end of a part. */
export type End = 'start' | 'end'

/** Length of a part of which only the start is known, seconds. */
const usualLength = 30

/** Rounds seconds to milliseconds, the finest the server knows. */
export const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000

/** A part with its ends in order, inside the sound and to the millisecond; its length may be wrong. */
export function tidyPart({ start, end }: Part, duration: number): Part {
  const [from, to] = start <= end ? [start, end] : [end, start]
  const inside = (value: number) => toMilliseconds(Math.min(Math.max(0, value), duration))
  return { start: inside(from), end: inside(to) }
}

/** A part with an end as it was typed: to the millisecond, and neither put in order nor moved into the sound. */
export function typedPart(part: Part | undefined, typed: Partial<Part>, duration: number): Part {
  const start = typed.start ?? part?.start ?? 0
  const end = typed.end ?? part?.end ?? Math.min(duration, start + usualLength)
  return { start: toMilliseconds(start), end: toMilliseconds(end) }
}

/** Reason why a part cannot be saved, as a sentence; undefined when it can. */
export function partProblem({ start, end }: Part, duration: number): string | undefined {
  if (end > duration + 0.0005) return `The audio ends at ${formatTime(duration)}`
  if (end <= start) return 'The end must be after the start'
  if (end - start < minLength) return 'A clip must be at least 1 second long'
  if (end - start > maxLength) return 'A clip can be at most 10 minutes long'
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

/** Reason why a typed text is not a time, as a sentence; undefined when it is one, or nothing is typed. */
export function draftProblem(label: string, draft: string | undefined): string | undefined {
  if (draft === undefined || parseTime(draft) !== undefined) return undefined
  return draft.trim() === '' ? `“${label}” is empty` : `“${label}” is not a time: write it like 1:02.5`
}

/** A time to the millisecond, as `parseTime` reads it: `1:02.500`. */
export const formatTime = (seconds: number): string => clock(seconds, 3)
