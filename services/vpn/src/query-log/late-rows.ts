import { idsPerMillisecond, Rows, type Block, type Row } from './rows.ts'

/** An entry that is to stand among those of its time, without a number yet. */
export type LateRow = Omit<Row, 'id'>

/** Numbers that entries may get: above the first and below the second. */
export type NumberRange = readonly [above: number, below: number]

const numberOfTime = (at: number): number => Math.floor(at) * idsPerMillisecond

/**
 * Returns the place of the block that holds the time of an entry; the number of blocks for what comes after all of them. Blocks
 * are in the order of their numbers.
 */
export function blockPlaceOf(blocks: readonly Block[], { at }: Pick<LateRow, 'at'>): number {
  const number = numberOfTime(at)
  const last = blocks.at(-1)
  if (last === undefined || number > last.last_id) return blocks.length
  return Math.max(
    0,
    blocks.findLastIndex(({ first_id: first }) => first <= number),
  )
}

/** Returns the numbers that late entries of a block, or of what comes after all blocks, may get: no other place has any of them. */
export function rangeOf(blocks: readonly Block[], place: number): NumberRange {
  const block = blocks[place]
  if (block === undefined) return [blocks.at(-1)?.last_id ?? -1, Infinity]
  return [place === 0 ? -1 : block.first_id, blocks[place + 1]?.first_id ?? block.last_id + 1]
}

/** Late entries with their numbers, and how many got none because the range has none left. */
export interface Numbered {
  readonly rows: readonly Row[]
  readonly lost: number
}

/** Gives late entries, the oldest first, numbers of their times, or free ones next to them. */
export function numberRows(late: readonly LateRow[], known: Rows, range: NumberRange): Numbered {
  const next = freeNumbers(new Set(known.ids.subarray(0, known.length)), range)
  const rows: Row[] = []
  let lost = 0
  for (const row of late) {
    const id = next(numberOfTime(row.at))
    if (id === undefined) lost += 1
    else rows.push({ ...row, id })
  }
  return { rows, lost }
}

/**
 * Returns what gives free numbers, the nearest above the one that is wanted or else below it; undefined when there is none. What is
 * wanted never goes down, so each search goes on where the one before ended.
 */
function freeNumbers(used: ReadonlySet<number>, [above, below]: NumberRange): (wanted: number) => number | undefined {
  let up = above + 1
  let down = below - 1
  return (wanted) => {
    for (up = Math.max(up, wanted); up < below; up++) if (!used.has(up)) return up++
    for (down = Math.min(down, wanted); down > above; down--) if (!used.has(down)) return down--
    return undefined
  }
}

/** Returns entries and late ones together, in the order of their numbers. */
export function mergeRows(known: Rows, late: readonly Row[]): Rows {
  const sorted = late.toSorted((a, b) => a.id - b.id)
  const merged = new Rows(known.length + late.length)
  let next = 0
  for (let n = 0; n < known.length; n++) {
    for (let row = sorted[next]; row !== undefined && row.id < known.ids[n]!; row = sorted[next]) {
      merged.push(row)
      next += 1
    }
    merged.push(known.at(n))
  }
  for (const row of sorted.slice(next)) merged.push(row)
  return merged
}

/** Cuts entries into parts of about the same length, each of them at most so long. */
export function cutRows(rows: Rows, most: number): Rows[] {
  const count = Math.ceil(rows.length / most)
  const length = Math.ceil(rows.length / count)
  return Array.from({ length: count }, (_, part) => {
    const cut = new Rows(length)
    for (let n = part * length; n < Math.min(rows.length, (part + 1) * length); n++) cut.push(rows.at(n))
    return cut
  })
}
