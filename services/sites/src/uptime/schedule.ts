import { createHash } from 'node:crypto'

/** What the time of the next check depends on. */
export interface ScheduleState {
  readonly intervalMs: number
  /** Checks in a row that failed. */
  readonly failed: number
  /** True while checks speak against the state, so that another one is to settle it. */
  readonly isUnsettled: boolean
  /** True when most sites fail: then nothing is checked more often than planned. */
  readonly isWidespread: boolean
}

/** Shortest and longest wait before a check is repeated to confirm a result, milliseconds. */
const minRetryMs = 5000
const maxRetryMs = 30_000

/** Failed checks in a row after which a site is checked half, and a quarter as often. */
const patience = [30, 120] as const

/** Longest interval that back-off leads to, milliseconds. */
const maxBackOffMs = 300_000

/** Most checks in a second, over all subjects. */
const maxRate = 40

/** Most checks of further names in a second, which are part of `maxRate`. */
const maxFurtherRate = 5

/** Shortest time between two checks of a further name, milliseconds. */
const furtherMs = 600_000

/** Returns the factor by which intervals are stretched so that all checks together are not too many, further names among them. */
export function stretchOf(intervals: readonly number[], furtherNames = 0): number {
  const perSecond = intervals.reduce((sum, intervalMs) => sum + 1000 / intervalMs, 0)
  const further = (furtherNames * 1000) / furtherInterval(furtherNames)
  return Math.max(1, perSecond / (maxRate - further))
}

/** Returns the time between two checks of each of so many further names, milliseconds. */
export function furtherInterval(furtherNames: number): number {
  return Math.max(furtherMs, (furtherNames * 1000) / maxFurtherRate)
}

/** Returns the share of the interval at which a subject is checked: always the same one, and spread evenly over many subjects. */
export function jitterOf(subject: string): number {
  return createHash('sha256').update(subject).digest().readUInt32BE(0) / 2 ** 32
}

/** Returns the wait until the next check, milliseconds; `undefined` for the next time of the regular schedule. */
export function retryDelay({ intervalMs, failed, isUnsettled, isWidespread }: ScheduleState): number | undefined {
  if (isUnsettled && !isWidespread) {
    const delay = Math.min(maxRetryMs, Math.max(minRetryMs, intervalMs / 4))
    return delay < intervalMs ? delay : undefined
  }
  const factor = 2 ** patience.filter((limit) => failed >= limit).length
  if (factor === 1 || intervalMs >= maxBackOffMs) return undefined
  return Math.min(maxBackOffMs, intervalMs * factor)
}

/** Returns the next regular time after `now`: one of a grid that begins at `jitter` of the first interval. */
export function nextRegular(now: number, intervalMs: number, jitter: number): number {
  const offset = jitter * intervalMs
  return offset + (Math.floor((now - offset) / intervalMs) + 1) * intervalMs
}

/**
 * Returns the longest time between two observations for which the first one still speaks: twice the longest planned wait, and the
 * time of two checks.
 */
export function maxGapOf(intervalMs: number, timeoutMs: number): number {
  const longest = Math.max(intervalMs, Math.min(maxBackOffMs, intervalMs * 2 ** patience.length))
  return 2 * (longest + timeoutMs)
}
