import { addressBytes } from '../address-bytes.ts'
import type { BundledRule, Rewrite } from './bundled-rule.ts'
import { hashDomain } from './domain-hash.ts'
import type { NameSeeds } from './name-hash.ts'
import { createPatternProgram } from './pattern-program.ts'
import { PatternList } from './patterns.ts'
import { Trait } from './verdict.ts'

/** The question and client that conditions are held against. */
export interface Circumstances {
  /** DNS type. */
  type: number
  /** Bits of the audiences the client belongs to. */
  audiences: number
  /** The peer's lists, a bit each. */
  lists: number
  /** Finished lanes of the name and its parents, and how many there are. */
  readonly lanes1: Int32Array
  readonly lanes2: Int32Array
  count: number
}

/** One rule, ready to be held against a question. */
export interface ConditionalRule {
  readonly text: string
  readonly list: number
  readonly meaning: number
  /** `Trait` bits of its modifiers. */
  readonly traits: number
  readonly rewrite: Rewrite | null
  /** The record's data for a rewrite to an address. */
  readonly data: Uint8Array | undefined
}

interface OpenRule extends ConditionalRule {
  readonly itself: boolean
  readonly below: boolean
  readonly lane2: number
  readonly except1: Int32Array
  readonly except2: Int32Array
  readonly types: Uint16Array
  readonly exceptTypes: Uint16Array
  /** Its bit among the audiences; 0 for everybody. */
  readonly audience: number
  readonly address: Uint8Array | undefined
}

/** Number of rules noted for one decision. */
export const maxMatches = 64

/**
 * The rules of all lists that have modifiers or are about addresses. A decision comes here only for a name that one of them is
 * about. `match` and `matchAddress` allocate nothing; the matching rules stand in `matched`.
 */
export class ConditionalRules {
  readonly rules: readonly ConditionalRule[]
  /** Places in `rules` of what matched last, and how many there are. */
  readonly matched = new Int32Array(maxMatches)
  count = 0
  /** True if answers have to be held against addresses. */
  readonly hasAddresses: boolean
  /** The different values of `$client`, in the order of their bits. */
  readonly audiences: readonly string[]
  readonly #open: readonly OpenRule[]
  readonly #byName = new Map<number, number[]>()
  readonly #patterns: readonly number[]
  readonly #patternList: PatternList
  readonly #byAddress = new Map<number, number[]>()

