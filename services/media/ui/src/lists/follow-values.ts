import type { Follow } from '../api.ts'

/** The fields of the form of a followed list; empty texts stand for no filter. */
export interface FollowValues extends Record<string, unknown> {
  every_minutes: string
  newer_than: string
  min_minutes: string
  title_has: string
  takes_present: boolean
}

/** How often a list is checked. */
export const intervals = [
  { value: '60', label: 'Every hour' },
  { value: '360', label: 'Every 6 hours' },
  { value: '1440', label: 'Every day' },
  { value: '10080', label: 'Every week' },
] as const

/** Values of the form for a list that is followed, or for a new one. */
export function valuesOf(follow: Follow | undefined): FollowValues {
  return {
    every_minutes: String(follow?.every_minutes ?? 360),
    newer_than: follow?.newer_than ?? '',
    min_minutes: follow?.min_seconds == null ? '' : String(Math.round((follow.min_seconds / 60) * 100) / 100),
    title_has: follow?.title_has ?? '',
    takes_present: false,
  }
}

/** What is wrong with a minimum length; null for one that can be read, and for none. */
export function minutesProblem(text: string): string | null {
  const isRight = text.trim() === '' || minutesOf(text) > 0
  return isRight ? null : 'A number of minutes, such as 10 or 1.5'
}

/** NaN for a text that is no number. */
const minutesOf = (text: string): number => Number(text.trim().replace(',', '.'))

/** The members of a request, without `takes_present`. */
export function requestOf({ every_minutes, newer_than, min_minutes, title_has }: FollowValues) {
  return {
    every_minutes: Number(every_minutes),
    newer_than: newer_than === '' ? null : newer_than,
    min_seconds: min_minutes.trim() === '' ? null : Math.max(1, Math.round(minutesOf(min_minutes) * 60)),
    title_has: title_has.trim() === '' ? null : title_has.trim(),
  }
}

/** The filter of a followed list in words: `published from 2026-01-01 on, at least 10 min`. */
export function filterText({ newer_than: day, min_seconds: seconds, title_has: words }: Follow): string {
  const parts = [
    day === null ? '' : `published from ${day} on`,
    seconds === null ? '' : `at least ${Math.round((seconds / 60) * 10) / 10} min`,
    words === null ? '' : `title with ${words}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}
