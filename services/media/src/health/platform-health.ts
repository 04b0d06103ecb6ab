import type { Advice } from './schema.ts'

/** End of a download: the code of a failure, null for one that completed. */
export type Outcome = string | null

const advices: Readonly<Record<string, Advice>> = {
  bot_check: 'cookies',
  login_required: 'cookies',
  rate_limited: 'wait',
  tool_outdated: 'update_tool',
  tool_too_old: 'update_tool',
  network: 'check_network',
}

/** Returns the one thing to do about failures of a code; null when nothing helps, or nothing general. */
export const adviceFor = (code: string): Advice | null => advices[code] ?? null

/** State of a platform as its last downloads show it. */
export interface ObservedHealth {
  readonly state: 'ok' | 'degraded' | 'unknown'
  readonly reason: string | null
  readonly completed: number
  readonly failed: number
}

/** Failures in a row, and number of downloads from which half of them count. */
const [inARow, enough] = [3, 4]

/**
 * Judges a platform by its last downloads, newest first. Failures for a reason of the medium or of this host say nothing: a video
 * that was removed makes no platform ill.
 */
export function observeHealth(outcomes: readonly Outcome[]): ObservedHealth {
  const telling = outcomes.filter((code) => code === null || code in advices)
  const codes = telling.filter((code) => code !== null)
  const completed = telling.length - codes.length
  const firstGood = telling.indexOf(null)
  const failingNow = firstGood === -1 ? telling.length : firstGood
  const isIll =
    failingNow >= inARow ||
    (codes.length >= 2 && completed === 0) ||
    (telling.length >= enough && codes.length * 2 >= telling.length)
  const figures = { completed, failed: codes.length }
  if (telling.length === 0) return { state: 'unknown', reason: null, ...figures }
  return isIll
    ? { state: 'degraded', reason: mostFrequent(codes), ...figures }
    : { state: 'ok', reason: null, ...figures }
}

/** The code that occurs most; of two the newer one. */
function mostFrequent(codes: readonly string[]): string | null {
  const counts = Map.groupBy(codes, (code) => code)
  return [...counts].toSorted((one, other) => other[1].length - one[1].length)[0]?.[0] ?? null
}
