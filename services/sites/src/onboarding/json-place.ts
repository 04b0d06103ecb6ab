/** A value somewhere in a JSON document, with its JSON pointer. */
export interface Place {
  readonly value: unknown
  readonly path: string
}

/** The root of a document. */
export const rootOf = (value: unknown): Place => ({ value, path: '' })

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member or element; undefined when it is not there or null, which Caddy takes for the same. */
export function at({ value, path }: Place, key: string | number): Place | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const inner = (value as Record<string | number, unknown>)[key]
  return inner === null || inner === undefined ? undefined : { value: inner, path: `${path}/${escape(String(key))}` }
}

/** What a path of several members leads to. */
export function reach(place: Place, ...keys: readonly string[]): Place | undefined {
  let found: Place | undefined = place
  for (const key of keys) found = found && at(found, key)
  return found
}

/** The elements of a list; none when it is no list. */
export function itemsOf(place: Place | undefined): Place[] {
  if (place === undefined || !Array.isArray(place.value)) return []
  return place.value.map((value, index): Place => ({ value, path: `${place.path}/${index}` }))
}

/** The members of an object by name; none when it is no object. Those that are null are left out. */
export function membersOf(place: Place | undefined): [string, Place][] {
  if (place === undefined || !isObject(place.value)) return []
  return Object.keys(place.value).flatMap((key) => {
    const member = at(place, key)
    return member === undefined ? [] : [[key, member]]
  })
}

/** The texts of a list; undefined when it is none or has something else in it. */
export function textsOf(place: Place | undefined): string[] | undefined {
  const list = place?.value
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
}

export function textOf(place: Place | undefined): string | undefined {
  return typeof place?.value === 'string' ? place.value : undefined
}

/** An object of which every member is accounted for: what nobody took is left at the end. */
export class Members {
  readonly place: Place
  readonly #left: Map<string, Place>

  constructor(place: Place) {
    this.place = place
    this.#left = new Map(membersOf(place))
  }

  take(key: string): Place | undefined {
    const member = this.#left.get(key)
    this.#left.delete(key)
    return member
  }

  /** Takes members that have no effect, or are read elsewhere. */
  skip(...keys: readonly string[]): void {
    for (const key of keys) this.#left.delete(key)
  }

  left(): Place[] {
    return [...this.#left.values()]
  }
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
