import type { components } from '../api.gen.ts'

type Series = components['schemas']['GradeHistory']['series'][number]

/** The grades from best to worst, as rows of a chart; what is no measure of quality shares the last. */
export const gradeSteps = ['A+', 'A', 'A-', 'B', 'C', 'D', 'E', 'F', 'T M'] as const

/** A line of a chart. */
export interface GradeLine {
  readonly key: string
  readonly source: Series['source']
  readonly path: string
}

const width = 600
const height = 160
const bestRank = 7
const day = 86_400_000

/** The lines of hosts over a time that ends now; a single week is a short stroke. */
export function gradePoints(series: readonly Series[], days: number, now = Date.now()): GradeLine[] {
  const begin = now - days * day
  const x = (date: string) => {
    const share = (Date.parse(date) - begin) / (days * day)
    return Math.round(Math.max(0, Math.min(1, share)) * width * 10) / 10
  }
  const y = (rank: number) => Math.round(((bestRank - rank + 0.5) / gradeSteps.length) * height * 10) / 10
  return series.map(({ host, source, points }) => {
    const [first] = points
    const steps = points.map(({ date, rank }) => `${x(date)} ${y(rank)}`)
    const last = points.at(-1)
    const end = last === undefined ? '' : `H${width}`
    return { key: `${source} ${host}`, source, path: first === undefined ? '' : `M${steps.join('L')}${end}` }
  })
}
