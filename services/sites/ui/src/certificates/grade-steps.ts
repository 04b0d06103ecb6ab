import type { ChartSeries } from '@hearth/ui'
import type { Schemas } from '../api.ts'

type Series = Schemas['GradeHistory']['series'][number]

/** Grades from worst to best, as rows of a chart; those that are no measure of quality share the first. */
export const gradeSteps = ['T M', 'F', 'E', 'D', 'C', 'B', 'A-', 'A', 'A+'] as const

const week = 7 * 86_400_000

/** The weeks of a time that ends with the latest grade, ISO 8601. */
export function gradeWeeks(series: readonly Series[], days: number): string[] {
  const last = Math.max(...series.flatMap(({ points }) => points.map(({ date }) => Date.parse(date))))
  if (!Number.isFinite(last)) return []
  const count = Math.ceil((days * 86_400_000) / week)
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * week).toISOString())
}

/** A line for each host: its row of `gradeSteps` in each week, kept until it is graded again. */
export function gradeLines(series: readonly Series[], weeks: readonly string[]): ChartSeries[] {
  return series.map(({ host, source, points }) => ({
    name: source === 'local' ? host : `${host} (SSL Labs)`,
    tone: source === 'local' ? 'accent' : 'quiet',
    isDashed: source !== 'local',
    values: weeks.map((at) => points.findLast(({ date }) => Date.parse(date) <= Date.parse(at))).map(rowOf),
  }))
}

const rowOf = (point: Series['points'][number] | undefined): number | null =>
  point === undefined ? null : point.rank + 1
