import type { MetricValue } from './schema.ts'
import type { MetricCache } from './metric-cache.ts'
import type { Reading } from './device-reader.ts'
import { labelOf } from './value.ts'

/** A reading as the wire has it. `isFreshRead` when the caller insisted on the device. */
export function metricValueOf(
  { object, cached, source, staleReason }: Reading,
  cache: MetricCache,
  isFreshRead: boolean,
): MetricValue {
  const isEnum = object.valueType === 'enum'
  return {
    name: object.name,
    value: cached.value,
    unit: object.unit,
    timestamp: new Date(cached.wallAt).toISOString(),
    age_seconds: source === 'device' ? 0 : Math.round(cache.age(cached)) / 1000,
    stale: staleReason !== null,
    stale_reason: staleReason,
    source,
    freshness: isFreshRead ? (source === 'device' ? 'observed' : 'cached') : null,
    enum_value: isEnum && typeof cached.value === 'number' ? cached.value : null,
    enum_label: isEnum ? labelOf(object, cached.value) : null,
  }
}
