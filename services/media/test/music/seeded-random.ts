/** Random numbers that are the same in every run for the same seed. */
export interface SeededRandom {
  /** Evenly in [0, 1). */
  next(): number
  /** Around 0 with standard deviation 1. */
  gaussian(): number
  /** One of the list. */
  pick<T>(list: readonly T[]): T
}

/** A generator of 32 bits of state stepped by an odd constant and mixed; good enough for music, and quick. */
export function seededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    gaussian: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: (list) => list[Math.floor(next() * list.length)]!,
  }
}
