import { addressBytes } from '../address-bytes.ts'
import { includesClient, parseAudience } from './audience.ts'
import {
  clientTableMagic,
  Field,
  Flag,
  hash6,
  Head,
  layoutOf,
  profileShift,
  slot4,
  slot6,
  wordAt,
  type ClientRecord,
} from './client-table.ts'
import type { BundledList } from './list-bundle.ts'
import { gatewayNumber } from './gateway-number.ts'
import { finish } from './name-hash.ts'

type ListNumbers = readonly Pick<BundledList, 'number' | 'id'>[]

/** Clients as they were and as they are to be; undefined for those that were not there, or will not be. */
export interface ClientRecordChange {
  readonly before: ClientRecord | undefined
  readonly after: ClientRecord | undefined
}

/**
 * Makes a table, with room for a quarter more clients. An address that two have belongs to the first; what is no address is left
 * out, as are unknown lists.
 *
 * @param audiences the bundle's values of `$client`
 */
export function buildClientTable(
  clients: readonly ClientRecord[],
  lists: ListNumbers,
  audiences: readonly string[] = [],
): SharedArrayBuffer {
  const room = clients.length + Math.max(16, clients.length >> 2)
  const addresses = clients.flatMap((client) => client.addresses.map(parse))
  const roomFor = (bytes: number): number =>
    room - clients.length + addresses.filter((address) => address?.length === bytes).length
  const head = new Uint32Array(Head.words)
  head[Head.magic] = clientTableMagic
  head[Head.room] = room
  head[Head.bits4] = bitsFor(roomFor(4))
  head[Head.bits6] = bitsFor(roomFor(16))
  head[Head.bitsNumber] = bitsFor(room)
  const memory = new SharedArrayBuffer(layoutOf(head).length * 4)
  const words = new Uint32Array(memory)
  words.set(head)
  const bits = { ofList: listBits(lists), ofAudiences: audienceBits(audiences) }
  words.set([0, 0xffff_ffff, Flag.filtering | Flag.logging, bits.ofAudiences(undefined), 0], Head.words)
  const table = new Slots(words)
  for (const client of clients) table.add(client, bits)
  return memory
}

/**
 * Changes some clients of a table that no one reads at the time. False, and the table is of no more use, when it has no room
 * left: it is to be built again then.
 */
export function changeClientTable(
  memory: SharedArrayBuffer,
  changes: readonly ClientRecordChange[],
  { lists, audiences }: { readonly lists: ListNumbers; readonly audiences: readonly string[] },
): boolean {
  const table = new Slots(new Uint32Array(memory))
  for (const { before } of changes) if (before !== undefined) table.remove(before)
  const bits = { ofList: listBits(lists), ofAudiences: audienceBits(audiences) }
  return changes.every(({ after }) => after === undefined || table.add(after, bits))
}

const listBits = (lists: ListNumbers) => (id: string) => {
  const list = lists.find((each) => each.id === id)
  return list === undefined ? 0 : 1 << list.number
}

/** Part of a client's record that belongs to the bundle of lists. */
interface BundleBits {
  readonly ofList: (id: string) => number
  /** For an unknown client when undefined. */
  readonly ofAudiences: (client: ClientRecord | undefined) => number
}

function audienceBits(audiences: readonly string[]): BundleBits['ofAudiences'] {
  const parsed = audiences.map(parseAudience)
  return (client) =>
    parsed.reduce((bits, each, k) => (each !== undefined && includesClient(each, client) ? bits | (1 << k) : bits), 0)
}

/** One of the three hashed parts: slots of `size` words, the last of which is a client's position, or 0 in a free slot. */
interface Part {
  readonly at: number
  readonly size: number
  readonly mask: number
  /** The hash of what stands in a slot, given where its words begin. */
  readonly hashAt: (at: number) => number
}

class Slots {
  readonly #words: Uint32Array
  readonly #by4: Part
  readonly #by6: Part
  readonly #byNumber: Part

  constructor(words: Uint32Array) {
    const { at4, at6, atNumber } = layoutOf(words)
    const mask = (head: number): number => 2 ** words[head]! - 1
    this.#words = words
    this.#by4 = { at: at4, size: slot4, mask: mask(Head.bits4), hashAt: (at) => finish(words[at]!) }
    this.#by6 = { at: at6, size: slot6, mask: mask(Head.bits6), hashAt: (at) => hash6At(words, at) }
    const numberAt = (at: number): number => words[Head.words + words[at]! * Field.words]!
    this.#byNumber = { at: atNumber, size: 1, mask: mask(Head.bitsNumber), hashAt: (at) => finish(numberAt(at)) }
  }

