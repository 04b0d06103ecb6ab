import type { LogEntry } from './log-ring.ts'
import { Trait } from './policy/verdict.ts'

const reasons = 8
const cachedAt = 2 * reasons
const failedAt = cachedAt + 1

/** Numbers that `countDecision` counts in. */
export const decisionCounts = failedAt + 1

/** Counts an answered query by status and reason, and whether it came from the cache or failed. Allocates nothing. */
export function countDecision(counts: Float64Array, entry: LogEntry): void {
  counts[entry.status * reasons + entry.reason]! += 1
  if ((entry.traits & Trait.cached) !== 0) counts[cachedAt]! += 1
  if ((entry.traits & Trait.failed) !== 0) counts[failedAt]! += 1
}

/** Answered queries since the resolver began. */
export interface DecisionTotals {
  /** By status and reason, as numbers (`dns/policy/verdict.ts`); those without a query are left out. */
  readonly decisions: readonly { readonly status: number; readonly reason: number; readonly count: number }[]
  /** Answers that came from the cache. */
  readonly cached: number
  /** Queries that no upstream answered. */
  readonly failed: number
}

/** Adds up what several threads counted. */
export function totalDecisions(...threads: readonly Float64Array[]): DecisionTotals {
  const sumAt = (place: number) => threads.reduce((total, counts) => total + counts[place]!, 0)
  const decisions = Array.from({ length: cachedAt }, (_, place) => ({
    status: Math.floor(place / reasons),
    reason: place % reasons,
    count: sumAt(place),
  }))
  return { decisions: decisions.filter(({ count }) => count > 0), cached: sumAt(cachedAt), failed: sumAt(failedAt) }
}
