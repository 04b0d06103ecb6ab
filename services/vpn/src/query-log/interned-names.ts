import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { step1, step2 } from '../dns/policy/name-hash.ts'
import type { UsedNumbers } from './used-numbers.ts'

/** Places of the table in memory, a power of two; three quarters of them are used. */
const places = 1 << 18
const most = (places * 3) / 4
/** From this number on, numbers that became free are reused, so that sets of them stay small. */
export const reuseFrom = 1 << 22

/**
 * The numbers of names. What was used lately is found in memory by its hash, without a string being made; the table is bounded
 * and begins again when it is full. The rest is found in the file.
 */
export class InternedNames {
  readonly #find: StatementSync
  readonly #insert: StatementSync
  readonly #greatest: StatementSync
  readonly #seed1: number
  readonly #seed2: number
  readonly #slots = new Uint32Array(places * 3)
  #used = 0
  #next = 0
  /** Free numbers, which are assigned first, the last one first. */
  #free: number[] = []
  #sweep: UsedNumbers | undefined
  /** A number was given to another name since this was last set to false: who knows names by number has to read them again. */
  hasReused = false

  constructor(database: DatabaseSync) {
    const { seed1, seed2 } = database.prepare('SELECT seed1, seed2 FROM state').get() as {
      seed1: number
      seed2: number
    }
    this.#seed1 = seed1 | 0
    this.#seed2 = seed2 | 0
    this.#find = database.prepare('SELECT id, text FROM name WHERE hash = ?')
    this.#insert = database.prepare('INSERT INTO name (id, hash, text) VALUES (?, ?, ?)')
    this.#greatest = database.prepare('SELECT max(id) AS id FROM name')
    this.forget()
  }

  /** The number of a name, now used by an entry. */
  idOf(name: Uint8Array, length: number): number {
    let lane1 = this.#seed1
    let lane2 = this.#seed2
    for (let k = 0; k < length; k++) {
      const byte = name[k]!
      lane1 = step1(lane1, byte)
      lane2 = step2(lane2, byte)
    }
    lane1 >>>= 0
    lane2 >>>= 0
    const slots = this.#slots
    let place = ((lane1 ^ (lane1 >>> 15)) & (places - 1)) * 3
    while (slots[place + 2] !== 0) {
      if (slots[place] === lane1 && slots[place + 1] === lane2) break
      place = place + 3 === slots.length ? 0 : place + 3
    }
    const known = slots[place + 2]!
    const id = known === 0 ? this.#look(lane1, lane2, textOfName(name, length)) : known
    if (known === 0) {
      slots[place] = lane1
      slots[place + 1] = lane2
      slots[place + 2] = id
      this.#used += 1
      if (this.#used > most) this.#empty()
    }
    this.#sweep?.add(id)
    return id
  }

  /** The file may have changed under it, by a transaction that was undone or by a sweep. */
  forget(): void {
    this.#empty()
    this.#free = []
    this.#next = ((this.#greatest.get() as { id: number | null }).id ?? 0) + 1
  }

  /** Records used numbers in `sweep` from now on; undefined ends that. */
  noteIn(sweep: UsedNumbers | undefined): void {
    this.#sweep = sweep
  }

  /** These numbers stand for nothing any more and may be reused, so that numbers stay small. */
  offer(free: number[]): void {
    this.#free = free
  }

  #empty(): void {
    // A table that nothing was written to takes no memory until the first entry.
    if (this.#used > 0) this.#slots.fill(0)
    this.#used = 0
  }

  #look(lane1: number, lane2: number, text: string): number {
    // 53 bits: exact in a number.
    const hash = lane1 * 2 ** 21 + (lane2 >>> 11)
    const found = (this.#find.all(hash) as unknown as { id: number; text: string }[]).find((row) => row.text === text)
    if (found !== undefined) return found.id
    const free = this.#next < reuseFrom ? undefined : this.#free.pop()
    if (free === undefined) this.#next += 1
    else this.hasReused = true
    const id = free ?? this.#next - 1
    this.#insert.run(id, hash, text)
    return id
  }
}

const dot = 46
const backslash = 92

/**
 * A name in wire form as text: labels between dots, no final dot, `.` for the root. A byte that is no visible ASCII character
 * is written `\DDD`, a dot or backslash inside a label with a backslash before it (RFC 1035, 5.1).
 */
export function textOfName(wire: Uint8Array, length: number): string {
  let text = ''
  for (let at = 0; at < length && wire[at]! > 0; at += wire[at]! + 1) {
    if (text !== '') text += '.'
    const end = Math.min(length, at + 1 + wire[at]!)
    for (let k = at + 1; k < end; k++) text += character(wire[k]!)
  }
  return text === '' ? '.' : text
}

function character(byte: number): string {
  if (byte === dot || byte === backslash) return `\\${String.fromCharCode(byte)}`
  if (byte > 32 && byte < 127) return String.fromCharCode(byte)
  return `\\${String(byte).padStart(3, '0')}`
}
