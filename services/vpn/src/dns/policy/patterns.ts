import { Meaning } from './membership.ts'
import { endByte, endSymbol, startByte, startSymbol, symbolCount, symbolOf } from './name-symbols.ts'
import {
  PatternHead,
  PatternKind,
  patternMagic,
  PatternRecord,
  patternRecordWords,
  PatternStart,
  mixPart,
  partSlot,
} from './pattern-layout.ts'

/** Matches names against all patterns of all lists. */
export interface PatternMatcher {
  /**
   * Adds to `found` (sets of lists, as a class has; the first four and `Meaning.conditional`) what patterns say of the name. Allocates nothing and
   * takes time in proportion to the name's length.
   *
   * @param name lower-case text with dots, without a final one
   */
  match(name: Uint8Array, length: number, found: Uint32Array): void
}

/** A pattern that matches a name. */
export interface PatternMatch {
  /** As it stands in the list, without `@@` and modifiers. */
  readonly text: string
  /** One of `Meaning`'s first four. */
  readonly meaning: number
  /** The list's number. */
  readonly list: number
}

/** Gets a program ready to match; see `createPatternProgram`. An empty one matches nothing. */
export function createPatternMatcher(program: Int32Array): PatternMatcher {
  if (program.length === 0) return { match: () => undefined }
  return new Matcher(program)
}

/** Every pattern that matches the name, with each of its lists. For explanations only, because it allocates. */
export function explainPatterns(program: Int32Array, name: Uint8Array, length: number): PatternMatch[] {
  if (program.length === 0) return []
  return new Matcher(program).explain(name, length)
}

/** Patterns that are tried one by one, in the order in which they were added to their program. */
export class PatternList {
  readonly #matcher: Matcher | undefined

  constructor(program: Int32Array) {
    this.#matcher = program.length === 0 ? undefined : new Matcher(program)
  }

  /** Returns true if the pattern at this place matches the name. Allocates nothing. */
  fits(place: number, name: Uint8Array, length: number): boolean {
    return this.#matcher !== undefined && this.#matcher.fits(place, name, length)
  }
}

const dot = 46

class Matcher implements PatternMatcher {
  readonly #program: Int32Array
  readonly #bytes: Uint8Array
  readonly #records: number
  readonly #parts: number
  readonly #bits: number
  readonly #mask: number
  readonly #always: number
  /** A bit for each fixed part, so that most of a name needs no look into the table: it stays in the processor's cache. */
  readonly #sieve = new Uint8Array(8192)
  /** Places of the automaton that are reached, and those that are next. */
  #now: Int32Array
  #next: Int32Array
  /** The name at hand. */
  #name: Uint8Array = new Uint8Array(0)
  #length = 0

