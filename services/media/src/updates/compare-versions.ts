/**
 * Whether a version comes after another; both by the numbers they begin with (`5.1.9-0+deb12u1` is 5.1.9). False when one of
 * them begins with none, such as a build from between two versions.
 */
export function isNewer(candidate: string, present: string): boolean {
  const [left, right] = [numbersOf(candidate), numbersOf(present)]
  if (left === undefined || right === undefined) return false
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

function numbersOf(version: string): number[] | undefined {
  return /^\d+(?:\.\d+)*/.exec(version)?.[0].split('.').map(Number)
}
