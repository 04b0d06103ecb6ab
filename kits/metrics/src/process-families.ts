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

/** Starts to measure the process, and returns the function that reads its figures. */
export function measureProcess({ Registry, collectDefaultMetrics }: typeof PromClient): () => Promise<Family[]> {
  const register = new Registry()
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision })
  for (const { name } of register.getMetricsAsArray())
    if (!processMetricNames.has(name)) register.removeSingleMetric(name)
  return async () => {
    const families = (await register.getMetricsAsJSON()) as unknown as Family[]
    return families.map(({ name, help, type, values }) => ({
      name,
      help,
      type,
      aggregator: 'first',
      values: values.filter(({ value }) => Number.isFinite(value)),
    }))
  }
}
