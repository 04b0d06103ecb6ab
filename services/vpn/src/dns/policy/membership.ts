/** There can be so many lists: a set of lists is the bits of one word. */
export const maxLists = 32

/**
 * Meanings of lists for one name: nine sets of lists. The first four hold for the name itself, the other four for every name below
 * it; `||d^` is in both, a hosts line only in the first, `*.d` only in the last. Important ones are Adblock's `$important`.
 */
export const Meaning = {
  blocks: 0,
  allows: 1,
  blocksImportantly: 2,
  allowsImportantly: 3,
  /** Added to one of the above: for the names below. */
  below: 4,
  /** The list has a rule with modifiers about this name or the names below it, see `conditional-rules.ts`. */
  conditional: 8,
} as const

/** Words a class takes. */
export const meanings = 9

/** Most classes a table can name. */
export const maxClasses = 65_535

/** Classes of names: each different combination of the nine sets is kept once. Class 0 says nothing. */
export interface Classes {
  /** `meanings` words a class. */
  readonly words: Uint32Array
  /** The class in which one list says one thing. Throws a `RangeError` when there are too many different ones. */
  single(meaning: number, list: number): number
  /** The class that says what both say. */
  combine(one: number, other: number): number
  /** Number of classes, class 0 included. */
  count(): number
}

/** Classes to fill while a table is made. */
export function createClasses(): Classes {
  const words = new Uint32Array((maxClasses + 1) * meanings)
  const known = new Map<string, number>([[keyOf(new Uint32Array(meanings)), 0]])
  const combined = new Map<number, number>()
  let count = 1

  function intern(sets: Uint32Array): number {
    const key = keyOf(sets)
    const found = known.get(key)
    if (found !== undefined) return found
    if (count > maxClasses) throw new RangeError('the lists overlap in too many different ways')
    words.set(sets, count * meanings)
    known.set(key, count)
    return count++
  }

  return {
    words,
    single(meaning, list) {
      const sets = new Uint32Array(meanings)
      sets[meaning] = 1 << list
      return intern(sets)
    },
    combine(one, other) {
      const pair = one * 65_536 + other
      const found = combined.get(pair)
      if (found !== undefined) return found
      const sets = new Uint32Array(meanings)
      for (let k = 0; k < meanings; k++) sets[k] = words[one * meanings + k]! | words[other * meanings + k]!
      const made = intern(sets)
      if (combined.size < 100_000) combined.set(pair, made)
      return made
    },
    count: () => count,
  }
}

const keyOf = (sets: Uint32Array): string => sets.join(' ')
