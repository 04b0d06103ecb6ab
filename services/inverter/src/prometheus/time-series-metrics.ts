import { Counter, Gauge, type Metric, type Registry } from 'prom-client'
import type { TimeSeriesStatus } from '../time-series/schema.ts'

/** Adds the figures of the time series. */
export function addTimeSeriesMetrics(registry: Registry, status: () => TimeSeriesStatus): Metric[] {
  const counter = (name: string, help: string, valueOf: (status: TimeSeriesStatus) => number) =>
    new Counter({
      name: `vendor_export_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(valueOf(status()))
      },
    })
  const gauge = (name: string, help: string, valueOf: (status: TimeSeriesStatus) => number | undefined) =>
    new Gauge({
      name: `vendor_export_${name}`,
      help,
      registers: [registry],
      collect() {
        // A gauge without labels begins with 0; removed, it is absent.
        this.remove()
        const value = valueOf(status())
        if (value !== undefined) this.set(value)
      },
    })
  return [
    counter('points_written_total', 'Points that the time-series database took', (figures) => figures.points_written),
    counter('points_refused_total', 'Points that it refused; they are dropped', (figures) => figures.points_refused),
    counter('points_overflowed_total', 'Points dropped for a full buffer', (figures) => figures.points_overflowed),
    gauge('buffered_bytes', 'Size of the buffer of points on disk; absent while it is off', ({ state, ...figures }) =>
      state === 'off' ? undefined : figures.buffered_bytes,
    ),
    gauge('last_success_timestamp_seconds', 'When the time-series database took points last', (figures) =>
      figures.last_written_at === null ? undefined : Date.parse(figures.last_written_at) / 1000,
    ),
  ]
}