  /** False when there is no room. */
  add(client: ClientRecord, { ofList, ofAudiences }: BundleBits): boolean {
    const index = this.#takePlace()
    if (index === 0) return false
    const lists = client.lists === null ? -1 : client.lists.reduce((bits, id) => bits | ofList(id), 0)
    const profile = (client.profile ?? 0) << profileShift
    const flags = (client.filtering ? Flag.filtering : 0) | (client.logging ? Flag.logging : 0) | profile
    const record = [client.number, lists >>> 0, flags, ofAudiences(client), gatewayNumber(client.gateway)]
    this.#words.set(record, Head.words + index * Field.words)
    this.#insert(this.#byNumber, finish(client.number), [index])
    return client.addresses.every((text) => this.#addAddress(parse(text), index))
  }

  remove(client: ClientRecord): void {
    const words = this.#words
    const slot = this.#find(this.#byNumber, finish(client.number), (at) => {
      return words[Head.words + words[at]! * Field.words] === client.number
    })
    if (slot === undefined) return
    const index = words[this.#byNumber.at + slot]!
    this.#close(this.#byNumber, slot)
    for (const text of client.addresses) this.#removeAddress(parse(text), index)
    words.set([0, words[Head.free]!, 0], Head.words + index * Field.words)
    words[Head.free] = index
  }

  #takePlace(): number {
    const words = this.#words
    const free = words[Head.free]!
    if (free !== 0) {
      words[Head.free] = words[Head.words + free * Field.words + Field.lists]!
      return free
    }
    if (words[Head.used]! >= words[Head.room]!) return 0
    return (words[Head.used]! += 1)
  }

  #addAddress(bytes: Uint8Array | undefined, index: number): boolean {
    if (bytes === undefined) return true
    const { part, count, words, hash } = this.#slotOf(bytes)
    if ((this.#words[count]! + 1) * 2 > part.mask + 1) return false
    this.#words[count]! += 1
    this.#insert(part, hash, [...words, index])
    return true
  }

  #removeAddress(bytes: Uint8Array | undefined, index: number): void {
    if (bytes === undefined) return
    const { part, count, words, hash } = this.#slotOf(bytes)
    const wanted = [...words, index]
    const slot = this.#find(part, hash, (at) => wanted.every((word, n) => this.#words[at + n] === word >>> 0))
    if (slot === undefined) return
    this.#close(part, slot)
    this.#words[count]! -= 1
  }

  /** Returns the part of an address, the header's count of such addresses, its words and their hash. */
  #slotOf(bytes: Uint8Array): { part: Part; count: number; words: readonly number[]; hash: number } {
    const words = Array.from({ length: bytes.length / 4 }, (_, n) => wordAt(bytes, n * 4))
    const [a = 0, b = 0, c = 0, d = 0] = words
    return bytes.length === 4
      ? { part: this.#by4, count: Head.count4, words, hash: finish(a) }
      : { part: this.#by6, count: Head.count6, words, hash: hash6(a, b, c, d) }
  }

  #isTaken({ at, size }: Part, slot: number): boolean {
    return this.#words[at + slot * size + size - 1] !== 0
  }

  /** Writes words into the next free slot, so that earlier entries are found first. */
  #insert(part: Part, hash: number, slotWords: readonly number[]): void {
    let slot = hash & part.mask
    while (this.#isTaken(part, slot)) slot = (slot + 1) & part.mask
    this.#words.set(slotWords, part.at + slot * part.size)
  }

  #find(part: Part, hash: number, isWanted: (at: number) => boolean): number | undefined {
    for (let slot = hash & part.mask; this.#isTaken(part, slot); slot = (slot + 1) & part.mask) {
      if (isWanted(part.at + slot * part.size)) return slot
    }
    return undefined
  }

  /** Empties a slot and moves up those behind it that it kept from their own, so that all are found without gaps. */
  #close(part: Part, slot: number): void {
    const { at, size, mask, hashAt } = part
    let hole = slot
    for (let next = (hole + 1) & mask; this.#isTaken(part, next); next = (next + 1) & mask) {
      const home = hashAt(at + next * size) & mask
      if (((next - home) & mask) < ((next - hole) & mask)) continue
      this.#words.copyWithin(at + hole * size, at + next * size, at + (next + 1) * size)
      hole = next
    }
    this.#words.fill(0, at + hole * size, at + (hole + 1) * size)
  }
}

/** At most half of the slots are taken. */
const bitsFor = (entries: number): number => Math.max(2, Math.ceil(Math.log2(entries + 1)) + 1)

const hash6At = (words: Uint32Array, at: number): number =>
  hash6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!)

/** The 4 or 16 bytes of an address; IPv4 mapped ones are IPv4. Undefined for what is no address. */
function parse(text: string): Uint8Array | undefined {
  const bytes = addressBytes(text.replace(/\/\d+$/, ''))
  if (bytes?.length !== 16) return bytes
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  return isMapped ? bytes.slice(12) : bytes
}
