import { wireName } from '../wire/wire-name.ts'
import { hashDomain } from './domain-hash.ts'
import { gatewayNumber } from './gateway-number.ts'
import { isInLocalZone } from './local-zones.ts'
import { type NameSeeds, finish } from './name-hash.ts'
import { safeEntries, safetyBits } from './safe-search.ts'

/** A local record; the same as `ResolverRecord`. */
export interface LocalRecord {
  /** Lower case, punycode, without a leading `*.` and a final dot. */
  readonly domain: string
  /** `*.domain`: all names below it that have no records themselves. */
  readonly belowOnly: boolean
  /** DNS type. */
  readonly type: number
  /** Seconds. */
  readonly ttl: number
  /** Data in wire form, as hexadecimal digits. */
  readonly data: string
  /** Only for clients with this gateway, for whom it stands in place of the name's other records; missing for everyone. */
  readonly gateway?: string
}

const magic = 0x4c44_4c31 // "LDL1"
const headerWords = 13
const Head = {
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
const slotWords = 4
/** The kinds from `safe` on stand for the bits of `Safety`; any other is a gateway's address, whose clients the records are for. */
const Kind = { exact: 1, below: 2, safe: 3 } as const
/** Kind of a slot whose name was taken out. */
const goneKind = 0xffff_ffff

/** Words of a record, and what they hold. A name's number of records stands before its first. */
export const RecordWord = { type: 0, ttl: 1, dataAt: 2, dataLength: 3, count: 4 } as const

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

/** A name with its records. */
interface OwnerName {
  readonly domain: string
  readonly belowOnly: boolean
  readonly records: readonly OwnedRecord[]
  /** Only for clients with this gateway; missing for everyone. */
  readonly gateway?: string | undefined
}

/** Hashes a name; undefined for what is no domain name. One for all names below without records says that there are none. */
export function ownerEntry(owner: OwnerName, seeds: NameSeeds): OwnerEntry | undefined {
  const lanes = hashDomain(owner.domain, seeds)
  if (lanes === undefined) return undefined
  const records = owner.records.toSorted((one, other) => one.type - other.type)
  const gateway = gatewayNumber(owner.gateway)
  return { ...lanes, kind: gateway || (owner.belowOnly ? Kind.below : Kind.exact), records }
}

/** A table without names. */
export const emptyRecordTable = (seeds: NameSeeds): SharedArrayBuffer => layRecords([], seeds)

/** Makes the table for names hashed with these seeds: the bundle's, and adds safe search. What is no domain name is left out. */
export const buildRecordTable = (records: readonly LocalRecord[], seeds: NameSeeds): SharedArrayBuffer =>
  layRecords(
    [...namesOf(records).flatMap((name) => ownerEntry(name, seeds) ?? []), ...safeEntries(seeds, Kind.safe)],
    seeds,
  )

/** Words and bytes of data that a table with spare room has for each name more: one with two addresses. */
const spareRoom = { words: 1 + 2 * RecordWord.count, bytes: 64 } as const

/**
 * Makes the table of names that were hashed with these seeds. Of equal names the first counts. `changeRecords` can add about
 * `spare` names to it.
 */
export function layRecords(names: readonly OwnerEntry[], seeds: NameSeeds, spare = 0): SharedArrayBuffer {
  const bits = Math.max(2, Math.ceil(Math.log2(names.length + spare + 1)) + 1)
  const recordsAt = headerWords + 2 ** bits * slotWords
  let [count, size, wildcards, safe, gateways] = [0, 0, 0, 0, 0]
  for (const { kind, records } of names) {
    count += records.length
    if (kind === Kind.below) wildcards += 1
    if (kind >= Kind.safe && kind < Kind.safe + safetyBits) safe += 1
    else if (kind !== Kind.exact && kind !== Kind.below) gateways += 1
    for (const { data } of records) size += data.length
  }
  const dataAt = 4 * (recordsAt + names.length + count * RecordWord.count + spare * spareRoom.words)
  const memory = new SharedArrayBuffer(dataAt + 4 * Math.ceil((size + spare * spareRoom.bytes) / 4))
  const words = new Uint32Array(memory)
  words.set([magic, names.length - safe, bits, wildcards, seeds.first, seeds.second, 0, gateways])
  words[Head.recordsEnd] = recordsAt
  words[Head.dataEnd] = dataAt
  words[Head.dataAt] = dataAt
  const bytes = new Uint8Array(memory)
  for (const name of names) layName({ words, bytes }, name)
  return memory
}

/** Changes of a table: names that leave it as they were laid, and names that come. */
export interface RecordChange {
  readonly removed: readonly OwnerEntry[]
  readonly added: readonly OwnerEntry[]
}

/**
 * Returns a changed copy of a table that has neither wildcards nor names of gateways among the changes; undefined when there is
 * no room, or the names would not be told apart: then it must be laid again.
 */
export function changeRecords(
  memory: SharedArrayBuffer,
  { removed, added }: RecordChange,
): SharedArrayBuffer | undefined {
  const isOther = ({ kind }: OwnerEntry) => kind !== Kind.exact
  if (removed.some(isOther) || added.some(isOther)) return undefined
  const copy = new SharedArrayBuffer(memory.byteLength)
  const table = { words: new Uint32Array(copy), bytes: new Uint8Array(copy) }
  const { words } = table
  words.set(new Uint32Array(memory))
  if (words[Head.hasEqual] !== 0) return undefined
  for (const name of removed) {
    const at = slotOf(words, name)
    if (words[at + 2] === 0) return undefined
    words[at + 2] = goneKind
  }
  for (const name of added) {
    if (!hasRoom(table, name)) return undefined
    layName(table, name)
    if (words[Head.hasEqual] !== 0) return undefined
  }
  words[Head.names] = words[Head.names]! + added.length - removed.length
  return copy
}

interface TableMemory {
  readonly words: Uint32Array
  readonly bytes: Uint8Array
}

function hasRoom({ words, bytes }: TableMemory, { records }: OwnerEntry): boolean {
  const size = records.reduce((sum, { data }) => sum + data.length, 0)
  return (
    4 * (words[Head.recordsEnd]! + 1 + records.length * RecordWord.count) <= words[Head.dataAt]! &&
    words[Head.dataEnd]! + size <= bytes.length &&
    // Half of the slots stay free, so that a search for a name that is not there is short.
    2 * (words[Head.taken]! + 1) <= 2 ** words[Head.bits]!
  )
}

/** The place in `words` of a name's slot, or of the free one where its search ends. */
function slotOf(words: Uint32Array, { lane1, lane2, kind }: OwnerEntry): number {
  const mask = 2 ** words[Head.bits]! - 1
  for (let slot = place(kind, lane1) & mask; ; slot = (slot + 1) & mask) {
    const at = headerWords + slot * slotWords
    const taken = words[at + 2]
    if (taken === 0) return at
    if (taken === kind >>> 0 && (words[at]! | 0) === lane1 && (words[at + 1]! | 0) === lane2) return at
  }
}

/** Puts a name with its records into a table that has room for it. Word by word: `set` takes several times as long. */
function layName({ words, bytes }: TableMemory, name: OwnerEntry): void {
  const { lane1, lane2, kind, records } = name
  const slotAt = slotOf(words, name)
  let [at, to] = [words[Head.recordsEnd]!, words[Head.dataEnd]!]
  if (words[slotAt + 2] === 0) {
    words[slotAt] = lane1
    words[slotAt + 1] = lane2
    words[slotAt + 2] = kind
    words[slotAt + 3] = at
    words[Head.taken] = words[Head.taken]! + 1
  } else words[Head.hasEqual] = 1
  if (kind === Kind.below && records.length === 0) words[Head.denied] = at
  words[at++] = records.length
  for (const { type, ttl, data } of records) {
    words[at + RecordWord.type] = type
    words[at + RecordWord.ttl] = ttl
    words[at + RecordWord.dataAt] = to
    words[at + RecordWord.dataLength] = data.length
    at += RecordWord.count
    for (let index = 0; index < data.length; index++) bytes[to + index] = data[index]!
    to += data.length
  }
  words[Head.recordsEnd] = at
  words[Head.dataEnd] = to
}

/** The names of the records, and those above them in local zones, which would be denied otherwise (RFC 8020). */
function namesOf(records: readonly LocalRecord[]): OwnerName[] {
  const known = records.filter(({ domain }) => wireName(domain) !== undefined)
  const owners = new Map(Map.groupBy(known, ownerKey))
  for (const { domain, belowOnly } of known) {
    const name = belowOnly ? `*.${domain}` : domain
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const above = name.slice(dot + 1)
      if (!isInLocalZone(above)) break
      if (!owners.has(above)) owners.set(above, [])
    }
  }
  return Array.from(owners, ([key, own]) => {
    const [name = '', gateway] = key.split(' ')
    return {
      domain: name.replace(/^\*\./, ''),
      belowOnly: name.startsWith('*.'),
      gateway,
      records: own.map(({ type, ttl, data }) => ({ type, ttl, data: Uint8Array.fromHex(data) })),
    }
  })
}

const ownerKey = ({ domain, belowOnly, gateway }: LocalRecord): string =>
  `${belowOnly ? '*.' : ''}${domain}${gateway === undefined ? '' : ` ${gateway}`}`

const place = (kind: number, lane1: number): number => finish(lane1 ^ Math.imul(kind, 0x9e37_79b1))
