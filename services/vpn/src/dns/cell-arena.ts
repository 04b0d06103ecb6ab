/** Bytes of a cell. */
export const cellBytes = 256

/**
 * Memory in cells of one size, of which any number in a row make a stretch; nothing is moved, and there is no fragmentation.
 */
export class CellArena {
  /** Number of free cells. */
  free: number
  readonly #bytes: Uint8Array
  /** The cell that follows each one, in its stretch or among the free ones. */
  readonly #next: Int32Array
  #firstFree = 0
  /** Position of the next byte to read or write. */
  #at = 0

  constructor(cells: number) {
    this.free = cells
    this.#bytes = new Uint8Array(cells * cellBytes)
    this.#next = new Int32Array(cells)
    this.#freeAll()
  }

  /** Takes so many cells in a row; there have to be as many free ones. Returns the first. */
  take(cells: number): number {
    const first = this.#firstFree
    let last = first
    for (let k = 1; k < cells; k++) last = this.#next[last]!
    this.#firstFree = this.#next[last]!
    this.#next[last] = -1
    this.free -= cells
    return first
  }

  /** Gives a stretch of so many cells back. */
  giveBack(first: number, cells: number): void {
    let last = first
    for (let k = 1; k < cells; k++) last = this.#next[last]!
    this.#next[last] = this.#firstFree
    this.#firstFree = first
    this.free += cells
  }

  /** Reading or writing starts at the beginning of a stretch. */
  open(first: number): void {
    this.#at = first * cellBytes
  }

  /** Writes from[at .. at + length). */
  write(from: Uint8Array, at: number, length: number): void {
    const bytes = this.#bytes
    for (let source = at, left = length; left > 0;) {
      let to = this.#at
      const run = Math.min(left, cellBytes - (to & (cellBytes - 1)))
      for (const stop = to + run; to < stop;) bytes[to++] = from[source++]!
      left -= run
      this.#step(to)
    }
  }

  /** Reads into to[at .. at + length). */
  read(to: Uint8Array, at: number, length: number): void {
    const bytes = this.#bytes
    for (let target = at, left = length; left > 0;) {
      let from = this.#at
      const run = Math.min(left, cellBytes - (from & (cellBytes - 1)))
      for (const stop = from + run; from < stop;) to[target++] = bytes[from++]!
      left -= run
      this.#step(from)
    }
  }

  /** Returns true if the next bytes are other[0 .. length), and moves on behind them. */
  matches(other: Uint8Array, length: number): boolean {
    const bytes = this.#bytes
    for (let at = 0; at < length;) {
      let from = this.#at
      const run = Math.min(length - at, cellBytes - (from & (cellBytes - 1)))
      for (const stop = from + run; from < stop;) if (bytes[from++] !== other[at++]) return false
      this.#step(from)
    }
    return true
  }

  /** All cells are free again. */
  clear(): void {
    this.free = this.#next.length
    this.#freeAll()
  }

  #freeAll(): void {
    for (let cell = 0; cell < this.#next.length; cell++) this.#next[cell] = cell + 1
    this.#firstFree = 0
  }

  /** Goes on at this place, or in the cell that follows when one is at its end. */
  #step(at: number): void {
    this.#at = (at & (cellBytes - 1)) === 0 ? this.#next[at / cellBytes - 1]! * cellBytes : at
  }
}