  constructor(rules: readonly BundledRule[], seeds: NameSeeds) {
    this.audiences = audiencesOf(rules)
    this.#open = rules.map((rule) => openRule(rule, seeds, this.audiences))
    this.rules = this.#open
    const program = createPatternProgram()
    const patterns: number[] = []
    for (const [place, { target }] of rules.entries()) {
      if (target.kind === 'name') note(this.#byName, hashDomain(target.name, seeds)?.lane1 ?? 0, place)
      else if (target.kind === 'address') note(this.#byAddress, addressKey(addressBytes(target.address)!, 0), place)
      else patterns.push(place)
    }
    const texts = patterns.map((place) => textOf(rules[place]!))
    for (const text of texts) program.add(text, 0, 0)
    this.#patternList = new PatternList(program.build())
    this.#patterns = patterns
    const places = new Map([...new Set(texts)].map((text, k) => [text, k]))
    this.#patternPlaces = Int32Array.from(texts, (text) => places.get(text)!)
    this.hasAddresses = this.#byAddress.size > 0
  }

  readonly #patternPlaces: Int32Array

  /** Collects the rules that match a name, given as text with dots, under these circumstances. */
  match(name: Uint8Array, length: number, at: Circumstances): void {
    this.count = 0
    const { lanes1, lanes2 } = at
    for (let label = 0; label < at.count; label++) {
      const places = this.#byName.get(lanes1[label]!)
      if (places === undefined) continue
      for (let k = 0; k < places.length; k++) {
        const rule = this.#open[places[k]!]!
        if (rule.lane2 === lanes2[label]! && (label === 0 ? rule.itself : rule.below)) this.#consider(places[k]!, at)
      }
    }
    for (let k = 0; k < this.#patterns.length; k++)
      if (this.#patternList.fits(this.#patternPlaces[k]!, name, length)) this.#consider(this.#patterns[k]!, at)
  }

  /** Collects the rules about the address of 4 or 16 bytes that stands at m[from]. */
  matchAddress(m: Uint8Array, from: number, size: number, at: Circumstances): void {
    this.count = 0
    const places = this.#byAddress.get(size === 4 ? wordAt(m, from) : wordAt(m, from) ^ wordAt(m, from + 12))
    if (places === undefined) return
    for (let k = 0; k < places.length; k++) {
      const { address } = this.#open[places[k]!]!
      if (address === undefined || address.length !== size) continue
      let same = 0
      while (same < size && address[same] === m[from + same]) same++
      if (same === size) this.#consider(places[k]!, at)
    }
  }

  #consider(place: number, at: Circumstances): void {
    const rule = this.#open[place]!
    if (((at.lists >>> rule.list) & 1) === 0 || this.count === maxMatches) return
    if (rule.audience !== 0 && (at.audiences & rule.audience) === 0) return
    if (!suitsType(rule, at.type) || isExcepted(rule, at)) return
    this.matched[this.count++] = place
  }
}

function suitsType({ types, exceptTypes }: OpenRule, type: number): boolean {
  for (let k = 0; k < exceptTypes.length; k++) if (exceptTypes[k] === type) return false
  if (types.length === 0) return true
  for (let k = 0; k < types.length; k++) if (types[k] === type) return true
  return false
}

function isExcepted({ except1, except2 }: OpenRule, { lanes1, lanes2, count }: Circumstances): boolean {
  for (let k = 0; k < except1.length; k++)
    for (let label = 0; label < count; label++)
      if (except1[k] === lanes1[label] && except2[k] === lanes2[label]) return true
  return false
}

/** The different values of `$client` in these rules, in their order. */
export const audiencesOf = (rules: readonly Pick<BundledRule, 'conditions'>[]): string[] => [
  ...new Set(rules.flatMap(({ conditions: { client } }) => (client === null ? [] : [client]))),
]

function openRule(rule: BundledRule, seeds: NameSeeds, audiences: readonly string[]): OpenRule {
  const { text, list, meaning, target, conditions } = rule
  const { rewrite, client } = conditions
  const except = conditions.exceptNames.flatMap((name) => hashDomain(name, seeds) ?? [])
  const isName = target.kind === 'name'
  return {
    text,
    list,
    meaning,
    traits: traitsOf(rule),
    rewrite,
    data: rewrite === null || rewrite.address === '' ? undefined : addressBytes(rewrite.address),
    itself: isName && target.itself,
    below: isName && target.below,
    lane2: isName ? (hashDomain(target.name, seeds)?.lane2 ?? 0) : 0,
    except1: Int32Array.from(except, ({ lane1 }) => lane1),
    except2: Int32Array.from(except, ({ lane2 }) => lane2),
    types: Uint16Array.from(conditions.types),
    exceptTypes: Uint16Array.from(conditions.exceptTypes),
    audience: client === null ? 0 : 1 << audiences.indexOf(client),
    address: target.kind === 'address' ? addressBytes(target.address) : undefined,
  }
}

function traitsOf({ conditions }: BundledRule): number {
  const { exceptNames, types, exceptTypes, client, ctag, rewrite } = conditions
  return (
    (types.length + exceptTypes.length > 0 ? Trait.dnstype : 0) |
    (exceptNames.length > 0 ? Trait.denyallow : 0) |
    (client !== null || ctag !== null ? Trait.client : 0) |
    (rewrite === null ? 0 : Trait.dnsrewrite)
  )
}

function note(index: Map<number, number[]>, key: number, place: number): void {
  const known = index.get(key)
  if (known === undefined) index.set(key, [place])
  else known.push(place)
}

const textOf = ({ target }: BundledRule): string => (target.kind === 'pattern' ? target.text : '')

const addressKey = (bytes: Uint8Array, at: number): number =>
  bytes.length === 4 ? wordAt(bytes, at) : wordAt(bytes, at) ^ wordAt(bytes, at + 12)

const wordAt = (m: Uint8Array, at: number): number =>
  (m[at]! << 24) | (m[at + 1]! << 16) | (m[at + 2]! << 8) | m[at + 3]!

/** Circumstances of a question whose name has these lanes; filled again for each. */
export const createCircumstances = (lanes1: Int32Array, lanes2: Int32Array): Circumstances => ({
  type: 0,
  audiences: 0,
  lists: 0,
  lanes1,
  lanes2,
  count: 0,
})
