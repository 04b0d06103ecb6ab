/** The shape of a sound in several fineness: each level has half as many pairs as the one before. */
export interface Peaks {
  readonly duration: number
  /** Seconds of a pair in the first level. */
  readonly pairSeconds: number
  /** Lowest and highest sample of each pair, 127 for full scale. */
  readonly levels: readonly Int8Array[]
}

const header = 24

/** Reads the answer of `/api/waveform/{id}/peaks`. Throws an error for anything else. */
export function parsePeaks(buffer: ArrayBuffer): Peaks {
  const view = new DataView(buffer)
  const isOurs = buffer.byteLength >= header && view.getUint32(0) === 0x48_50_4b_31
  const count = isOurs ? view.getUint32(4, true) : 0
  if (!isOurs || buffer.byteLength < header + 2 * count) throw new Error('the shape of the sound is damaged')
  const first = new Int8Array(buffer, header, 2 * count)
  return { duration: view.getFloat64(16, true), pairSeconds: view.getFloat64(8, true), levels: levelsOf(first) }
}

/** Number of pairs from which on there is no coarser level. */
const fewest = 512

function levelsOf(first: Int8Array): Int8Array[] {
  const levels = [first]
  for (let finer = first; finer.length > 2 * fewest;) {
    const count = Math.ceil(finer.length / 4)
    const coarser = new Int8Array(2 * count)
    for (let index = 0; index < count; index += 1) {
      const at = 4 * index
      coarser[2 * index] = Math.min(finer[at] ?? 0, finer[at + 2] ?? 0)
      coarser[2 * index + 1] = Math.max(finer[at + 1] ?? 0, finer[at + 3] ?? 0)
    }
    levels.push(coarser)
    finer = coarser
  }
  return levels
}

/** A stretch of the sound on so many columns of a screen. */
export interface Stretch {
  readonly start: number
  readonly secondsPerColumn: number
  readonly columns: number
}

/** Lowest and highest sample of each column, and how many pairs were looked at. */
export interface Columns {
  readonly pairs: Int8Array
  readonly visited: number
}

/**
 * Returns what is to be drawn. The level is chosen so that at most a few pairs are looked at for each column, whatever the length
 * of the sound.
 */
export function columnsOf(peaks: Peaks, { start, secondsPerColumn, columns }: Stretch): Columns {
  const perColumn = secondsPerColumn / peaks.pairSeconds
  const level = Math.min(peaks.levels.length - 1, Math.max(0, Math.floor(Math.log2(perColumn))))
  const source = peaks.levels[level] ?? new Int8Array()
  const size = peaks.pairSeconds * 2 ** level
  const pairs = new Int8Array(2 * columns)
  let visited = 0
  for (let column = 0; column < columns; column += 1) {
    const from = Math.floor((start + column * secondsPerColumn) / size)
    const to = Math.max(from + 1, Math.ceil((start + (column + 1) * secondsPerColumn) / size))
    let [low, high] = [0, 0]
    for (let index = Math.max(0, from); index < to && 2 * index < source.length; index += 1) {
      low = Math.min(low, source[2 * index] ?? 0)
      high = Math.max(high, source[2 * index + 1] ?? 0)
      visited += 1
    }
    pairs[2 * column] = low
    pairs[2 * column + 1] = high
  }
  return { pairs, visited }
}
