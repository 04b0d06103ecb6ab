import type { Approvals } from '../approvals/approvals.ts'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { invalid, Problem } from '../problems.ts'
import { readBatch, type BatchSource } from './read-batch.ts'
import { metricValueOf } from './device-reader.ts'
import type { Metric, MetricBatch, MetricValue } from './schema.ts'

/** Names in one reading, and in one with `fresh=true`. */
const maxBatch = 32
const maxFreshBatch = 8

/** Not one value but a structure: readable alone, left out of lists. */
const listed = (object: CatalogObject): boolean => object.type !== 'struct'

export interface MetricsDependencies {
  readonly catalog: Catalog
  readonly approvals: Pick<Approvals, 'isApproved' | 'exposed'>
  /** Throws `unknown_device`. */
  readonly device: (id: string) => BatchSource
}

/** The list of metrics and their readings. */
export class Metrics {
  readonly #dependencies: MetricsDependencies

  constructor(dependencies: MetricsDependencies) {
    this.#dependencies = dependencies
  }

  list(): Metric[] {
    const { catalog, approvals } = this.#dependencies
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
    const device = this.#dependencies.device(deviceId)
    const requested = names === undefined ? undefined : namesOf(names)
    if (fresh && requested === undefined) throw invalid('names', 'is needed with fresh=true')
    if (requested !== undefined) checkLength(requested, fresh)
    const wanted = (requested ?? this.#dependencies.approvals.exposed()).map((name) =>
      objectNamed(name, this.#dependencies.catalog),
    )
    return readBatch(device, wanted, fresh)
  }

  async readOne(deviceId: string, name: string, fresh: boolean): Promise<MetricValue> {
    const device = this.#dependencies.device(deviceId)
    const object = this.#dependencies.catalog.byName(name)
    if (object === undefined) throw new Problem('unknown_metric', `There is no metric ${name}`)
    const reading = await device.reader.read(object, fresh ? { maxAge: 0 } : {})
    return metricValueOf(reading, device.reader.cache, fresh)
  }
}

function namesOf(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw invalid('names', 'has an empty entry', 'invalid_parameter')
  return [...new Set(names)]
}

function checkLength(names: readonly string[], fresh: boolean): void {
  if (fresh && names.length > maxFreshBatch)
    throw invalid('names', `must have at most ${maxFreshBatch} entries with fresh=true`, 'fresh_batch_too_large')
  if (names.length > maxBatch) throw invalid('names', `must have at most ${maxBatch} entries`, 'batch_too_large')
}

function objectNamed(name: string, catalog: Catalog): CatalogObject {
  const object = catalog.byName(name)
  if (object !== undefined) return object
  throw new Problem('unknown_metric', `names has ${name}, which is no metric`, {
    status: 422,
    errors: [{ parameter: 'names', code: 'unknown_metric', detail: `${name} is no metric` }],
  })
}
