/** Comparison of an answer with the truth; a missing answer is wrong in every way. */
export interface Score {
  /** Within 4 % of a right tempo. */
  readonly acc1: boolean
  /** Within 4 % of a right tempo, its half, third, double or triple. */
  readonly acc2: boolean
  /** Within 4 % when both are doubled or halved into 70 to 180. */
  readonly folded: boolean
  /** The same within 1 BPM. */
  readonly exact: boolean
}

const tolerance = 0.04

function isNear(bpm: number, right: number): boolean {
  return Math.abs(bpm / right - 1) <= tolerance
}

/** Doubles or halves a tempo into 70 to 180. */
export function folded(bpm: number): number {
  let value = bpm
  while (value < 70) value *= 2
  while (value > 180) value /= 2
  return value
}

/** Scores one answer. */
export function score(bpm: number | null, right: readonly number[]): Score {
  if (bpm === null) return { acc1: false, acc2: false, folded: false, exact: false }
  const some = (isRight: (right: number) => boolean) => right.some(isRight)
  return {
    acc1: some((value) => isNear(bpm, value)),
    acc2: some((value) => [1 / 3, 1 / 2, 1, 2, 3].some((factor) => isNear(bpm, value * factor))),
    folded: some((value) => isNear(folded(bpm), folded(value))),
    exact: some((value) => Math.abs(folded(bpm) - folded(value)) <= 1),
  }
}
