/** A value somewhere in a JSON document, with its JSON pointer. */
export interface JsonLocation {
  readonly value: unknown
  readonly path: string
}

/** Returns true for a JSON object; false for null and lists. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns what stands below at these keys; undefined when any of them is absent or null, which Caddy treats alike. */
export function at(location: JsonLocation | undefined, ...keys: readonly string[]): JsonLocation | undefined {
  let found = location
  for (const key of keys) {
    if (typeof found?.value !== 'object' || found.value === null || !Object.hasOwn(found.value, key)) return undefined
    const value: unknown = (found.value as Record<string, unknown>)[key]
    if (value === null || value === undefined) return undefined
    found = { value, path: `${found.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` }
  }
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

  /** Gives up on the site when a member is left. */
  refuseOthers(what: string): void {
    for (const member of this.left()) giveUp(member, what)
  }
}

/** Something that keeps a site from being taken over whole. */
export class NotMappable extends Error {
  override readonly name = 'NotMappable'
  readonly location: JsonLocation

  constructor(location: JsonLocation, what: string) {
    super(what)
    this.location = location
  }
}

/** Gives up on the site that is being read. */
export function giveUp(location: JsonLocation, what: string): never {
  throw new NotMappable(location, what)
}
