/** An answer: the share of the score it had, and whether it was right. */
export interface Judged {
  readonly share: number
  readonly isRight: boolean
}

const steps = 20

/** Shares of right answers at shares of the score from 0 to 1 in even steps: never falling (isotonic regression), and smoothed between its steps. */
export function calibrate(judged: readonly Judged[]): number[] {
  const sorted = judged.toSorted((one, other) => one.share - other.share)
  const blocks: { sum: number; count: number; shares: number }[] = []
  for (const { share, isRight } of sorted) {
    blocks.push({ sum: isRight ? 1 : 0, count: 1, shares: share })
    for (;;) {
      const [before, last] = blocks.slice(-2)
      if (before === undefined || last === undefined || before.sum / before.count < last.sum / last.count) break
      blocks.splice(-2, 2, {
        sum: before.sum + last.sum,
        count: before.count + last.count,
        shares: before.shares + last.shares,
      })
    }
  }
  // A block of few answers says little: two doubtful ones are added to each.
  const points = blocks.map(({ sum, count, shares }) => ({ share: shares / count, right: (sum + 1) / (count + 2) }))
  return Array.from({ length: steps + 1 }, (_, step) => valueAt(points, step / steps))
}

function valueAt(points: readonly { share: number; right: number }[], share: number): number {
  const behind = points.findIndex((point) => point.share >= share)
  const after = points[behind]
  if (after === undefined) return points.at(-1)?.right ?? 0
  const before = points[behind - 1]
  if (before === undefined) return after.right
  return before.right + ((share - before.share) / (after.share - before.share)) * (after.right - before.right)
}
