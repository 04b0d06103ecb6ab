import { Meaning } from './membership.ts'

/**
 * Layout of patterns in their program, in words of 32 bits: a header, a record for each pattern, the table of fixed parts, the
 * lists of patterns it leads to, automatons, and at the end the bytes of all texts.
 */
export const patternMagic = 0x4850_4132

/** Words of the head of a pattern program. */
export const PatternHead = {
  magic: 0,
  patterns: 1,
  records: 2,
  /** The table of fixed parts has 2 ** bits slots of two words: four bytes, and where the patterns with them are listed. */
  partsBits: 3,
  parts: 4,
  /** Patterns without a fixed part, which are tried on every name: where they are listed. */
  always: 5,
  /** Widest automaton, in words a set. */
  width: 6,
  bytes: 7,
} as const
export const patternHeadWords = 8

/** One pattern. Places of bytes count from the header's `bytes`. */
export const PatternRecord = {
  /** A sequence of texts (0), an expression (1), or one that matches every name (2). */
  kind: 0,
  /** Beginning of a match: anywhere (0), with the name (1), with a label (2). */
  start: 1,
  /** True if the last text must end with the name. */
  end: 2,
  /** Texts: how many; each is two words, place and length. Expressions: words a set. */
  count: 3,
  /** Position of the texts' places, or of the automaton. */
  data: 4,
  /** The pattern as it was written. */
  text: 5,
  textLength: 6,
  /** Four sets of lists, in the order of `Meaning`, and the lists that have a rule with modifiers about the pattern. */
  sets: 7,
} as const
export const patternRecordWords = 12

/** Place of a meaning's set behind `PatternRecord.sets`. */
export const patternSet = (meaning: number): number => (meaning === Meaning.conditional ? 4 : meaning)

/** Sets a pattern has. */
export const patternSets = 5

export const PatternKind = { texts: 0, expression: 1, every: 2 } as const
export const PatternStart = { anywhere: 0, name: 1, label: 2 } as const

/** Spreads four bytes over a word; its upper bits are the best. */
export const mixPart = (four: number): number => Math.imul(four ^ (four >>> 15), 0x9e37_79b1)

/** Place of four bytes in the table of fixed parts. */
export const partSlot = (four: number, bits: number): number => mixPart(four) >>> (32 - bits)
