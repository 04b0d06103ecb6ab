import { type Name, writeDotted } from '../wire/name.ts'
import { Meaning, meanings } from './membership.ts'
import { type NameSeeds, finish, step1, step2 } from './name-hash.ts'
import type { Policy } from './policy.ts'
import { localZoneOf, noZone } from './local-zones.ts'
import { Row } from './precedence.ts'
import { RuleKind } from './rule-table.ts'
import { isSpecial } from './special-names.ts'
import { findName } from './suffix-table.ts'
import { Reason, type ReasonCode, Status } from './verdict.ts'

/** Is told of everything that matches on the way to a decision; see `explain.ts`. */
export interface Trace {
  /** Rules for the client (or for everyone) about the parent of the name that starts with this label; `at` is their slot. */
  rules(row: number, label: number, at: number): void
  /** Lists name the parent of the name that starts with this label; `at` is the class's place in the bundle's classes. */
  lists(label: number, at: number): void
}

/** Whether filtering is paused at this moment, milliseconds since the epoch. */
export const isPausedAt = (policy: Policy, now: number): boolean => now < policy.settings.pausedUntil

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
  /** The row that decided, see `Row`. */
  row: number = Row.nothing
  readonly #lanes1 = new Int32Array(128)
  readonly #lanes2 = new Int32Array(128)
  readonly #found = new Uint32Array(meanings)
  readonly #dotted = new Uint8Array(256)
  #isOpen = true

  /**
   * Decides about a name for the client with this number, while filtering is paused or not (`isPaused`): moments are fractions to
   * the engine, and handing one on takes memory.
   */
  decide(policy: Policy, name: Name, client: number, isPaused: boolean, trace: Trace | null): void {
    const { clients, settings } = policy
    const index = clients.indexOf(client)
    this.client = index
    this.status = Status.allowed
    this.reason = Reason.none
    this.source = 0
    this.row = Row.nothing
    this.#isOpen = true
    if (!settings.blockingEnabled || isPaused || !clients.isFiltered(index)) {
      this.#settleLocal(policy, name)
      this.#settle(Row.off, Status.allowed, Reason.off, 0)
      if (trace === null) return
    }
    this.#hash(name, policy.bundle.table.seeds)
    const { rules } = policy
    if (index !== 0 && rules.hasRules(client)) this.#followRules(policy, name, client, trace)
    if (rules.isGlobal && (this.#isOpen || trace !== null)) this.#followRules(policy, name, 0, trace)
    if (this.#isOpen && isSpecial(name.bytes, name.length)) {
      this.#settle(Row.special, Status.blocked, Reason.special, 0)
    }
    if (this.#isOpen) this.#settleLocal(policy, name)
    if (this.#isOpen || trace !== null) this.#followLists(policy, name, clients.listsOf(index), trace)
  }

  /** A name that no upstream is asked for is not filtered either. */
  #settleLocal(policy: Policy, name: Name): void {
    const zone = localZoneOf(name, policy.settings.forwardedZones)
    if (zone !== noZone) this.#settle(Row.local, Status.allowed, Reason.local, zone)
  }

  /** The lanes of the name and of all its parents, in one pass from the last label to the first. */
  #hash(name: Name, seeds: NameSeeds): void {
    const { bytes, labels } = name
    let lane1 = seeds.first
    let lane2 = seeds.second
    for (let label = name.count - 1; label >= 0; label--) {
      let at = labels[label]!
      for (const stop = at + bytes[at]!; at <= stop; at++) {
        const byte = bytes[at]!
        lane1 = step1(lane1, byte)
        lane2 = step2(lane2, byte)
      }
      this.#lanes1[label] = finish(lane1)
      this.#lanes2[label] = lane2
    }
  }

  /** Rows 1 and 2, from the name itself to its last parent, so that the most specific rule comes first. */
  #followRules(policy: Policy, name: Name, client: number, trace: Trace | null): void {
    const { rules } = policy
    const row = client === 0 ? Row.globalRule : Row.clientRule
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
      if (trace !== null) trace.lists(label, number * meanings)
    }
    if (bundle.patterns.length > 0) {
      if (!isAny) this.#clear()
      isAny = true
      patterns.match(this.#dotted, writeDotted(name, this.#dotted), found)
    }
    if (!isAny) return
    this.#settleList(Row.important, Status.allowed, Meaning.allowsImportantly, lists)
    this.#settleList(Row.important, Status.blocked, Meaning.blocksImportantly, lists)
    this.#settleList(Row.exception, Status.allowed, Meaning.allows, lists)
    this.#settleList(Row.block, Status.blocked, Meaning.blocks, lists)
  }

  /** Nothing found yet. Eight stores take less time than the built-in `fill`. */
  #clear(): void {
    for (let meaning = 0; meaning < meanings; meaning++) this.#found[meaning] = 0
  }

  #settleList(row: number, status: number, meaning: number, lists: number): void {
    const set = (this.#found[meaning]! | this.#found[meaning + Meaning.below]!) & lists
    if (set !== 0) this.#settle(row, status, Reason.list, 31 - Math.clz32(set & -set))
  }

  /** The first one counts. */
  #settle(row: number, status: number, reason: ReasonCode, source: number): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.row = row
    this.status = status
    this.reason = reason
    this.source = source
  }
}
