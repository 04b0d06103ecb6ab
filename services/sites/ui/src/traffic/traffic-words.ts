import { type ChartSeries, formatBytes, formatCount } from '@hearth/ui'
import type { components } from '../api.gen.ts'
import { countOf, endings, formatMs } from './traffic-figures.ts'

type Numbers = components['schemas']['TrafficNumbers']
type Point = components['schemas']['TrafficPoint']

/** Requests a second by how they ended, for a chart. */
export const requestSeries = (
  points: readonly Point[],
  { stepSeconds, totals }: { stepSeconds: number; totals: Numbers },
): ChartSeries[] =>
  endings.map(({ kind, name, tone }) => ({
    name,
    tone,
    total: countOf(totals, kind).toLocaleString('en'),
    values: points.map((point) => countOf(point, kind) / stepSeconds),
  }))

/** How long half of the requests took at most, and all but the slowest, for a chart; milliseconds. */
export const latencySeries = (points: readonly Point[]): ChartSeries[] => [
  { tone: 'accent', name: 'Half within', values: points.map(({ p50_ms: value }) => value) },
  { tone: 'quiet', isDashed: true, name: '95 % within', values: points.map(({ p95_ms: value }) => value) },
]

/** All requests of a time in a sentence. */
export function sentenceOf({ requests, bytes, p50_ms: half, p95_ms: most }: Numbers): string {
  if (requests === 0) return 'No request in this time.'
  const took = half === null || most === null ? '' : `; half within ${formatMs(half)}, 95 % within ${formatMs(most)}`
  return `${formatCount(requests, 'request')}, ${formatBytes(bytes)}${took}`
}
