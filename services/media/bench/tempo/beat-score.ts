/** F-measure of beats against the right ones, both in order: those within a tolerance, seconds, are right. 0 to 1. */
export function beatScore(found: readonly number[], right: readonly number[], tolerance = 0.07): number {
  let [hits, place] = [0, 0]
  for (const beat of right) {
    while (place < found.length && (found[place] as number) < beat - tolerance) place += 1
    if (place < found.length && (found[place] as number) <= beat + tolerance) {
      hits += 1
      place += 1
    }
  }
  return (2 * hits) / Math.max(1, found.length + right.length)
}
