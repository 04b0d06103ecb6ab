/** Numbers of days, weeks and months of which the newest backup is kept. */
export interface Retention {
  readonly days: number
  readonly weeks: number
  readonly months: number
}

const dayMs = 86_400_000

/**
 * Tells which backups are no longer wanted: of each of the newest days, weeks and months that have any, the newest stays,
 * and so does the newest of all. A backup from after `now` was made by a wrong clock; it is never named, and takes no place.
 *
 * @param times times of the verified backups, milliseconds
 */
export function expiredBackups(times: readonly number[], { days, weeks, months }: Retention, now: number): number[] {
  const newestFirst = times.filter((time) => time <= now).toSorted((a, b) => b - a)
  const kept = new Set(newestFirst.slice(0, 1))
  const keep = (count: number, periodOf: (time: number) => number) => {
    const periods = new Set<number>()
    for (const time of newestFirst) {
      const period = periodOf(time)
      if (periods.has(period)) continue
      if (periods.size === count) break
      periods.add(period)
      kept.add(time)
    }
  }
  keep(days, (time) => Math.floor(time / dayMs))
  // The first of January 1970 was a Thursday; weeks begin on Monday.
  keep(weeks, (time) => Math.floor((time / dayMs + 3) / 7))
  keep(months, (time) => new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth())
  return newestFirst.filter((time) => !kept.has(time))
}
