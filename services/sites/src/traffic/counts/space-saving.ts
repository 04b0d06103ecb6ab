/** Finds what comes most often among any number of different things, in bounded memory. */
export interface SpaceSaving {
  add(key: string): void
  /** The most frequent ones. `count` is at most `error` too high. */
  top(limit: number): { readonly key: string; readonly count: number; readonly error: number }[]
}

interface Counter {
  count: number
  /** Count of the one whose place was taken. */
  error: number
}

/**
 * The Space-Saving algorithm of Metwally, Agrawal and El Abbadi: when all places are taken, a new thing takes that of the
 * rarest and goes on from its count. Whatever makes up more than one in `capacity` is found for certain.
 */
export function createSpaceSaving(capacity: number): SpaceSaving {
  const counters = new Map<string, Counter>()
  return {
    add(key) {
      const known = counters.get(key)
      if (known !== undefined) known.count += 1
      else if (counters.size < capacity) counters.set(key, { count: 1, error: 0 })
      else replaceRarest(counters, key)
    },
    top(limit) {
      return [...counters]
        .map(([key, { count, error }]) => ({ key, count, error }))
        .toSorted((one, other) => other.count - one.count || one.error - other.error)
        .slice(0, limit)
    },
  }
}

function replaceRarest(counters: Map<string, Counter>, key: string): void {
  let rarest: string | undefined
  let least = Infinity
  for (const [candidate, { count }] of counters) {
    if (count >= least) continue
    rarest = candidate
    least = count
    if (count === 1) break
  }
  if (rarest === undefined) return
  counters.delete(rarest)
  counters.set(key, { count: least + 1, error: least })
}
