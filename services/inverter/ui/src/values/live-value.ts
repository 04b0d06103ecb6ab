import type { MetricValue } from '../api.ts'

/** A value with its time by this browser's clock, so that a wrong clock on either side shows no wrong age. */
export interface LiveValue extends MetricValue {
  /** Milliseconds since the epoch. */
  takenAt: number
}

/** The last known value of each metric of one device. */
export type ValueMap = Readonly<Record<string, LiveValue>>

/** Notes when a value that arrived `now` was taken. */
export function liveValue(value: MetricValue, now: number): LiveValue {
  return { ...value, takenAt: now - value.age_seconds * 1000 }
}

/** Reason why a value is stale, in words; null while it is fresh. */
export function staleness(value: LiveValue, { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number }) {
  if (value.stale) return staleReasons[value.stale_reason ?? 'none']
  return now - value.takenAt > maxAgeSeconds * 1000 ? 'no newer value has arrived' : null
}

const staleReasons = {
  device_timeout: 'the inverter did not answer in time',
  device_unreachable: 'the inverter cannot be reached',
  protocol_error: 'the inverter sent an invalid answer',
  queue_full: 'too many requests are waiting for the inverter',
  queue_timeout: 'it waited too long in the queue',
  device_maintenance: 'the inverter is being updated',
  none: 'it could not be refreshed',
} as const

/** A number among the values, or undefined when there is none. */
export function numberOf(values: ValueMap, name: string): number | undefined {
  const value = values[name]?.value
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
