import type { NameSeeds } from './name-hash.ts'

/**
 * Domain names as one open-addressing table of hashes, 8 bytes a slot, in memory all threads share and as it lies on disk. A
 * slot holds the second lane (32 bits), the upper half of the first and a class: what lists say of the name, see
 * `membership.ts`. The place implies most of the rest of the first lane, so about 64 bits decide.
 */
export interface SuffixTable {
  /** Two words a slot: upper half of the first lane with the class below it, then the second lane. Class 0 is a free slot. */
  readonly words: Uint32Array
  /** The table has 2 ** bits slots. */
  readonly bits: number
  readonly seeds: NameSeeds
}

/** Slots for so many names: at most 72 in 100 are taken. */
export function tableBits(names: number): number {
  let bits = 10
  while (2 ** bits * 0.72 < names) bits++
  return bits
}

/**
 * Puts a name in. A name that is there gets the class `combine` makes of its own and the new one. Returns true when the name
 * is new. The caller leaves room: a full table would never end.
 */
export function insertName(
  table: SuffixTable,
  name: { readonly lane1: number; readonly lane2: number; readonly class: number },
  combine: (known: number, added: number) => number,
): boolean {
  const { words } = table
  const mask = (1 << table.bits) - 1
  const tag = (name.lane1 & 0xffff_0000) | 0
  for (let slot = name.lane1 & mask; ; slot = (slot + 1) & mask) {
    const low = words[2 * slot]! | 0
    if (low === 0) {
      words[2 * slot] = tag | name.class
      words[2 * slot + 1] = name.lane2
      return true
    }
    if ((low & 0xffff_0000) === tag && (words[2 * slot + 1]! | 0) === (name.lane2 | 0)) {
      words[2 * slot] = tag | combine(low & 0xffff, name.class)
      return false
    }
  }
}

/** The class of the name with these (finished) lanes; 0 for none. */
export function findName(words: Uint32Array, mask: number, lane1: number, lane2: number): number {
  const tag = (lane1 & 0xffff_0000) | 0
  for (let slot = lane1 & mask; ; slot = (slot + 1) & mask) {
    const low = words[2 * slot]! | 0
    if (low === 0) return 0
    if ((words[2 * slot + 1]! | 0) === lane2 && (low & 0xffff_0000) === tag) return low & 0xffff
  }
}
