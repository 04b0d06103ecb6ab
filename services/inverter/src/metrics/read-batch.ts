import type { CatalogObject } from '../catalog/catalog.ts'
import { Problem } from '../problems.ts'
import { staleReasonOf } from './device-problem.ts'
import { metricValueOf, type DeviceReader, type Reading } from './device-reader.ts'
import type { MetricBatch, MetricFailure, MetricValue } from './schema.ts'

/** The device that a batch is read from. */
export interface BatchSource {
  readonly deviceId: string
  readonly reader: DeviceReader
}

/** Failures of the device as a whole: what the next metric would meet as well. */
const lasting = new Set(['device_unreachable', 'device_timeout', 'device_maintenance', 'queue_full', 'queue_timeout'])

/** Metrics of a batch that may stay unanswered while the device answers others; each costs seconds and the connection. */
const toleratedSilences = 3

/** Time for a new connection after a metric was not answered, milliseconds. */
const reconnectMs = 4000

/**
 * Reads several metrics of one device, one after the other, so that a batch never takes more than one place in the queue.
 * What fails is listed. One metric without an answer may be one that the firmware does not have, so the next is read on a new
 * connection; once the device as a whole does not answer, the rest comes from the cache without another request.
 * Throws when there is not a single value (docs/reference/inverter-api.md, "Reading").
 */
export async function readBatch(
  { deviceId, reader }: BatchSource,
  objects: readonly CatalogObject[],
  isFresh: boolean,
): Promise<MetricBatch> {
  const metrics: MetricValue[] = []
  const errors: MetricFailure[] = []
  const outage = new Outage(reader)
  for (const object of objects) {
    const isLeftOut = reader.isLeftOut(object)
    try {
      const reading = await outage.read(object, isFresh)
      metrics.push(metricValueOf(reading, reader.cache, isFresh))
      if (reading.staleReason !== null && !isLeftOut)
        outage.note(new Problem(reading.staleReason, 'The device does not answer'))
    } catch (error) {
      if (!(error instanceof Problem) || staleReasonOf(error) === undefined) throw error
      if (!isLeftOut) outage.note(error)
      errors.push({ name: object.name, code: error.code, detail: error.message })
    }
  }
  if (metrics.length === 0 && errors.length > 0) throw withoutValue(errors, outage.down)
  return { device_id: deviceId, metrics, errors }
}

/** The readings of a batch. Finds out whether it is one metric that is not answered, or the device. */
class Outage {
  /** Reason why the device as a whole gives no values. */
  down: Problem | undefined
  readonly #reader: DeviceReader
  /** Number of frames received when the latest metric was not answered. */
  #framesAtSilence = -1
  #silences = 0

  constructor(reader: DeviceReader) {
    this.#reader = reader
  }

  /** Reads a metric: from the cache once the device is down, and on a new connection after a silence. */
  async read(object: CatalogObject, isFresh: boolean): Promise<Reading> {
    if (this.down !== undefined) return fromCache(this.#reader, object, this.down)
    if (this.#isDoubtful) await this.#reader.reconnected(reconnectMs)
    return this.#reader.read(object, isFresh ? { maxAge: 0 } : {})
  }

  get #isDoubtful(): boolean {
    return this.#framesAtSilence === this.#reader.framesReceived
  }

  note(problem: Problem): void {
    if (!lasting.has(problem.code)) return
    this.#silences += 1
    const isOne = problem.code === 'device_timeout' && !this.#isDoubtful && this.#silences <= toleratedSilences
    if (isOne) this.#framesAtSilence = this.#reader.framesReceived
    else this.down ??= problem
  }
}

function fromCache(reader: DeviceReader, object: CatalogObject, down: Problem) {
  const { cache } = reader
  const known = cache.get(object.name)
  if (known === undefined || !cache.isUsable(object.name, known)) throw down
  const staleReason = cache.isFresh(object.name, known) ? null : (staleReasonOf(down) ?? null)
  return { object, cached: known, source: 'cache', staleReason } as const
}

/** Maintenance and a full queue say when to retry; everything else is a device without a value. */
function withoutValue(errors: readonly MetricFailure[], down: Problem | undefined): Problem {
  const details = errors.map(({ name, code, detail }) => ({ parameter: name, code, detail }))
  const passing = new Set(['device_maintenance', 'queue_full', 'queue_timeout'])
  if (down !== undefined && passing.has(down.code))
    return new Problem(down.code, down.message, { ...down.facts, errors: details })
  return new Problem('device_unavailable', 'The device returned no value', {
    errors: details,
    members: { device_errors: errors },
  })
}
