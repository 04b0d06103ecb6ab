import type { components } from '../api.gen.ts'

type Numbers = components['schemas']['TrafficNumbers']

/** How requests ended, in the order they are drawn. */
export const endings = [
  { kind: 'good', tone: 'accent', name: 'Answered (2xx)' },
  { kind: 'elsewhere', tone: 'quiet', name: 'Redirected (3xx)' },
  { kind: 'refused', tone: 'warn', name: 'Refused (4xx)' },
  { kind: 'failed', tone: 'bad', name: 'Failed (5xx)' },
] as const

/** How many requests ended that way. */
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
