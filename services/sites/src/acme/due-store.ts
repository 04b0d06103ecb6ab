import { sql, type RawBuilder, type SqlBool } from 'kysely'

/** A wait that is longer was set by a clock that was wrong, milliseconds: the longest honest one is a week. */
const longestWait = 8 * 86_400_000

/** True for a `next_at` that has come, and for one that is further away than any wait. */
export const isDue = (now: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`(next_at <= ${now} or next_at > ${now + longestWait})`

/** When the first of these times is due; undefined for none. */
export function firstDue(times: readonly number[], now: number): number | undefined {
  if (times.some((at) => at > now + longestWait)) return now
  return times.length === 0 ? undefined : Math.min(...times)
}
