/** A value somewhere in a JSON document, with its JSON pointer. */
export interface JsonLocation {
  readonly value: unknown
  readonly path: string
}

/** The root of a document. */
export const rootOf = (value: unknown): JsonLocation => ({ value, path: '' })

/** Returns true for a JSON object; false for null and lists. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the member or element; undefined when it is absent or null, which Caddy treats alike. */
export function at({ value, path }: JsonLocation, key: string | number): JsonLocation | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const inner = (value as Record<string | number, unknown>)[key]
  return inner === null || inner === undefined ? undefined : { value: inner, path: `${path}/${escape(String(key))}` }
}

/** Returns the location at a path of several members. */
export function reach(location: JsonLocation, ...keys: readonly string[]): JsonLocation | undefined {
  let found: JsonLocation | undefined = location
  for (const key of keys) found = found && at(found, key)
  return found
}

/** Returns the elements of a list; none when it is not a list. */
export function itemsOf(location: JsonLocation | undefined): JsonLocation[] {
  if (location === undefined || !Array.isArray(location.value)) return []
  return location.value.map((value, index): JsonLocation => ({ value, path: `${location.path}/${index}` }))
}

/** Returns the members of an object by name, without those that are null; none when it is not an object. */
export function membersOf(location: JsonLocation | undefined): [string, JsonLocation][] {
  if (location === undefined || !isObject(location.value)) return []
  return Object.keys(location.value).flatMap((key) => {
    const member = at(location, key)
    return member === undefined ? [] : [[key, member]]
  })
}

/** Returns the strings of a list; undefined when it is not a list of strings. */
export function textsOf(location: JsonLocation | undefined): string[] | undefined {
  const list = location?.value
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
}

export function textOf(location: JsonLocation | undefined): string | undefined {
  return typeof location?.value === 'string' ? location.value : undefined
}

/** An object whose members are taken one by one; `left` returns those that nobody took. */
export class Members {
  readonly #left: Map<string, JsonLocation>

  /** `skipped` are members that have no effect, or are read elsewhere. */
  constructor(location: JsonLocation, ...skipped: readonly string[]) {
    this.#left = new Map(membersOf(location))
    this.skip(...skipped)
  }

  take(key: string): JsonLocation | undefined {
    const member = this.#left.get(key)
    this.#left.delete(key)
    return member
  }

  /** Takes members that have no effect, or are read elsewhere. */
  skip(...keys: readonly string[]): void {
    for (const key of keys) this.#left.delete(key)
  }

  left(): JsonLocation[] {
    return [...this.#left.values()]
  }
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
