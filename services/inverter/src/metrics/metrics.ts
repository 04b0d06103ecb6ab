import type { Approvals } from '../approvals/approvals.ts'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { invalid, Problem, unknownDevice } from '../problems.ts'
import { readBatch } from './read-batch.ts'
import { metricValueOf } from './metric-value.ts'
import type { ActionResult, Metric, MetricBatch, MetricValue, WriteResult } from './schema.ts'
import type { MetricWrites, WriteRequest, WriteTarget } from './write-metric.ts'

/** Names in one reading, and in one with `fresh=true`. */
const longestBatch = 32
const longestFreshBatch = 8

/** Not one value but a structure: readable alone, left out of lists. */
const listed = (object: CatalogObject): boolean => object.type !== 'struct'

export interface MetricsParts {
  readonly catalog: Catalog
  readonly approvals: Pick<Approvals, 'isApproved' | 'exposed'>
  readonly device: (id: string) => WriteTarget | undefined
  readonly writes: MetricWrites
}

/** Values of all devices as callers ask for them. */
export class Metrics {
  readonly #parts: MetricsParts

  constructor(parts: MetricsParts) {
    this.#parts = parts
  }

  list(): Metric[] {
    const { catalog, approvals } = this.#parts
    const exposed = new Set(approvals.exposed())
    return catalog.objects.filter(listed).map((object) => ({
      name: object.name,
      unit: object.unit,
      value_type: object.valueType,
      writable: approvals.isApproved(object.name),
      preselected: exposed.has(object.name),
      is_action: object.isAction,
      help_text: object.helpText ?? null,
    }))
  }

  async readSeveral(
    deviceId: string,
    { names, fresh }: { names?: string | undefined; fresh: boolean },
  ): Promise<MetricBatch> {
    const device = this.#device(deviceId)
    const asked = names === undefined ? undefined : namesOf(names)
    if (fresh && asked === undefined) throw invalid('names', 'is needed with fresh=true')
    if (asked !== undefined) checkLength(asked, fresh)
    const wanted = (asked ?? this.#parts.approvals.exposed()).map((name) => objectNamed(name, this.#parts.catalog))
    return readBatch(device, wanted, fresh)
  }

  async readOne(deviceId: string, name: string, fresh: boolean): Promise<MetricValue> {
    const device = this.#device(deviceId)
    const object = this.#parts.catalog.byName(name)
    if (object === undefined) throw new Problem('unknown_metric', `There is no metric ${name}`)
    const reading = await device.reader.read(object, fresh ? { maxAge: 0 } : {})
    return metricValueOf(reading, device.reader.cache, fresh)
  }

  async write(deviceId: string, request: WriteRequest): Promise<WriteResult> {
    return this.#parts.writes.write(this.#device(deviceId), request)
  }

  async act(deviceId: string, request: WriteRequest): Promise<ActionResult> {
    return this.#parts.writes.act(this.#device(deviceId), request)
  }

  #device(id: string): WriteTarget {
    const device = this.#parts.device(id)
    if (device === undefined) throw unknownDevice(id)
    return device
  }
}

function namesOf(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw invalid('names', 'has an empty entry', 'invalid_parameter')
  return [...new Set(names)]
}

function checkLength(names: readonly string[], fresh: boolean): void {
  if (fresh && names.length > longestFreshBatch)
    throw invalid('names', `must have at most ${longestFreshBatch} entries with fresh=true`, 'fresh_batch_too_large')
  if (names.length > longestBatch)
    throw invalid('names', `must have at most ${longestBatch} entries`, 'batch_too_large')
}

function objectNamed(name: string, catalog: Catalog): CatalogObject {
  const object = catalog.byName(name)
  if (object !== undefined) return object
  throw new Problem('unknown_metric', `names has ${name}, which is no metric`, {
    status: 422,
    errors: [{ parameter: 'names', code: 'unknown_metric', detail: `${name} is no metric` }],
  })
}
