import { dayMs } from './pending-results.ts'
import type { UptimeDay, UptimePoint, UptimeShares } from './schema.ts'
import type { DayRow, PointRow } from './tables.ts'

/** Days that a page shows. */
export const shownDays = 90

/** Returns the share of the observed time in which something was up; null when nothing was observed. */
export function shareOf(rows: readonly Pick<DayRow, 'up_ms' | 'down_ms'>[]): number | null {
  const up = rows.reduce((sum, row) => sum + row.up_ms, 0)
  const down = rows.reduce((sum, row) => sum + row.down_ms, 0)
  return up + down === 0 ? null : up / (up + down)
}

/** Returns the shares of the last days. `today` is the number of the day. */
export function sharesOf(rows: readonly DayRow[], today: number): UptimeShares {
  const last = (count: number) => shareOf(rows.filter(({ day }) => day > today - count && day <= today))
  return { today: last(1), days_7: last(7), days_30: last(30), days_90: last(90) }
}

/** Returns the shares of the last `count` days, one a day, oldest first. */
export function barOf(rows: readonly DayRow[], today: number, count: number): (number | null)[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: count }, (_, index) => {
    const row = byDay.get(today - count + 1 + index)
    return row === undefined ? null : shareOf([row])
  })
}

/** Returns the last 90 days, oldest first, those without checks too. */
export function dayViews(rows: readonly DayRow[], now: number): UptimeDay[] {
  const today = Math.floor(now / dayMs)
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: shownDays }, (_, index) => {
    const day = today - shownDays + 1 + index
    const row = byDay.get(day)
    const passed = Math.min(dayMs, now - day * dayMs)
    const { up_ms: up = 0, down_ms: down = 0, maintenance_ms: maintenance = 0 } = row ?? {}
    return {
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      up_seconds: up / 1000,
      down_seconds: down / 1000,
      maintenance_seconds: maintenance / 1000,
      unobserved_seconds: Math.max(0, passed - up - down - maintenance) / 1000,
      uptime: row === undefined ? null : shareOf([row]),
      latency_ms: row === undefined ? null : averageOf(row),
    }
  })
}

/** Returns points as pages show them. */
export function pointViews(rows: readonly PointRow[]): UptimePoint[] {
  return rows.map((row) => ({
    at: new Date(row.starts_at).toISOString(),
    checks: row.checks,
    failed: row.failed,
    latency_ms: averageOf(row),
    latency_max_ms: row.latency_count === 0 ? null : row.latency_max,
  }))
}

const averageOf = ({ latency_total: total, latency_count: count }: PointRow | DayRow): number | null =>
  count === 0 ? null : Math.round((total / count) * 10) / 10
