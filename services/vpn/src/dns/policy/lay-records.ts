import { wireName } from '../wire/wire-name.ts'
import { hashDomain } from './domain-hash.ts'
import { gatewayNumber } from './gateway-number.ts'
import { isInLocalZone } from './local-zones.ts'
import type { NameSeeds } from './name-hash.ts'
import {
  goneKind,
  Head,
  headerWords,
  Kind,
  magic,
  type OwnedRecord,
  type OwnerEntry,
  place,
  RecordWord,
  slotWords,
} from './record-layout.ts'
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
