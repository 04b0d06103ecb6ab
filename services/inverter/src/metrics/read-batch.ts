import type { CatalogObject } from '../catalog/catalog.ts'
import { Problem } from '../problems.ts'
import { staleReasonOf } from './device-problem.ts'
import type { DeviceReader } from './device-reader.ts'
import { metricValueOf } from './metric-value.ts'
import type { MetricBatch, MetricFailure, MetricValue } from './schema.ts'

/** What a batch is read from. */
export interface BatchSource {
  readonly deviceId: string
  readonly reader: DeviceReader
}

/** Failures of the device as a whole: what the next metric would meet as well. */
const lasting = new Set(['device_unreachable', 'device_timeout', 'device_maintenance', 'queue_full', 'queue_timeout'])

/**
 * Reads several metrics of one device, one after the other, so that a batch never takes more than one place in the queue.
 * What fails is listed; once the device as a whole does not answer, the rest comes from the cache without asking again.
 * Throws when there is not a single value: the specification's "Reading rules" 3.
 */
export async function readBatch(
  { deviceId, reader }: BatchSource,
  objects: readonly CatalogObject[],
  isFresh: boolean,
): Promise<MetricBatch> {
  const metrics: MetricValue[] = []
  const errors: MetricFailure[] = []
  let down: Problem | undefined
  for (const object of objects) {
    try {
      const reading =
        down === undefined ? await reader.read(object, isFresh ? { maxAge: 0 } : {}) : fromCache(reader, object, down)
      metrics.push(metricValueOf(reading, reader.cache, isFresh))
      if (reading.staleReason !== null && lasting.has(reading.staleReason))
        down ??= new Problem(reading.staleReason, 'The device does not answer')
    } catch (error) {
      if (!(error instanceof Problem) || staleReasonOf(error) === undefined) throw error
      if (lasting.has(error.code)) down ??= error
      errors.push({ name: object.name, code: error.code, detail: error.message })
    }
  }
  if (metrics.length === 0 && errors.length > 0) throw withoutValue(errors, down)
  return { device_id: deviceId, metrics, errors }
}

function fromCache(reader: DeviceReader, object: CatalogObject, down: Problem) {
  const { cache } = reader
  const known = cache.get(object.name)
  if (known === undefined || !cache.isUsable(object.name, known)) throw down
  const staleReason = cache.isFresh(object.name, known) ? null : (staleReasonOf(down) ?? null)
  return { object, cached: known, source: 'cache', staleReason } as const
}

/** Maintenance and a full queue say when to come again; everything else is a device that gave no value. */
function withoutValue(errors: readonly MetricFailure[], down: Problem | undefined): Problem {
  const parts = errors.map(({ name, code, detail }) => ({ parameter: name, code, detail }))
  const passing = new Set(['device_maintenance', 'queue_full', 'queue_timeout'])
  if (down !== undefined && passing.has(down.code))
    return new Problem(down.code, down.message, { ...down.facts, errors: parts })
  return new Problem('device_unavailable', 'The device gave not a single value', {
    errors: parts,
    members: { device_errors: errors },
  })
}
