import { formatBytes, formatCount } from '@hearth/ui'
import type { Series } from '../charts/time-chart.tsx'
import type { components } from '../api.gen.ts'
import { countOf, endings, formatMs } from './traffic-figures.ts'

type Numbers = components['schemas']['TrafficNumbers']
type Point = components['schemas']['TrafficPoint']

/** Requests a second by how they ended, for a chart. */
export const requestSeries = (points: readonly Point[], stepSeconds: number): Series[] =>
  endings.map(({ kind, name }) => ({ kind, name, values: points.map((point) => countOf(point, kind) / stepSeconds) }))

/** How long half of the requests took at most, and all but the slowest, for a chart; milliseconds. */
export const latencySeries = (points: readonly Point[]): Series[] => [
  { kind: 'half', name: 'half of them within', values: points.map(({ p50_ms: value }) => value) },
  { kind: 'most', name: '95 % within', values: points.map(({ p95_ms: value }) => value) },
]

/** All requests of a time in a sentence. */
export function sentenceOf({ requests, bytes, p50_ms: half, p95_ms: most }: Numbers): string {
  if (requests === 0) return 'No request in this time.'
  const took = half === null || most === null ? '' : `; half within ${formatMs(half)}, 95 % within ${formatMs(most)}`
  return `${formatCount(requests, 'request')}, ${formatBytes(bytes)}${took}`
}
