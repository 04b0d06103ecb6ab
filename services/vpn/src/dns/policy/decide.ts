import { type Name, writeDotted } from '../wire/name.ts'
import { Type } from '../wire/codes.ts'
import { type Circumstances, type ConditionalRules, createCircumstances } from './conditional-rules.ts'
import { Meaning, meanings } from './membership.ts'
import { hashName } from './hash-name.ts'
import { type Policy, listsInForce } from './policy.ts'
import { profileClient } from './profile-table.ts'
import { LocalNames } from './local-names.ts'
import { localZoneOf, noZone } from './local-zones.ts'
import { Row } from './precedence.ts'
import { RuleKind } from './rule-table.ts'
import type { RecordTable } from './record-table.ts'
import { heldPlace, takeRewrites } from './rewrites.ts'
import { isSpecial } from './special-names.ts'
import type { Trace } from './trace.ts'
import { findName } from './suffix-table.ts'
import { Reason, type ReasonCode, Status } from './verdict.ts'

/** Number of addresses of rewrites in one answer. */
const maxRewrites = 4

/** The row of the precedence table for each of the first four meanings. */
const rowOf = [Row.block, Row.exception, Row.important, Row.important]

/**
 * Decides about names by the precedence table (`precedence.ts`). The decision stands in its fields until the next. It allocates
 * nothing; with a trace the same steps are taken to the last instead of to the one that decides.
 */
export class Decider {
  status = 0
  reason: ReasonCode = Reason.none
  /** Number of the rule or list; 0 when the reason names none. */
  source = 0
  /** The client's index in the policy's table. */
  client = 0
  /** Number of the client's profile; 0 for none. */
  profile = 0
  /** The row that decided, see `Row`. */
  row: number = Row.nothing
  /** DNS type of the question; to be set before a decision. */
  type: number = Type.a
  /** `Trait` bits of the modifiers of the list's rule that decided. */
  traits = 0
  /** Place of that rule among the policy's conditional rules; -1 when it was none of them. */
  condition = -1
  /** Places of the rules whose addresses are the answer (`$dnsrewrite`), and how many there are; 0 when no rewrite decided. */
  readonly rewrites = new Int32Array(maxRewrites)
  rewriteCount = 0
  /** The forwarded zone that the name belongs to, as the policy's table knows it; 0 for none. */
  zone = 0
  readonly #lanes1 = new Int32Array(128)
  readonly #lanes2 = new Int32Array(128)
  readonly #found = new Uint32Array(meanings)
  readonly #dotted = new Uint8Array(256)
  /** Sets of lists that say something by rules with modifiers. */
  readonly #extra = new Uint32Array(Meaning.below)
  readonly #circumstances = createCircumstances(this.#lanes1, this.#lanes2)
  readonly #local = new LocalNames(this.#lanes1, this.#lanes2)
  #isOpen = true

  /** Position of the name's local records in their table, when they are the answer; otherwise 0. */
  get records(): number {
    return this.#local.records
  }

  /** The table that they stand in. */
  get table(): RecordTable | undefined {
    return this.#local.table
  }

  /**
   * Decides about a name for the client with this number, while filtering is paused or not (`isPaused`): times are fractions to
   * the engine, and handing one on takes memory.
   */
  decide(policy: Policy, name: Name, client: number, isPaused: boolean, trace: Trace | null): void {
    const { clients, settings, profiles } = policy
    const index = clients.indexOf(client)
    this.#reset(index)
    this.profile = clients.profileOf(index)
    // The profile that holds may be another one at this time of the day, or none.
    const holding = this.profile === 0 ? 0 : profiles.holds(this.profile)
    const isOff =
      !settings.blockingEnabled ||
      isPaused ||
      !clients.isFiltered(index) ||
      (holding !== 0 && profiles.isPaused(this.profile))
    const safety = isOff || holding === 0 ? 0 : profiles.safety(this.profile)
    const isHashed = policy.records.count + policy.peerNames.count + policy.zones.count + safety !== 0
    if (isHashed) {
      this.findZone(policy, name)
      this.#local.find(policy, name.count, this.zone, index)
      if (safety !== 0 && this.records === 0 && this.zone === 0) this.#local.findSafe(policy, name.count, safety)
      if (trace !== null) this.#local.trace(trace)
    }
    if (isOff) {
      this.#settleRecords()
      this.#settleLocal(policy, name)
      this.#settle(Row.off, Status.allowed, Reason.off, 0)
      if (trace === null) return
    }
    if (!isHashed) hashName(name, policy.bundle.table.seeds, this.#lanes1, this.#lanes2)
    const { rules } = policy
    if (index !== 0 && rules.hasRules(client)) this.#followRules(policy, name, client, trace)
    if (holding !== 0 && (this.#isOpen || trace !== null) && rules.hasRules(profileClient(holding)))
      this.#followRules(policy, name, profileClient(holding), trace)
    if (rules.isGlobal && (this.#isOpen || trace !== null)) this.#followRules(policy, name, 0, trace)
    this.#settleRecords()
    if (this.#isOpen && isSpecial(name.bytes, name.length)) {
      this.#settle(Row.special, Status.blocked, Reason.special, 0)
    }
    if (this.#isOpen) this.#settleLocal(policy, name)
    if (this.#isOpen || trace !== null) this.#followLists(policy, name, listsInForce(policy, index), trace)
  }

  /**
   * Decides about the address of 4 or 16 bytes at m[from] in an answer, for the client with this number. Only rules of lists are
   * about addresses; `type` is the record's.
   */
  decideAddress(policy: Policy, m: Uint8Array, from: number, size: number, client: number): void {
    const { clients, conditional } = policy
    this.#reset(clients.indexOf(client))
    this.profile = clients.profileOf(this.client)
    this.#clear()
    const lists = listsInForce(policy, this.client)
    const at = this.#circumstancesFor(policy, lists, 0)
    conditional.matchAddress(m, from, size, at)
    this.#takeConditions(conditional, null)
    this.#settleRows(conditional, lists, Reason.address)
  }

  /** Finds the forwarded zone of a name; it then stands in `zone`. */
  findZone({ zones }: Policy, name: Name): void {
    hashName(name, zones.seeds, this.#lanes1, this.#lanes2)
    this.zone = zones.count === 0 ? 0 : zones.find(this.#lanes1, this.#lanes2, name.count)
  }

  /** The answer leads into a private network, which overrides any earlier decision. `profile` is the client's. */
  blockPrivate(profile: number): void {
    this.#reset(this.client)
    this.profile = profile
    this.status = Status.blocked
    this.reason = Reason.privateAnswer
  }

  #reset(index: number): void {
    this.client = index
    this.status = Status.allowed
    this.reason = Reason.none
    this.source = 0
    this.row = Row.nothing
    this.traits = 0
    this.condition = -1
    this.rewriteCount = 0
    this.#local.records = 0
    this.zone = 0
    this.#isOpen = true
  }

  /** Local records are the answer, unless a rule blocks the name; an allowed one has no other answer for that. */
  #settleRecords(): void {
    if (this.records === 0) return
    if (this.#isOpen || this.status === Status.allowed) {
      this.#isOpen = true
      this.#settle(Row.record, Status.allowed, Reason.local, this.#local.source)
    } else this.#local.records = 0
  }

  /** A name that is never sent upstream is not filtered. One of a forwarded zone is no such name. */
  #settleLocal(policy: Policy, name: Name): void {
    if (this.zone !== 0) return
    const zone = localZoneOf(name, policy.settings.forwardedZones)
    if (zone !== noZone) this.#settle(Row.local, Status.allowed, Reason.local, zone)
  }

  /** Rows 1 and 2, from the name itself to its last parent, so that the most specific rule comes first. */
  #followRules(policy: Policy, name: Name, client: number, trace: Trace | null): void {
    const { rules } = policy
    const row = client === 0 ? Row.globalRule : client > 0 ? Row.clientRule : Row.profileRule
    for (let label = 0; label < name.count; label++) {
      const at = rules.find(client, this.#lanes1[label]!, this.#lanes2[label]!)
      if (at === 0) continue
      const { words } = rules
      // A rule for `*.d` has nothing to say about d itself; about what is below it is the more exact one.
      const allow = (label === 0 ? 0 : words[at + RuleKind.allowBelow]!) || words[at + RuleKind.allow]!
      const block = (label === 0 ? 0 : words[at + RuleKind.blockBelow]!) || words[at + RuleKind.block]!
      if (allow !== 0) this.#settle(row, Status.allowed, Reason.rule, allow)
      else if (block !== 0) this.#settle(row, Status.blocked, Reason.rule, block)
      if (trace !== null) trace.rules(row, label, at)
      else if (!this.#isOpen) return
    }
  }

  /** Rows 3 to 5. */
  #followLists(policy: Policy, name: Name, lists: number, trace: Trace | null): void {
    const { bundle, patterns } = policy
    const { words, bits } = bundle.table
    const { classes } = bundle
    const found = this.#found
    const mask = (1 << bits) - 1
    let isAny = false
    for (let label = name.count - 1; label >= 0; label--) {
      const number = findName(words, mask, this.#lanes1[label]!, this.#lanes2[label]!)
      if (number === 0) continue
      if (!isAny) this.#clear()
      isAny = true
      // What is said of a parent's own name does not hold here, nor what is said of names below this one.
      const at = number * meanings + (label === 0 ? 0 : Meaning.below)
      for (let meaning = 0; meaning < Meaning.below; meaning++) found[meaning]! |= classes[at + meaning]!
      found[Meaning.conditional]! |= classes[number * meanings + Meaning.conditional]!
      if (trace !== null) trace.lists(label, number * meanings)
    }
    if (bundle.patterns.length > 0) {
      if (!isAny) this.#clear()
      isAny = true
      patterns.match(this.#dotted, writeDotted(name, this.#dotted), found)
    }
    if (!isAny) return
    if ((found[Meaning.conditional]! & lists) !== 0) {
      this.#followConditions(policy, name, lists, trace)
      this.#settleRows(policy.conditional, lists, Reason.list)
      return
    }
    this.#settleList(Row.important, Status.allowed, Meaning.allowsImportantly, lists)
    this.#settleList(Row.important, Status.blocked, Meaning.blocksImportantly, lists)
    this.#settleList(Row.exception, Status.allowed, Meaning.allows, lists)
    this.#settleList(Row.block, Status.blocked, Meaning.blocks, lists)
  }

  /** Rules with modifiers: they are examined only when one of them is about the name. */
  #followConditions(policy: Policy, name: Name, lists: number, trace: Trace | null): void {
    const { conditional } = policy
    const length = writeDotted(name, this.#dotted)
    conditional.match(this.#dotted, length, this.#circumstancesFor(policy, lists, name.count))
    this.#takeConditions(conditional, trace)
    this.#settleRewrites(conditional)
  }

  #circumstancesFor({ clients }: Policy, lists: number, labels: number): Circumstances {
    const at = this.#circumstances
    at.type = this.type
    at.audiences = clients.audiencesOf(this.client)
    at.lists = lists
    at.count = labels
    return at
  }

  #takeConditions({ rules, matched, count }: ConditionalRules, trace: Trace | null): void {
    for (let meaning = 0; meaning < Meaning.below; meaning++) this.#extra[meaning] = 0
    for (let k = 0; k < count; k++) {
      const { rewrite, meaning, list } = rules[matched[k]!]!
      if (trace !== null) trace.conditional(matched[k]!)
      if (rewrite === null) this.#extra[meaning]! |= 1 << list
    }
  }

  /** Takes the first rewrite to a response code, or all that give an address. */
  #settleRewrites(conditional: ConditionalRules): void {
    const { rules } = conditional
    if (!this.#isOpen) return
    this.rewriteCount = takeRewrites(conditional, this.rewrites)
    if (this.rewriteCount === 0) return
    const first = this.rewrites[0]!
    const { list, data, traits } = rules[first]!
    this.#settle(Row.rewrite, data === undefined ? Status.blocked : Status.allowed, Reason.list, list)
    this.condition = first
    this.traits = traits
  }

  /** Rows 3 to 5, with what rules with modifiers say. */
  #settleRows(conditional: ConditionalRules, lists: number, reason: ReasonCode): void {
    this.#settleHeld(conditional, Meaning.allowsImportantly, lists, reason)
    this.#settleHeld(conditional, Meaning.blocksImportantly, lists, reason)
    this.#settleHeld(conditional, Meaning.allows, lists, reason)
    this.#settleHeld(conditional, Meaning.blocks, lists, reason)
  }

  /** Nothing found yet. Nine stores take less time than the built-in `fill`. */
  #clear(): void {
    for (let meaning = 0; meaning < meanings; meaning++) this.#found[meaning] = 0
  }

  #settleList(row: number, status: number, meaning: number, lists: number): void {
    const set = (this.#found[meaning]! | this.#found[meaning + Meaning.below]!) & lists
    if (set !== 0) this.#settle(row, status, Reason.list, 31 - Math.clz32(set & -set))
  }

  /** The same as `#settleList`, for a name or an address that rules with modifiers are about. */
  #settleHeld(conditional: ConditionalRules, meaning: number, lists: number, reason: ReasonCode): void {
    if (!this.#isOpen) return
    const plain = (this.#found[meaning]! | this.#found[meaning + Meaning.below]!) & lists
    const set = plain | this.#extra[meaning]!
    if (set === 0) return
    const list = 31 - Math.clz32(set & -set)
    const isException = meaning === Meaning.allows || meaning === Meaning.allowsImportantly
    this.#settle(rowOf[meaning]!, isException ? Status.allowed : Status.blocked, reason, list)
    if ((plain & (1 << list)) === 0) this.#credit(conditional, meaning, list)
  }

  /** Notes which rule with modifiers it was that decided for this list. */
  #credit(conditional: ConditionalRules, meaning: number, list: number): void {
    const place = heldPlace(conditional, meaning, list)
    if (place < 0) return
    this.condition = place
    this.traits = conditional.rules[place]!.traits
  }

  /** The first match counts. */
  #settle(row: number, status: number, reason: ReasonCode, source: number): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.row = row
    this.status = status
    this.reason = reason
    this.source = source
  }
}
