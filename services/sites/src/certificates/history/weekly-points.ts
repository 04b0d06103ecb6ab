import type { Grade } from '../grader/score.ts'

/** A grade as history has it; `mixed` when the addresses of a host have different ones. */
export type HistoryGrade = Grade | 'mixed'

/** Ranks for drawing; what is no measure of quality lies below all. */
export const gradeScale: Readonly<Record<HistoryGrade, number>> = {
  'A+': 7,
  A: 6,
  'A-': 5,
  B: 4,
  C: 3,
  D: 2,
  E: 1,
  F: 0,
  T: -1,
  M: -1,
  mixed: -1,
}

/** Days a history can go back, by the key in the request. */
export const historyRanges = { '30d': 30, '90d': 90, '180d': 180, '1y': 365 } as const
export type HistoryRange = keyof typeof historyRanges

/** Unknown keys mean ninety days. */
export const historyRange = (key: string | undefined): HistoryRange =>
  key !== undefined && Object.hasOwn(historyRanges, key) ? (key as HistoryRange) : '90d'

/** For so long a grade stands where no newer one is, milliseconds: who is graded once a month has no gaps. */
export const carryFor = 40 * 86_400_000

/** A grade and its time, milliseconds. */
export interface GradeSample {
  readonly grade: HistoryGrade
  readonly checkedAt: number
}

/** The grade of one week. */
export interface WeekPoint {
  /** The week's Monday in UTC, `YYYY-MM-DD`. */
  readonly date: string
  readonly grade: HistoryGrade
  readonly rank: number
}

const day = 86_400_000
const week = 7 * day

/** Monday, 00:00 UTC, of the week of a time. The epoch began on a Thursday. */
const mondayOf = (time: number): number => Math.floor((time - 4 * day) / week) * week + 4 * day

/** The earliest time whose samples matter to a range. */
export const historyStart = (range: HistoryRange, now: number): number =>
  mondayOf(now - historyRanges[range] * day) - carryFor

/**
 * One point a week, from the week the range begins in to the current one. The last sample of a week counts; a week without
 * one has the grade before it, for forty days.
 *
 * @param samples oldest first
 */
export function weeklyPoints(samples: readonly GradeSample[], range: HistoryRange, now: number): WeekPoint[] {
  const points: WeekPoint[] = []
  let next = 0
  let last: GradeSample | undefined
  for (let monday = mondayOf(now - historyRanges[range] * day); monday <= now; monday += week) {
    for (let sample = samples[next]; sample !== undefined && sample.checkedAt < monday + week; sample = samples[next]) {
      last = sample
      next += 1
    }
    if (last === undefined || last.checkedAt < monday - carryFor) continue
    points.push({ date: new Date(monday).toISOString().slice(0, 10), grade: last.grade, rank: gradeScale[last.grade] })
  }
  return points
}
