import { type NameSeeds, finish } from './name-hash.ts'
import { hashDomain } from './domain-hash.ts'

/** A custom rule; the part of `ResolverRule` that decisions need. */
export interface RuleRecord {
  /** From 1 on. */
  readonly number: number
  readonly action: 'block' | 'allow'
  /** Lower case, punycode, without a leading `*.` and a final dot. */
  readonly domain: string
  /** `*.domain`: only what is below. Otherwise the domain and what is below. */
  readonly belowOnly: boolean
  /** A client's number; 0 for everyone; below 0 for a profile, see `profileClient`. */
  readonly client: number
}

const magic = 0x4c44_5231 // "LDR1"
const headerWords = 8
const Head = { magic: 0, rules: 1, bits: 2, bitsClients: 3, seed1: 4, seed2: 5 } as const
/** Words of a slot: what it is about, then the numbers of at most four rules. */
const slotWords = 8

/** Places in a slot of the numbers of the rules for one client and one domain; 0 for no such rule. */
export const RuleKind = { allow: 3, block: 4, allowBelow: 5, blockBelow: 6 } as const

/** Custom rules, hashed by client and domain. Nothing in here allocates. */
export class RuleTable {
  /** Number of rules. */
  readonly count: number
  readonly seeds: NameSeeds
  /** `RuleKind` says what stands where in a slot. */
  readonly words: Uint32Array
  /** True if there are rules for everyone. */
  readonly isGlobal: boolean
  readonly #slots: number
  readonly #clients: number
  readonly #mask: number
  readonly #clientMask: number

  constructor(memory: SharedArrayBuffer) {
    const words = new Uint32Array(memory)
    if (words.length < headerWords || words[Head.magic] !== magic) throw new Error('this is no table of rules')
    const clients = 2 ** words[Head.bitsClients]!
    const slots = 2 ** words[Head.bits]!
    if (words.length < headerWords + clients + slots * slotWords) throw new Error('the table of rules is cut off')
    this.words = words
    this.count = words[Head.rules]!
    this.seeds = { first: words[Head.seed1]! | 0, second: words[Head.seed2]! | 0 }
    this.#clients = headerWords
    this.#slots = headerWords + clients
    this.#mask = slots - 1
    this.#clientMask = clients - 1
    this.isGlobal = this.hasRules(0)
  }

  /** Returns true if there are rules for this client (0: for everyone). */
  hasRules(client: number): boolean {
    if (this.count === 0) return false
    const stored = (client + 1) | 0
    for (let slot = finish(client) & this.#clientMask; ; slot = (slot + 1) & this.#clientMask) {
      const entry = this.words[this.#clients + slot]! | 0
      if (entry === 0) return false
      if (entry === stored) return true
    }
  }

  /** Returns the position in `words` of the slot for this client and the domain with these lanes; 0 for none. */
  find(client: number, lane1: number, lane2: number): number {
    const { words } = this
    const stored = (client + 1) | 0
    for (let slot = place(client, lane1) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = this.#slots + slot * slotWords
      // The client is stored with one added, so that a free slot is one with 0.
      if (words[at + 2] === 0) return 0
      if ((words[at]! | 0) === lane1 && (words[at + 1]! | 0) === lane2 && (words[at + 2]! | 0) === stored) return at
    }
  }
}

/** Opens a table of rules. Throws when the memory holds none, or only a part of one. */
export const openRuleTable = (memory: SharedArrayBuffer): RuleTable => new RuleTable(memory)

/**
 * Makes the table for names hashed with these seeds: the bundle's. Of two rules that are alike but for their number the first
 * counts. What is no domain name is left out.
 */
export function buildRuleTable(rules: readonly RuleRecord[], seeds: NameSeeds): SharedArrayBuffer {
  const clients = new Set(rules.map(({ client }) => client))
  const bits = bitsFor(rules.length)
  const bitsClients = bitsFor(clients.size)
  const slotsAt = headerWords + 2 ** bitsClients
  const memory = new SharedArrayBuffer((slotsAt + 2 ** bits * slotWords) * 4)
  const words = new Uint32Array(memory)
  words.set([magic, rules.length, bits, bitsClients, seeds.first, seeds.second])
  for (const client of clients) {
    let slot = finish(client) & (2 ** bitsClients - 1)
    while (words[headerWords + slot] !== 0) slot = (slot + 1) & (2 ** bitsClients - 1)
    words[headerWords + slot] = client + 1
  }
  const table = new RuleTable(memory)
  for (const rule of rules) {
    const lanes = hashDomain(rule.domain, seeds)
    if (lanes === undefined) continue
    const { lane1, lane2 } = lanes
    let at = table.find(rule.client, lane1, lane2)
    if (at === 0) {
      let slot = place(rule.client, lane1) & (2 ** bits - 1)
      while (words[slotsAt + slot * slotWords + 2] !== 0) slot = (slot + 1) & (2 ** bits - 1)
      at = slotsAt + slot * slotWords
      words.set([lane1, lane2, rule.client + 1], at)
    }
    const kind = at + RuleKind[rule.belowOnly ? (`${rule.action}Below` as const) : rule.action]
    if (words[kind] === 0) words[kind] = rule.number
  }
  return memory
}

const place = (client: number, lane1: number): number => finish(lane1 ^ Math.imul(client, 0x9e37_79b1))

/** At most half of the slots are taken. */
const bitsFor = (entries: number): number => Math.max(2, Math.ceil(Math.log2(entries + 1)) + 1)
