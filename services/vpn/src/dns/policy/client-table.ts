import { addressBytes } from '../address-bytes.ts'
import type { BundledList } from './list-bundle.ts'
import { finish } from './name-hash.ts'

/** Who may ask; the part of `ResolverClient` that decisions need. */
export interface ClientRecord {
  /** 1 to 2 ** 31 - 1. */
  readonly number: number
  /** IPv4 and IPv6, each with or without a prefix length, which does not count. */
  readonly addresses: readonly string[]
  readonly filtering: boolean
  /** Ids of the lists that hold for it; null for all. */
  readonly lists: readonly string[] | null
  readonly logging: boolean
}

const magic = 0x4c44_4331 // "LDC1"
const headerWords = 8
const Head = { magic: 0, clients: 1, bits4: 2, bits6: 3, bitsNumber: 4 } as const
/** Words of a client: number, lists, flags. */
const Field = { number: 0, lists: 1, flags: 2, words: 4 } as const
const Flag = { filtering: 1, logging: 2 } as const
const slot4 = 2
const slot6 = 5

/**
 * The clients by address and by number. A client's index is its place in this table and changes with every table; its number
 * stays. Index 0 stands for somebody unknown: all lists, filtered, logged. All of it allocates nothing.
 */
export class ClientTable {
  readonly #words: Uint32Array
  readonly #at4: number
  readonly #at6: number
  readonly #atNumber: number
  readonly #mask4: number
  readonly #mask6: number
  readonly #maskNumber: number
  /** How many clients there are. */
  readonly count: number

