import type { SlotRange } from '../store.ts'

/** Returns the newest stretch of slots before an end that is not known; undefined when all is. */
export function newestGap(known: ReadonlySet<number>, { from, until }: SlotRange): SlotRange | undefined {
  let end = until
  while (end > from && known.has(end - 1)) end -= 1
  if (end === from) return undefined
  let begin = end
  while (begin > from && !known.has(begin - 1)) begin -= 1
  return { from: begin, until: end }
}
