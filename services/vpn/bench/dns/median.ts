/** The middle one; of an even count the upper of the two in the middle. NaN of none. */
export const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN
