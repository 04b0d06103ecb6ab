import { finish } from './name-hash.ts'

/** Begin of the memory of a table. */
export const magic = 0x4c44_4c31 // "LDL1"
/** Words before the slots, and what they hold. */
export const headerWords = 13
export const Head = {
  magic: 0,
  names: 1,
  bits: 2,
  wildcards: 3,
  seed1: 4,
  seed2: 5,
  denied: 6,
  gateways: 7,
  /** Slots that were ever taken. */
  taken: 8,
  /** The next free word for records, and the next free byte for their data. */
  recordsEnd: 9,
  dataEnd: 10,
  /** First byte of the data. */
  dataAt: 11,
  /** 1 when two names are equal: then none of them can be taken out. */
  hasEqual: 12,
} as const
/** Words of a slot: the lanes of the name, which kind of name it is, and the position of its records. */
export const slotWords = 4
/** The kinds from `safe` on stand for the bits of `Safety`; any other is a gateway's address, whose clients the records are for. */
export const Kind = { exact: 1, below: 2, safe: 3 } as const
/** Kind of a slot whose name was taken out. */
export const goneKind = 0xffff_ffff

/** Words of a record, and what they hold. A name's number of records stands before its first. */
export const RecordWord = { type: 0, ttl: 1, dataAt: 2, dataLength: 3, count: 4 } as const

/** A record of a name, its data in wire form. */
export interface OwnedRecord {
  readonly type: number
  readonly ttl: number
  readonly data: Uint8Array
}

/** A name with its records, in the order of types, ready to be laid into a table. */
export interface OwnerEntry {
  readonly lane1: number
  readonly lane2: number
  readonly kind: number
  readonly records: readonly OwnedRecord[]
}

/** The slot at which the search for a name begins, before it is cut to the number of slots. */
export const place = (kind: number, lane1: number): number => finish(lane1 ^ Math.imul(kind, 0x9e37_79b1))
