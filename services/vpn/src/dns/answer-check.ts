import type { EngineSettings } from './engine-settings.ts'
import { Decider } from './policy/decide.ts'
import type { Policy } from './policy/policy.ts'
import { Reason, Status } from './policy/verdict.ts'
import { Type } from './wire/codes.ts'
import { Name, isWithin, readName } from './wire/name.ts'
import { hasPrivateHint, isPrivateRecord } from './wire/private-address.ts'
import type { Question } from './wire/question.ts'
import { RecordReader } from './wire/record-reader.ts'

/** Reasons why an answer may not go out. */
export const Objection = { none: 0, target: 1, privateAddress: 2, unreadable: 3, listedAddress: 4 } as const

/** More bytes than any parameter has: a step over what holds no addresses. */
const longest = 65_536

/** Examines the records of an answer before it goes to a client: where they lead, and into which networks. */
export class AnswerCheck {
  /** Reason why a target is blocked, after `Objection.target`. */
  readonly decider = new Decider()
  /** True if targets and addresses are checked. Set before `check`. */
  checksTargets = false
  checksAddresses = false
  readonly #reader = new RecordReader()
  readonly #target = new Name()

  /**
   * Goes through the first `answers` records of m[o .. o + n) behind the question. Returns an `Objection`; the first one counts,
   * blocked targets before private addresses as the chain comes before what it leads to.
   */
  check(context: AnswerContext, m: Uint8Array, o: number, n: number, answers: number): number {
    const reader = this.#reader
    const end = o + n
    reader.open(m, end, o + context.question.end)
    for (let k = 0; k < answers; k++) {
      if (!reader.next()) return Objection.unreadable
      const { type, dataAt, dataEnd } = reader
      let objection: number = Objection.none
      if (type === Type.cname) objection = this.#checkTarget(context, m, o, dataEnd, dataAt)
      else if (type === Type.https || type === Type.svcb) objection = this.#checkService(context, m, o)
      else if (this.checksAddresses && isPrivateRecord(m, type, dataAt, dataEnd)) objection = Objection.privateAddress
      else if (type === Type.a || type === Type.aaaa) objection = this.#checkAddress(context, m, dataAt, dataEnd, type)
      if (objection !== Objection.none) return objection
    }
    return Objection.none
  }

  /** The name that stands at m[at] is one the answer leads to. */
  #checkTarget(context: AnswerContext, m: Uint8Array, o: number, end: number, at: number): number {
    if (readName(this.#target, m, o, end, at) < 0) return Objection.unreadable
    if (!this.checksTargets || this.#target.count === 0) return Objection.none
    this.decider.type = this.#reader.type
    this.decider.decide(context.policy, this.#target, context.client, context.isPaused, null)
    return this.decider.status === Status.blocked ? Objection.target : Objection.none
  }

  /** SVCB and HTTPS: priority, target name, parameters (RFC 9460 2.2). */
  #checkService(context: AnswerContext, m: Uint8Array, o: number): number {
    const { dataAt, dataEnd } = this.#reader
    const after = readName(this.#target, m, o, dataEnd, dataAt + 2)
    if (after < 0) return Objection.unreadable
    const objection = this.#checkTarget(context, m, o, dataEnd, dataAt + 2)
    if (objection !== Objection.none) return objection
    if (this.checksAddresses && hasPrivateHint(m, after, dataEnd)) return Objection.privateAddress
    return this.#checkHints(context, m, after, dataEnd)
  }

  /** Returns true if a list is about the address at m[at..end). */
  #checkAddress(context: AnswerContext, m: Uint8Array, at: number, end: number, type: number): number {
    if (!this.checksTargets || !context.policy.conditional.hasAddresses) return Objection.none
    if (end - at !== (type === Type.a ? 4 : 16)) return Objection.none
    this.decider.type = type
    this.decider.decideAddress(context.policy, m, at, end - at, context.client)
    return this.decider.status === Status.blocked ? Objection.listedAddress : Objection.none
  }

  /** The address hints of an SVCB or HTTPS record (RFC 9460 7.3), whose parameters stand at m[from..to). */
  #checkHints(context: AnswerContext, m: Uint8Array, from: number, to: number): number {
    if (!this.checksTargets || !context.policy.conditional.hasAddresses) return Objection.none
    for (let at = from; at + 4 <= to;) {
      const key = (m[at]! << 8) | m[at + 1]!
      const end = Math.min(to, at + 4 + ((m[at + 2]! << 8) | m[at + 3]!))
      const size = key === 4 ? 4 : key === 6 ? 16 : longest
      for (let hint = at + 4; hint + size <= end; hint += size) {
        const objection = this.#checkAddress(context, m, hint, hint + size, size === 4 ? Type.a : Type.aaaa)
        if (objection !== Objection.none) return objection
      }
      at = end
    }
    return Objection.none
  }
}

/** The client that an answer is examined for. */
export interface AnswerContext {
  policy: Policy
  client: number
  /** True if filtering is paused. */
  isPaused: boolean
  question: Question
}

/** Settings and decision that determine whether the addresses of an answer are checked. */
interface AddressRules {
  readonly settings: Pick<EngineSettings, 'blockPrivateAnswers' | 'privateAnswersAllowed'>
  readonly decider: Pick<Decider, 'reason' | 'zone'>
}

/**
 * Returns true if answers about a name may not lead into private networks (DNS rebinding): the settings say so, filtering is on, no rule
 * allows the name, and it is not one of the local network, nor of a forwarded zone.
 */
export const checksAddresses = ({ settings, decider }: AddressRules, name: Name): boolean =>
  settings.blockPrivateAnswers &&
  decider.reason !== Reason.off &&
  decider.reason !== Reason.rule &&
  decider.zone === 0 &&
  !mayBePrivate(name, settings.privateAnswersAllowed)

/** One of these domains, in wire form, or below one; or a name without a dot, such as `router`. */
function mayBePrivate(name: Name, domains: readonly Uint8Array[]): boolean {
  if (name.count === 1) return true
  for (let k = 0; k < domains.length; k++) if (isWithin(name, domains[k]!)) return true
  return false
}

/** Facts about an answer's records that are known before they are checked one by one. */
export interface AnswerFacts {
  readonly hasTargets: boolean
  readonly hasPrivate: boolean
  readonly answers: number
}
