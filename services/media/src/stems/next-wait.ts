/** The shortest and the longest pause, milliseconds. */
export interface Pauses {
  readonly first: number
  readonly longest: number
}

/** The pause before the next attempt: twice as long after each failure in a row, within bounds; the first one without. */
export const nextWait = (failures: number, { first, longest }: Pauses): number =>
  Math.min(longest, first * 2 ** Math.min(failures, 30))
