import type PromClient from 'prom-client'
import type { Family } from './collector.ts'

/** The metrics of prom-client's own that are shown. The others are many series for little, or named against the conventions. */
export const processMetricNames: ReadonlySet<string> = new Set([
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_version_info',
])

/** Precision of the event-loop delay, milliseconds: finer ones wake an idle process more often. */
const eventLoopMonitoringPrecision = 20

/**
 * Starts to measure the process, and returns the function that reads its figures. The library counts processor time from its
 * own start, so that is replaced by the time of the whole process.
 */
export function measureProcess({ Registry, collectDefaultMetrics }: typeof PromClient): () => Promise<Family[]> {
  const register = new Registry()
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision })
  return async () => {
    const families = (await register.getMetricsAsJSON()) as unknown as Family[]
    const processor = processorSeconds()
    return families.flatMap(({ name, help, type, values }) => {
      if (!processMetricNames.has(name)) return []
      const total = processor[name]
      const shown =
        total === undefined ? values.filter(({ value }) => Number.isFinite(value)) : [{ labels: {}, value: total }]
      return [{ name, help, type, aggregator: 'first' as const, values: shown }]
    })
  }
}

function processorSeconds(): Readonly<Record<string, number>> {
  const { user, system } = process.cpuUsage()
  return {
    process_cpu_user_seconds_total: user / 1e6,
    process_cpu_system_seconds_total: system / 1e6,
    process_cpu_seconds_total: (user + system) / 1e6,
  }
}
