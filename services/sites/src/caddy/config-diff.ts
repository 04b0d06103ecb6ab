import { canonicalJson } from './canonical-json.ts'

/** One place in which two configurations differ; without `before` it is new, without `after` it is gone. */
export interface JsonChange {
  /** Names and positions with slashes between them; a route stands under its id, `routes/site-7`. */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

const maxChanges = 1000

/**
 * The differences between two JSON values, at most 1000. Members of lists are compared by their `@id` where all have one, so that
 * one route more does not change all that follow; else by position, lists of plain values as a whole.
 */
export function diffJson(before: unknown, after: unknown): JsonChange[] {
  const changes: JsonChange[] = []
  collect([], { before, after }, changes)
  return changes
}

interface Pair {
  readonly before?: unknown
  readonly after?: unknown
}

function collect(path: readonly string[], pair: Pair, changes: JsonChange[]): void {
  if (changes.length >= maxChanges) return
  const [before, after] = [namedMembers(pair.before), namedMembers(pair.after)]
  if (!before || !after || Array.isArray(pair.before) !== Array.isArray(pair.after)) {
    if (canonicalJson(pair.before) !== canonicalJson(pair.after) || 'before' in pair !== 'after' in pair)
      changes.push({ path: path.join('/'), ...pair })
    return
  }
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const both = {
      ...(before.has(name) && { before: before.get(name) }),
      ...(after.has(name) && { after: after.get(name) }),
    }
    if (both.before !== both.after) collect([...path, name], both, changes)
  }
}

/** The members of an object or a list by name; undefined for a value that is compared as a whole. */
function namedMembers(value: unknown): Map<string, unknown> | undefined {
  if (value === null || typeof value !== 'object') return undefined
  if (!Array.isArray(value)) return new Map(Object.entries(value))
  const list: unknown[] = value
  if (list.some((member) => member === null || typeof member !== 'object')) return undefined
  const ids = list.map((member) => (member as Record<string, unknown>)['@id'])
  const isNamed = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length
  return new Map(list.map((member, index) => [isNamed ? String(ids[index]) : String(index), member]))
}
