/** Numbers that a seed decides. */
export interface Random {
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
}

/** The generator "mulberry32": small, and good enough to choose edits. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }
  return {
    below,
    pick(list) {
      const chosen = list[below(list.length)]
      if (chosen === undefined) throw new Error('nothing to choose from')
      return chosen
    },
  }
}
