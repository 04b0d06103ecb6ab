import type { components } from '../api.gen.ts'
import type { ChartSeries } from '@hearth/ui'
import { formatBytes, formatCount } from '@hearth/ui/format'

type Numbers = components['schemas']['TrafficNumbers']
type Point = components['schemas']['TrafficPoint']

/** Groups of statuses, in the order they are drawn. */
export const endings = [
  { kind: 'good', tone: 'accent', name: 'Answered (2xx)' },
  { kind: 'elsewhere', tone: 'quiet', name: 'Redirected (3xx)' },
  { kind: 'refused', tone: 'warn', name: 'Refused (4xx)' },
  { kind: 'failed', tone: 'bad', name: 'Failed (5xx)' },
] as const

/** Counts the requests of a group. */
export function countOf({ status }: Pick<Numbers, 'status'>, kind: (typeof endings)[number]['kind']): number {
  if (kind === 'good') return status['1xx'] + status['2xx']
  if (kind === 'elsewhere') return status['3xx']
  return kind === 'refused' ? status['4xx'] : status['5xx']
}

/** A duration of milliseconds: `<0.1 ms`, `0.8 ms`, `85 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  if (ms > 0 && ms < 0.05) return '<0.1 ms'
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`
}

/** Requests a second: `0`, `0.25/s`, `12/s`. */
export const formatPace = (pace: number): string => `${Number(pace.toPrecision(pace >= 100 ? 3 : 2))}/s`

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

/** Median and 95th percentile of durations, for a chart; milliseconds. */
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
