import type { DatabaseSync } from 'node:sqlite'
import { UsedNumbers } from './used-numbers.ts'

const newLine = 10
const space = 32
const dot = 46
const namesPerRead = 20_000
const rememberedSearches = 16
const leaps = 8000

/** Found names, and the number of names searched. */
interface Search {
  readonly found: UsedNumbers
  upTo: number
}

/**
 * All names of the log in one piece of memory, to be looked through for a part of a name: a few milliseconds for some hundred
 * thousand. Read when first needed, and after that what is new.
 */
export class NameTexts {
  #database: DatabaseSync | undefined
  #bytes = new Uint8Array(1 << 16)
  #used = 0
  /** The number of each name and the start of its text, by position; a text ends where the next begins. */
  #ids = new Uint32Array(1 << 12)
  #starts = new Uint32Array(1 << 12)
  #count = 0
  #lastId = 0
  readonly #searches = new Map<string, Search>()

  /** The file as it is open now; names with greater numbers than those known may have come. */
  use(database: DatabaseSync): void {
    this.#database = database
  }

  /** The greatest number a name has. */
  greatest(): number {
    const row = this.#database?.prepare('SELECT max(id) AS id FROM name').get() as { id: number | null } | undefined
    return row?.id ?? 0
  }

  /** The texts of names, by number. */
  textsOf(ids: Iterable<number>): Map<number, string> {
    const find = this.#database!.prepare('SELECT text FROM name WHERE id = ?')
    const texts = new Map<number, string>()
    for (const id of ids) {
      if (texts.has(id)) continue
      texts.set(id, (find.get(id) as { text: string } | undefined)?.text ?? '')
    }
    return texts
  }

  /** The numbers of names that hold this text; it is to be lower case. Remembered for a few texts. */
  containing(part: string): UsedNumbers {
    this.#read()
    const known = this.#searches.get(part) ?? { found: new UsedNumbers(this.#lastId), upTo: 0 }
    this.#searches.delete(part)
    this.#searches.set(part, known)
    if (this.#searches.size > rememberedSearches) this.#searches.delete(this.#searches.keys().next().value!)
    known.found.reserve(this.#lastId)
    this.#search(new TextEncoder().encode(part), known)
    return known.found
  }

  /** The numbers of the names below a domain, and of the domain itself unless only what is below is wanted. */
  under(domain: string, belowOnly: boolean): UsedNumbers {
    this.#read()
    const wanted = new TextEncoder().encode(domain)
    const found = new UsedNumbers(this.#lastId)
    const bytes = this.#bytes
    for (let n = 0; n < this.#count; n++) {
      const start = this.#starts[n]!
      const at = this.#endOf(n) - wanted.length
      if (at < start || (at === start ? belowOnly : bytes[at - 1] !== dot)) continue
      let k = 0
      while (k < wanted.length && bytes[at + k] === wanted[k]) k++
      if (k === wanted.length) found.add(this.#ids[n]!)
    }
    return found
  }

  #search(wanted: Uint8Array, known: Search): void {
    const from = this.#leap(wanted, known)
    const bytes = this.#bytes
    const { length } = wanted
    const first = wanted[0]
    for (let n = from; n < this.#count; n++) {
      const end = this.#endOf(n) - length
      for (let at = this.#starts[n]!; at <= end; at++) {
        if (first !== undefined && bytes[at] !== first) continue
        let k = 1
        while (k < length && bytes[at + k] === wanted[k]) k++
        if (k < length) continue
        known.found.add(this.#ids[n]!)
        break
      }
    }
    known.upTo = this.#count
  }

  /**
   * Leaps from hit to hit, which is fastest as long as hits are few. Returns the position of the name to go on from, one by
   * one, when there were many.
   */
  #leap(wanted: Uint8Array, known: Search): number {
    if (wanted.length === 0 || known.upTo === this.#count) return known.upTo
    const bytes = Buffer.from(this.#bytes.buffer, 0, this.#used)
    let name = known.upTo
    for (let hits = 0; hits < leaps; hits++) {
      const at = bytes.indexOf(wanted, this.#starts[name])
      if (at < 0) return this.#count
      name = this.#positionOf(at)
      if (at + wanted.length <= this.#endOf(name)) known.found.add(this.#ids[name]!)
      // What begins in one name and ends in the next is no hit; the name is examined again from behind it.
      else if (bytes.subarray(at + 1, this.#endOf(name)).includes(wanted)) known.found.add(this.#ids[name]!)
      name += 1
      if (name === this.#count) return name
    }
    return name
  }

  #endOf(position: number): number {
    return position + 1 < this.#count ? this.#starts[position + 1]! : this.#used
  }

  /** The position of the name in which a byte lies. */
  #positionOf(at: number): number {
    let [low, high] = [0, this.#count - 1]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Reads what is new: thousands of names in one text, because a row costs more than a name. */
  #read(): void {
    const read = this.#database!.prepare(
      `SELECT group_concat(id || ' ' || text || char(10), '') AS text, max(id) AS last
         FROM (SELECT id, text FROM name WHERE id > ? ORDER BY id LIMIT ${namesPerRead})`,
    )
    for (;;) {
      const { text, last } = read.get(this.#lastId) as { text: string | null; last: number | null }
      if (text === null || last === null) return
      this.#take(Buffer.from(text, 'latin1'))
      this.#lastId = last
    }
  }

  #take(text: Uint8Array): void {
    if (this.#used + text.length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + text.length))
      wider.set(this.#bytes)
      this.#bytes = wider
    }
    let at = 0
    while (at < text.length) {
      let id = 0
      for (; text[at] !== space; at++) id = id * 10 + text[at]! - 48
      at += 1
      if (this.#count === this.#ids.length) this.#widen()
      this.#ids[this.#count] = id
      this.#starts[this.#count] = this.#used
      this.#count += 1
      for (; text[at] !== newLine; at++) this.#bytes[this.#used++] = text[at]!
      at += 1
    }
  }

  #widen(): void {
    const wide = (array: Uint32Array<ArrayBuffer>) => {
      const wider = new Uint32Array(array.length * 2)
      wider.set(array)
      return wider
    }
    this.#ids = wide(this.#ids)
    this.#starts = wide(this.#starts)
  }
}
