import type { Approvals } from '../approvals/approvals.ts'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { invalid, Problem } from '../problems.ts'
import { readBatch, type BatchSource } from './read-batch.ts'
import { metricValueOf } from './device-reader.ts'
import type { Metric, MetricBatch, MetricValue } from './schema.ts'

/** Names in one reading, and in one with `fresh=true`. */
const maxBatch = 32
const maxFreshBatch = 8

/** Returns true for metrics of a list: a structure is readable alone only. */
const listed = (object: CatalogObject): boolean => object.type !== 'struct'

interface MetricsDependencies {
  readonly catalog: Catalog
  readonly approvals: Pick<Approvals, 'isApproved' | 'exposed'>
  /** Throws `unknown_device`. */
  readonly device: (id: string) => BatchSource
}

/** The list of metrics and their readings. */
export type Metrics = ReturnType<typeof createMetrics>

/** Creates the list of metrics and their readings. */
export function createMetrics({ catalog, approvals, device }: MetricsDependencies) {
  return {
    list(): Metric[] {
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
    },
    async readSeveral(
      deviceId: string,
      { names, fresh }: { names?: string | undefined; fresh: boolean },
    ): Promise<MetricBatch> {
      const source = device(deviceId)
      const requested = names === undefined ? undefined : namesOf(names)
      if (fresh && requested === undefined) throw invalid('names', 'is needed with fresh=true')
      if (requested !== undefined) checkLength(requested, fresh)
      const objects = (requested ?? approvals.exposed()).map((name) => objectNamed(name, catalog))
      return readBatch(source, objects, fresh)
    },
    async readOne(deviceId: string, name: string, fresh: boolean): Promise<MetricValue> {
      const { reader } = device(deviceId)
      const object = catalog.byName(name)
      if (object === undefined) throw new Problem('unknown_metric', `There is no metric ${name}`)
      return metricValueOf(await reader.read(object, fresh ? { maxAge: 0 } : {}), reader.cache, fresh)
    },
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