  constructor(memory: SharedArrayBuffer) {
    const words = new Uint32Array(memory)
    if (words.length < headerWords || words[Head.magic] !== magic) throw new Error('this is no table of clients')
    const [slots4, slots6, slots] = [2 ** words[Head.bits4]!, 2 ** words[Head.bits6]!, 2 ** words[Head.bitsNumber]!]
    this.#words = words
    this.count = words[Head.clients]!
    this.#at4 = headerWords + (this.count + 1) * Field.words
    this.#at6 = this.#at4 + slots4 * slot4
    this.#atNumber = this.#at6 + slots6 * slot6
    this.#mask4 = slots4 - 1
    this.#mask6 = slots6 - 1
    this.#maskNumber = slots - 1
    if (words.length < this.#atNumber + slots) throw new Error('the table of clients is cut off')
  }

  /** Index of the client with this IPv4 address (10.0.0.1 is 0x0a000001); 0 for nobody. */
  find4(address: number): number {
    const words = this.#words
    for (let slot = finish(address) & this.#mask4; ; slot = (slot + 1) & this.#mask4) {
      const at = this.#at4 + slot * slot4
      const index = words[at + 1]!
      if (index === 0 || (words[at]! | 0) === (address | 0)) return index
    }
  }

  /** Index of the client with the IPv6 address that stands at bytes[at..at+16), also when it is IPv4 mapped; 0 for nobody. */
  find6(bytes: Uint8Array, at: number): number {
    const a = wordAt(bytes, at)
    const b = wordAt(bytes, at + 4)
    const c = wordAt(bytes, at + 8)
    const d = wordAt(bytes, at + 12)
    if (a === 0 && b === 0 && c === 0xffff) return this.find4(d)
    const words = this.#words
    for (let slot = hash6(a, b, c, d) & this.#mask6; ; slot = (slot + 1) & this.#mask6) {
      const p = this.#at6 + slot * slot6
      const index = words[p + 4]!
      if (index === 0) return 0
      if ((words[p + 3]! | 0) !== d || (words[p + 2]! | 0) !== c) continue
      if ((words[p + 1]! | 0) === b && (words[p]! | 0) === a) return index
    }
  }

  /** Index of the client with this number; 0 when there is none. */
  indexOf(number: number): number {
    if (number === 0) return 0
    const words = this.#words
    for (let slot = finish(number) & this.#maskNumber; ; slot = (slot + 1) & this.#maskNumber) {
      const index = words[this.#atNumber + slot]!
      if (index === 0 || words[headerWords + index * Field.words] === number) return index
    }
  }

  /** The number of the client with this index. */
  numberOf(index: number): number {
    return this.#words[headerWords + index * Field.words]!
  }

  /** The lists that hold for it, a bit each; as a signed number, which takes no memory. */
  listsOf(index: number): number {
    return this.#words[headerWords + index * Field.words + Field.lists]! | 0
  }

  isFiltered(index: number): boolean {
    return (this.#words[headerWords + index * Field.words + Field.flags]! & Flag.filtering) !== 0
  }

  isLogged(index: number): boolean {
    return (this.#words[headerWords + index * Field.words + Field.flags]! & Flag.logging) !== 0
  }
}

/** Looks into a table of clients. Throws when the memory holds none, or only a part of one. */
export const openClientTable = (memory: SharedArrayBuffer): ClientTable => new ClientTable(memory)

/** Makes the table. An address that two have belongs to the first; what is no address is left out, as are unknown lists. */
export function buildClientTable(
  clients: readonly ClientRecord[],
  lists: readonly Pick<BundledList, 'number' | 'id'>[],
): SharedArrayBuffer {
  const addresses = clients.flatMap((client, k) =>
    client.addresses.map((text) => ({ bytes: parse(text), index: k + 1 })),
  )
  const bits4 = bitsFor(addresses.filter(({ bytes }) => bytes?.length === 4).length)
  const bits6 = bitsFor(addresses.filter(({ bytes }) => bytes?.length === 16).length)
  const bitsNumber = bitsFor(clients.length)
  const at4 = headerWords + (clients.length + 1) * Field.words
  const at6 = at4 + 2 ** bits4 * slot4
  const atNumber = at6 + 2 ** bits6 * slot6
  const memory = new SharedArrayBuffer((atNumber + 2 ** bitsNumber) * 4)
  const words = new Uint32Array(memory)
  words.set([magic, clients.length, bits4, bits6, bitsNumber])
  words.set([0, 0xffff_ffff, Flag.filtering | Flag.logging], headerWords)
  const bit = new Map(lists.map(({ id, number }) => [id, 1 << number]))
  for (const [k, client] of clients.entries()) {
    const mask = client.lists === null ? -1 : client.lists.reduce((mask, id) => mask | (bit.get(id) ?? 0), 0)
    const flags = (client.filtering ? Flag.filtering : 0) | (client.logging ? Flag.logging : 0)
    words.set([client.number, mask >>> 0, flags], headerWords + (k + 1) * Field.words)
    insert(words, { at: atNumber, size: 1, bits: bitsNumber }, finish(client.number), [k + 1])
  }
  for (const { bytes, index } of addresses) {
    if (bytes?.length === 4) {
      const address = wordAt(bytes, 0)
      insert(words, { at: at4, size: slot4, bits: bits4 }, finish(address), [address >>> 0, index])
    } else if (bytes?.length === 16) {
      const [a, b, c, d] = [wordAt(bytes, 0), wordAt(bytes, 4), wordAt(bytes, 8), wordAt(bytes, 12)]
      insert(words, { at: at6, size: slot6, bits: bits6 }, hash6(a, b, c, d), [a, b, c, d, index])
    }
  }
  return memory
}

/** Puts a slot, whose last word is an index, into the next free place: who came first is found first. */
function insert(
  words: Uint32Array,
  table: { readonly at: number; readonly size: number; readonly bits: number },
  hash: number,
  slot: readonly number[],
): void {
  const mask = 2 ** table.bits - 1
  let place = hash & mask
  while (words[table.at + place * table.size + table.size - 1] !== 0) place = (place + 1) & mask
  words.set(slot, table.at + place * table.size)
}

/** At most half of the slots are taken. */
const bitsFor = (entries: number): number => Math.max(2, Math.ceil(Math.log2(entries + 1)) + 1)

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

const hash6 = (a: number, b: number, c: number, d: number): number =>
  finish(Math.imul(finish(Math.imul(a ^ finish(b), 0x9e37_79b1) ^ c), 0x85eb_ca77) ^ d)

/** The 4 or 16 bytes of an address; IPv4 mapped ones are IPv4. Undefined for what is no address. */
function parse(text: string): Uint8Array | undefined {
  const bytes = addressBytes(text.replace(/\/\d+$/, ''))
  if (bytes?.length !== 16) return bytes
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  return isMapped ? bytes.slice(12) : bytes
}
