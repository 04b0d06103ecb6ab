/** Length of a step of plans, milliseconds. */
export const quarterMs = 900_000

/** Begin of the quarter hour that a time is in. */
export const quarterOf = (ms: number): number => Math.floor(ms / quarterMs) * quarterMs

/** A value for a stretch of time; times are milliseconds since the epoch. */
export interface Stretch {
  readonly from: number
  readonly until: number
  readonly value: number
}

/** Means of the quarter hours that begin at `from`; undefined for one of which less than half is known. */
export function quarterMeans(stretches: readonly Stretch[], from: number, count: number): (number | undefined)[] {
  const sums = Array.from({ length: count }, () => ({ known: 0, total: 0 }))
  for (const stretch of stretches) {
    const first = Math.max(0, Math.floor((stretch.from - from) / quarterMs))
    for (let index = first; index < count; index += 1) {
      const begin = Math.max(stretch.from, from + index * quarterMs)
      const end = Math.min(stretch.until, from + (index + 1) * quarterMs)
      if (begin >= stretch.until) break
      const sum = sums[index]
      if (sum === undefined || end <= begin) continue
      sum.known += end - begin
      sum.total += (end - begin) * stretch.value
    }
  }
  return sums.map(({ known, total }) => (known * 2 >= quarterMs ? total / known : undefined))
}

/** Returns values with their gaps closed: in proportion between two that are known, and not at all before and after. */
export function withoutGaps(values: readonly (number | undefined)[], maxGap: number): (number | undefined)[] {
  const filled = [...values]
  let known: number | undefined
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue
    const before = known === undefined ? undefined : values[known]
    if (known !== undefined && before !== undefined && index - known - 1 <= maxGap)
      for (let gap = known + 1; gap < index; gap += 1)
        filled[gap] = before + ((value - before) * (gap - known)) / (index - known)
    known = index
  }
  return filled
}