  constructor(program: Int32Array) {
    if (program[PatternHead.magic] !== patternMagic) throw new Error('this is no program of patterns')
    const at = program.byteOffset + program[PatternHead.bytes]! * 4
    this.#program = program
    this.#bytes = new Uint8Array(program.buffer, at, program.byteOffset + program.byteLength - at)
    this.#records = program[PatternHead.records]!
    this.#parts = program[PatternHead.parts]!
    this.#bits = program[PatternHead.partsBits]!
    this.#mask = 2 ** this.#bits - 1
    this.#always = program[PatternHead.always]!
    this.#now = new Int32Array(program[PatternHead.width]!)
    this.#next = new Int32Array(program[PatternHead.width]!)
    for (let slot = 0; slot <= this.#mask; slot++) {
      if (program[this.#parts + 2 * slot + 1] === 0) continue
      const mixed = mixPart(program[this.#parts + 2 * slot]!)
      this.#sieve[mixed >>> 19]! |= 1 << ((mixed >>> 16) & 7)
    }
  }

  match(name: Uint8Array, length: number, found: Uint32Array): void {
    this.#name = name
    this.#length = length
    this.#try(this.#always, found)
    const sieve = this.#sieve
    // The last four bytes, with a dot before the name and its end behind it.
    let four = startByte
    for (let k = 0; k <= length; k++) {
      four = (four << 8) | (k < length ? name[k]! : endByte)
      const mixed = mixPart(four)
      if ((sieve[mixed >>> 19]! & (1 << ((mixed >>> 16) & 7))) === 0) continue
      const patterns = this.#listed(four)
      if (patterns !== 0) this.#try(patterns, found)
    }
  }

  fits(place: number, name: Uint8Array, length: number): boolean {
    this.#name = name
    this.#length = length
    return this.#fits(this.#records + place * patternRecordWords)
  }

  explain(name: Uint8Array, length: number): PatternMatch[] {
    this.#name = name
    this.#length = length
    const program = this.#program
    const matches: PatternMatch[] = []
    for (let index = 0; index < program[PatternHead.patterns]!; index++) {
      const record = this.#records + index * patternRecordWords
      if (!this.#fits(record)) continue
      const at = program[record + PatternRecord.text]!
      const text = new TextDecoder().decode(this.#bytes.slice(at, at + program[record + PatternRecord.textLength]!))
      for (let meaning = 0; meaning < 4; meaning++) {
        const lists = program[record + PatternRecord.sets + meaning]!
        for (let list = 0; list < 32; list++) if ((lists & (1 << list)) !== 0) matches.push({ text, meaning, list })
      }
    }
    return matches
  }

  /** Returns the position of the list of patterns with these four bytes; 0 for none. */
  #listed(four: number): number {
    const program = this.#program
    for (let slot = partSlot(four, this.#bits); ; slot = (slot + 1) & this.#mask) {
      const at = program[this.#parts + 2 * slot + 1]!
      if (at === 0 || program[this.#parts + 2 * slot] === four) return at
    }
  }

  #try(listed: number, found: Uint32Array): void {
    const program = this.#program
    const end = listed + program[listed]!
    for (let k = listed + 1; k <= end; k++) {
      const record = this.#records + program[k]! * patternRecordWords
      const sets = record + PatternRecord.sets
      const isNewMatch =
        (program[sets]! & ~found[0]!) |
        (program[sets + 1]! & ~found[1]!) |
        (program[sets + 2]! & ~found[2]!) |
        (program[sets + 3]! & ~found[3]!) |
        (program[sets + 4]! & ~found[Meaning.conditional]!)
      if (isNewMatch === 0 || !this.#fits(record)) continue
      for (let meaning = 0; meaning < 4; meaning++) found[meaning]! |= program[sets + meaning]!
      found[Meaning.conditional]! |= program[sets + 4]!
    }
  }

  #fits(record: number): boolean {
    const kind = this.#program[record + PatternRecord.kind]
    if (kind === PatternKind.texts) return this.#fitsTexts(record)
    return kind === PatternKind.every || this.#fitsExpression(record)
  }

  /** Takes each text at the first place behind the one before it: that leaves the most for those that follow. */
  #fitsTexts(record: number): boolean {
    const program = this.#program
    const data = program[record + PatternRecord.data]!
    const last = program[record + PatternRecord.count]! - 1
    let from = 0
    for (let k = 0; k <= last; k++) {
      const start = k === 0 ? program[record + PatternRecord.start]! : PatternStart.anywhere
      const isAtEnd = k === last && program[record + PatternRecord.end] === 1
      const size = program[data + 2 * k + 1]!
      const first = isAtEnd ? Math.max(from, this.#length - size) : from
      const found = this.#find(program[data + 2 * k]!, size, first, start)
      if (found === -1) return false
      from = found + size
    }
    return true
  }

  /** The first place from `from` on where the text is and may begin; -1 for none. */
  #find(text: number, size: number, from: number, start: number): number {
    const name = this.#name
    const bytes = this.#bytes
    const lastPlace = start === PatternStart.name ? 0 : this.#length - size
    for (let place = from; place <= lastPlace && place + size <= this.#length; place++) {
      if (start === PatternStart.label && place > 0 && name[place - 1] !== dot) continue
      let k = 0
      while (k < size && name[place + k] === bytes[text + k]) k++
      if (k === size) return place
    }
    return -1
  }

  #fitsExpression(record: number): boolean {
    const program = this.#program
    const width = program[record + PatternRecord.count]!
    const automaton = program[record + PatternRecord.data]!
    const isAnchored = program[record + PatternRecord.start] === PatternStart.name
    if (width === 1) return this.#fitsNarrow(automaton, isAnchored)
    this.#now.fill(0)
    if (this.#step(automaton, width, startSymbol)) return true
    for (let k = 0; k < this.#length; k++) if (this.#step(automaton, width, symbolOf[this.#name[k]!]!)) return true
    return this.#step(automaton, width, endSymbol)
  }

  /** As the other way, for the many expressions of at most 32 places: their set of places is one word. */
  #fitsNarrow(automaton: number, isAnchored: boolean): boolean {
    const program = this.#program
    const name = this.#name
    const first = program[automaton]!
    const last = program[automaton + 1]!
    const symbols = automaton + 2
    const follow = symbols + symbolCount
    let now = first & program[symbols + startSymbol]!
    for (let k = 0; (now & last) === 0; k++) {
      if (k > this.#length || (isAnchored && now === 0)) return false
      let next = first
      for (; now !== 0; now &= now - 1) next |= program[follow + 31 - Math.clz32(now & -now)]!
      now = next & program[symbols + (k < this.#length ? symbolOf[name[k]!]! : endSymbol)]!
    }
    return true
  }

  /** Goes on by one symbol, and begins again at it; whether an end is reached. */
  #step(automaton: number, width: number, symbol: number): boolean {
    const program = this.#program
    const [now, next] = [this.#now, this.#next]
    const follow = automaton + (2 + symbolCount) * width
    for (let word = 0; word < width; word++) next[word] = program[automaton + word]!
    for (let word = 0; word < width; word++) {
      for (let bits = now[word]!; bits !== 0; bits &= bits - 1) {
        const place = word * 32 + (31 - Math.clz32(bits & -bits))
        for (let k = 0; k < width; k++) next[k]! |= program[follow + place * width + k]!
      }
    }
    let ends = 0
    for (let word = 0; word < width; word++) {
      next[word]! &= program[automaton + (2 + symbol) * width + word]!
      ends |= next[word]! & program[automaton + width + word]!
    }
    this.#now = next
    this.#next = now
    return ends !== 0
  }
}
