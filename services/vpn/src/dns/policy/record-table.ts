import type { NameSeeds } from './name-hash.ts'
import { Head, headerWords, Kind, magic, place, RecordWord, slotWords } from './record-layout.ts'
import { safetyBits } from './safe-search.ts'

/** Records of the operator, hashed by name. Nothing in here allocates. */
export class RecordTable {
  /** Number of names that have records, and of those above them that exist therefore; without those of safe search. */
  readonly count: number
  readonly seeds: NameSeeds
  /** `RecordWord` says what stands where. */
  readonly words: Uint32Array
  /** Position of the records that stand for names which do not exist; 0 when there are none. */
  readonly denied: number
  /** The same memory; the data of records. */
  readonly bytes: Uint8Array
  /** The label that the name of the records last found begins with: 0 for the name itself, otherwise a wildcard's. */
  label = 0
  readonly #hasWildcards: boolean
  readonly #hasGateways: boolean
  readonly #mask: number

  constructor(memory: SharedArrayBuffer) {
    const words = new Uint32Array(memory)
    if (words.length < headerWords || words[Head.magic] !== magic) throw new Error('this is no table of local records')
    const slots = 2 ** words[Head.bits]!
    if (words.length < headerWords + slots * slotWords) throw new Error('the table of local records is cut off')
    this.words = words
    this.bytes = new Uint8Array(memory)
    this.count = words[Head.names]!
    this.denied = words[Head.denied]!
    this.seeds = { first: words[Head.seed1]! | 0, second: words[Head.seed2]! | 0 }
    this.#hasWildcards = words[Head.wildcards]! !== 0
    this.#hasGateways = words[Head.gateways]! !== 0
    this.#mask = slots - 1
  }

  /**
   * Returns the position in `words` of the records for a name of so many labels, by the lanes of it and its parents: its own, or
   * those of the closest wildcard above it; 0 for none. A name that exists only because of one below it has no records. Records
   * for clients of this gateway come first; 0 for no gateway.
   */
  find(lanes1: Int32Array, lanes2: Int32Array, labels: number, gateway: number): number {
    this.label = 0
    if (labels === 0) return 0
    if (gateway !== 0 && this.#hasGateways) {
      const there = this.#find(gateway, lanes1[0]!, lanes2[0]!)
      if (there !== 0) return there
    }
    const own = this.#find(Kind.exact, lanes1[0]!, lanes2[0]!)
    if ((own !== 0 && this.words[own] !== 0) || !this.#hasWildcards) return own
    for (let label = 1; label < labels; label++) {
      const at = this.#find(Kind.below, lanes1[label]!, lanes2[label]!)
      if (at === 0) continue
      this.label = label
      return at
    }
    return own
  }

  /**
   * Returns the position in `words` of the alias that safe search has for the name with these lanes; 0 for none. `safety` are the
   * bits of `Safety` that hold.
   */
  findSafe(safety: number, lane1: number, lane2: number): number {
    for (let bit = 0; bit < safetyBits; bit++) {
      if (((safety >>> bit) & 1) === 0) continue
      const at = this.#find(Kind.safe + bit, lane1, lane2)
      if (at !== 0) return at
    }
    return 0
  }

  /** Returns true if a name that `find` found has no records itself. */
  isEmpty(records: number): boolean {
    return records !== 0 && this.words[records] === 0
  }

  /** Returns the position in `words` of the first record of a type among those at `records`; 0 for none. They lie in the order of types. */
  first(records: number, type: number): number {
    const { words } = this
    const end = records + 1 + words[records]! * RecordWord.count
    for (let at = records + 1; at < end; at += RecordWord.count) if (words[at + RecordWord.type] === type) return at
    return 0
  }

  /** Returns the number of records of a type from the first on. */
  run(records: number, first: number): number {
    const { words } = this
    const end = records + 1 + words[records]! * RecordWord.count
    let at = first
    while (at < end && words[at + RecordWord.type] === words[first + RecordWord.type]) at += RecordWord.count
    return (at - first) / RecordWord.count
  }

  #find(kind: number, lane1: number, lane2: number): number {
    const { words } = this
    for (let slot = place(kind, lane1) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = headerWords + slot * slotWords
      if (words[at + 2] === 0) return 0
      if ((words[at]! | 0) === lane1 && (words[at + 1]! | 0) === lane2 && (words[at + 2]! | 0) === kind)
        return words[at + 3]!
    }
  }
}

/** Opens a table of records. Throws when the memory holds none, or only a part of one. */
export const openRecordTable = (memory: SharedArrayBuffer): RecordTable => new RecordTable(memory)
