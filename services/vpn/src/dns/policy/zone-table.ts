import { hashDomain } from './domain-hash.ts'
import type { NameSeeds } from './name-hash.ts'

/** A zone whose names are sent to servers of its own. */
export interface ForwardedZone {
  /** Lower case, punycode, without a final dot. */
  readonly domain: string
  /** Group of upstreams that are queried for it, from 1. */
  readonly group: number
  /** Number that stands for the zone and its servers, not 0: answers of other servers are none of its own. */
  readonly scope: number
}

const magic = 0x5a46_4c31 // "ZFL1"
const headerWords = 8
const Head = { magic: 0, count: 1, bits: 2, seed1: 3, seed2: 4, depths1: 5, depths2: 6 } as const
/** Words of a slot: the lanes of the name, group and scope. */
const slotWords = 4

/** Forwarded zones, hashed by name. Nothing in here allocates. */
export class ZoneTable {
  /** Number of zones. */
  readonly count: number
  readonly seeds: NameSeeds
  /** The label that the zone last found begins with. */
  label = 0
  readonly #words: Uint32Array
  readonly #mask: number

  constructor(memory: SharedArrayBuffer) {
    const words = new Uint32Array(memory)
    if (words.length < headerWords || words[Head.magic] !== magic) throw new Error('this is no table of zones')
    const slots = 2 ** words[Head.bits]!
    if (words.length < headerWords + slots * slotWords) throw new Error('the table of zones is cut off')
    this.count = words[Head.count]!
    this.seeds = { first: words[Head.seed1]! | 0, second: words[Head.seed2]! | 0 }
    this.#words = words
    this.#mask = slots - 1
  }

  /**
   * Returns the longest zone that a name of so many labels belongs to, by the lanes of it and its parents; 0 for none. Only
   * parents with as many labels as some zone has are looked up.
   */
  find(lanes1: Int32Array, lanes2: Int32Array, labels: number): number {
    const words = this.#words
    for (let label = 0; label < labels; label++) {
      const depth = labels - label
      if (((words[depth < 32 ? Head.depths1 : Head.depths2]! >>> (depth & 31)) & 1) === 0) continue
      const at = this.#find(lanes1[label]!, lanes2[label]!)
      if (at === 0) continue
      this.label = label
      return at
    }
    return 0
  }

  /** The group of upstreams of a zone that `find` returned; for 0 that of all other names. */
  group(zone: number): number {
    return zone === 0 ? 0 : this.#words[zone + 2]!
  }

  /** The scope of a zone that `find` returned; 0 for 0. */
  scope(zone: number): number {
    return zone === 0 ? 0 : this.#words[zone + 3]! | 0
  }

  #find(lane1: number, lane2: number): number {
    const words = this.#words
    for (let slot = lane1 & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = headerWords + slot * slotWords
      if (words[at + 2] === 0) return 0
      if ((words[at]! | 0) === lane1 && (words[at + 1]! | 0) === lane2) return at
    }
  }
}

/** Opens a table of zones. Throws when the memory holds none, or only a part of one. */
export const openZoneTable = (memory: SharedArrayBuffer): ZoneTable => new ZoneTable(memory)

/** Makes the table for names hashed with these seeds: the bundle's. What is no domain name is left out; of equal names the first counts. */
export function buildZoneTable(zones: readonly ForwardedZone[], seeds: NameSeeds): SharedArrayBuffer {
  const bits = Math.max(2, Math.ceil(Math.log2(zones.length + 1)) + 1)
  const mask = 2 ** bits - 1
  const memory = new SharedArrayBuffer(4 * (headerWords + 2 ** bits * slotWords))
  const words = new Uint32Array(memory)
  words.set([magic, 0, bits, seeds.first, seeds.second])
  for (const { domain, group, scope } of zones) {
    const lanes = hashDomain(domain, seeds)
    if (lanes === undefined || group === 0) continue
    let slot = lanes.lane1 & mask
    while (words[headerWords + slot * slotWords + 2] !== 0) slot = (slot + 1) & mask
    words.set([lanes.lane1, lanes.lane2, group, scope], headerWords + slot * slotWords)
    words[Head.count]! += 1
    const depth = domain.split('.').length
    words[depth < 32 ? Head.depths1 : Head.depths2]! |= 1 << (depth & 31)
  }
  return memory
}
