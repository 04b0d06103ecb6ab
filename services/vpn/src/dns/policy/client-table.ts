import { finish } from './name-hash.ts'

/** A client, as decisions need it; part of `ResolverClient`. */
export interface ClientRecord {
  /** 1 to 2 ** 31 - 1. */
  readonly number: number
  /** As `$client` of a list names it. */
  readonly name?: string
  /** IPv4 and IPv6, each with or without a prefix length, which does not count. */
  readonly addresses: readonly string[]
  readonly filtering: boolean
  /** Ids of the lists that hold for it; null for all. */
  readonly lists: readonly string[] | null
  readonly logging: boolean
  /** Number of its profile; 0 or missing for none. */
  readonly profile?: number
  /** IPv4 address of this host in the client's tunnel; missing for none. */
  readonly gateway?: string
}

/** First word of a table. */
export const clientTableMagic = 0x4c44_4333 // "LDC3"
/** Words before the clients. `room` is how many clients the table can hold, `used` how many places were ever taken. */
export const Head = {
  magic: 0,
  room: 1,
  bits4: 2,
  bits6: 3,
  bitsNumber: 4,
  used: 5,
  free: 6,
  count4: 7,
  count6: 8,
  words: 12,
} as const
/** Words of a client. A free record has number 0 and the next free record in `lists`. */
export const Field = { number: 0, lists: 1, flags: 2, audiences: 3, gateway: 4, words: 5 } as const
export const Flag = { filtering: 1, logging: 2 } as const
/** Bits of the flags below the number of the client's profile. */
export const profileShift = 8
/** Words of a slot by address: the address, then the client's place. */
export const slot4 = 2
export const slot6 = 5

/**
 * The clients by address and by number. A client's index is its place in this table and may be another in the next table; its
 * number stays. Index 0 stands for an unknown client: all lists, filtered, logged. All of it allocates nothing.
 */
export class ClientTable {
  readonly #words: Uint32Array
  readonly #at4: number
  readonly #at6: number
  readonly #atNumber: number
  readonly #mask4: number
  readonly #mask6: number
  readonly #maskNumber: number

  constructor(memory: SharedArrayBuffer) {
    const words = new Uint32Array(memory)
    if (words.length < Head.words || words[Head.magic] !== clientTableMagic) {
      throw new Error('this is no table of clients')
    }
    const { at4, at6, atNumber, length } = layoutOf(words)
    this.#words = words
    this.#at4 = at4
    this.#at6 = at6
    this.#atNumber = atNumber
    this.#mask4 = 2 ** words[Head.bits4]! - 1
    this.#mask6 = 2 ** words[Head.bits6]! - 1
    this.#maskNumber = 2 ** words[Head.bitsNumber]! - 1
    if (words.length < length) throw new Error('the table of clients is cut off')
  }

  /** Index of the client with this IPv4 address (10.0.0.1 is 0x0a000001); 0 for none. */
  find4(address: number): number {
    const words = this.#words
    for (let slot = finish(address) & this.#mask4; ; slot = (slot + 1) & this.#mask4) {
      const at = this.#at4 + slot * slot4
      const index = words[at + 1]!
      if (index === 0 || (words[at]! | 0) === (address | 0)) return index
    }
  }

  /** Index of the client with the IPv6 address that stands at bytes[at..at+16), also when it is IPv4 mapped; 0 for no one. */
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
      if (index === 0 || words[Head.words + index * Field.words] === number) return index
    }
  }

  /** The number of the client with this index. */
  numberOf(index: number): number {
    return this.#words[Head.words + index * Field.words]!
  }

  /** The lists that hold for it, a bit each; as a signed number, which takes no memory. */
  listsOf(index: number): number {
    return this.#words[Head.words + index * Field.words + Field.lists]! | 0
  }

  /** The values of `$client` that mean this client, a bit each in the order of the bundle's audiences. */
  audiencesOf(index: number): number {
    return this.#words[Head.words + index * Field.words + Field.audiences]! | 0
  }

  isFiltered(index: number): boolean {
    return (this.#words[Head.words + index * Field.words + Field.flags]! & Flag.filtering) !== 0
  }

  /** The number of its profile; 0 for none. */
  profileOf(index: number): number {
    return this.#words[Head.words + index * Field.words + Field.flags]! >>> profileShift
  }

  /** IPv4 address of this host in the client's tunnel, as a signed number; 0 for none. */
  gatewayOf(index: number): number {
    return this.#words[Head.words + index * Field.words + Field.gateway]! | 0
  }

  isLogged(index: number): boolean {
    return (this.#words[Head.words + index * Field.words + Field.flags]! & Flag.logging) !== 0
  }
}

/** Opens a table of clients. Throws when the memory holds none, or only a part of one. */
export const openClientTable = (memory: SharedArrayBuffer): ClientTable => new ClientTable(memory)

/** Returns where the parts of a table begin, and how many words it has; from its header. */
export function layoutOf(words: Uint32Array): { at4: number; at6: number; atNumber: number; length: number } {
  const at4 = Head.words + (words[Head.room]! + 1) * Field.words
  const at6 = at4 + 2 ** words[Head.bits4]! * slot4
  const atNumber = at6 + 2 ** words[Head.bits6]! * slot6
  return { at4, at6, atNumber, length: atNumber + 2 ** words[Head.bitsNumber]! }
}

/** Four bytes of an address as a signed number. */
export const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

/** The hash of an IPv6 address, given as four words. */
export const hash6 = (a: number, b: number, c: number, d: number): number =>
  finish(Math.imul(finish(Math.imul(a ^ finish(b), 0x9e37_79b1) ^ c), 0x85eb_ca77) ^ d)
