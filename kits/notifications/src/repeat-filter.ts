import type { Condition } from './message.ts'

/**
 * Creates a filter that holds a condition back until it is reported twice in a row: one report alone may have met a restart.
 * `isKept` says that a subject is among those of the last report, for `Reports.replaceAll`.
 */
export function createRepeatFilter() {
  let last: ReadonlySet<string> = new Set()
  return (conditions: readonly Condition[]) => {
    const repeated = conditions.filter(({ subject }) => last.has(subject))
    const now = new Set(conditions.map(({ subject }) => subject))
    last = now
    return { repeated, isKept: (subject: string) => now.has(subject) }
  }
}
