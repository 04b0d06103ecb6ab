import { parseJson } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { parameterKind } from '../catalog/parameter-kinds.ts'
import { isSameValue, labelOf } from '../metrics/value.ts'
import type { SnapshotPayload } from './payload.ts'
import type { SnapshotDifference, SnapshotValue, SnapshotWrite } from './schema.ts'
import type { WrittenValue } from './store.ts'

type Value = number | boolean | string

/** A parameter with a value of its own in each of two snapshots; null where a snapshot has none. */
export interface ChangedParameter {
  readonly object: CatalogObject
  readonly before: Value | null
  readonly after: Value | null
}

/** Parameters that differ between two snapshots, and the number of those that both have a value of. */
export function compareValues(
  catalog: Catalog,
  before: SnapshotPayload,
  after: SnapshotPayload,
): { compared: number; changed: ChangedParameter[] } {
  const names = new Set([...Object.keys(before.values), ...Object.keys(after.values)])
  const changed: ChangedParameter[] = []
  let compared = 0
  for (const name of names) {
    const object = catalog.byName(name)
    if (object === undefined || parameterKind(object) === undefined) continue
    const [old, next] = [before.values[name] ?? null, after.values[name] ?? null]
    if (old !== null && next !== null) compared += 1
    if (old === null || next === null || !isSameValue(object, old, next))
      changed.push({ object, before: old, after: next })
  }
  changed.sort((a, b) => a.object.name.localeCompare(b.object.name))
  return { compared, changed }
}

/** The newest writes between two snapshots, as far as the journal has them. */
export interface KnownWrites {
  readonly writes: readonly WrittenValue[]
  /** False when the journal begins after the earlier of both. */
  readonly isComplete: boolean
  /** The snapshot whose values the writes explain; either, when none was read later. */
  readonly later: 'first' | 'second' | 'neither'
}

/** A changed parameter with who changed it. */
export function differenceOf(changed: ChangedParameter, known: KnownWrites): SnapshotDifference {
  const { object, before, after } = changed
  const explained = { first: [before], second: [after], neither: [before, after] }[known.later]
  const write = writeOf(
    object,
    explained.filter((value) => value !== null),
    known.writes,
  )
  return {
    ...namesOf(object),
    before,
    before_label: before === null ? null : labelOf(object, before),
    after,
    after_label: after === null ? null : labelOf(object, after),
    origin: originOf(changed, { isWritten: write !== undefined, isComplete: known.isComplete }),
    write: write ?? null,
  }
}

function originOf(
  { object, before, after }: ChangedParameter,
  { isWritten, isComplete }: { isWritten: boolean; isComplete: boolean },
): SnapshotDifference['origin'] {
  if (before === null || after === null) return 'only_once'
  if (isWritten) return 'written_here'
  if (parameterKind(object) === 'fact') return 'fact'
  return isComplete ? 'not_ordered' : 'unknown'
}

/**
 * The newest write of a parameter, if one of the values is what was written or what the inverter made of it: otherwise somebody
 * else has changed it since.
 */
function writeOf(
  object: CatalogObject,
  values: readonly Value[],
  newestFirst: readonly WrittenValue[],
): SnapshotWrite | undefined {
  for (const write of newestFirst) {
    if (write.metric !== object.name) continue
    const { new_value: wanted, readback_value: got, is_without_effect: isWithoutEffect, at, cause, caller } = write
    const hasMade = got !== null && !isWithoutEffect && isOneOf(object, got, values)
    if (hasMade || isOneOf(object, wanted, values))
      return { at: new Date(at).toISOString(), cause: cause as SnapshotWrite['cause'], caller }
    if (!isWithoutEffect) return undefined
  }
  return undefined
}

function isOneOf(object: CatalogObject, text: string, values: readonly Value[]): boolean {
  const found = parseJson(text)
  const isScalar = typeof found === 'number' || typeof found === 'boolean' || typeof found === 'string'
  return isScalar && values.some((value) => isSameValue(object, found, value))
}

const namesOf = (object: CatalogObject) => ({
  name: object.name,
  vendor_name: object.vendorName,
  group: object.group,
  kind: parameterKind(object) ?? 'setting',
  unit: object.unit,
})

/** The parameters of a snapshot, by name. */
export function valuesOf(catalog: Catalog, { values, failures }: SnapshotPayload): SnapshotValue[] {
  return [...new Set([...Object.keys(values), ...Object.keys(failures)])].sort().flatMap((name) => {
    const object = catalog.byName(name)
    if (object === undefined || parameterKind(object) === undefined) return []
    const value = values[name] ?? null
    const label = value === null ? null : labelOf(object, value)
    return [{ ...namesOf(object), value, label, failure: value === null ? (failures[name] ?? null) : null }]
  })
}
