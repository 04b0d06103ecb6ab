import type { Stretch } from '../quarters/quarters.ts'

/** Sums what panels of several directions give. Only the time that is known of each of them is known of the sum. */
export function sumOfPlanes(planes: readonly (readonly Stretch[])[]): Stretch[] {
  const [first = [], ...others] = planes
  return others.reduce<readonly Stretch[]>(sumOfTwo, first).toSorted((a, b) => a.from - b.from)
}

/** Sums two lists that are in the order of time. */
function sumOfTwo(all: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  const sums: Stretch[] = []
  let [index, other] = [0, 0]
  for (;;) {
    const [a, b] = [all[index], others[other]]
    if (a === undefined || b === undefined) return sums
    const [from, until] = [Math.max(a.from, b.from), Math.min(a.until, b.until)]
    if (from < until) sums.push({ from, until, value: a.value + b.value })
    if (a.until <= b.until) index += 1
    else other += 1
  }
}
