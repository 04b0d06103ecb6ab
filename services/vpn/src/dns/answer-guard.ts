import { AnswerCheck, type AnswerContext, type AnswerFacts, Objection, checksAddresses } from './answer-check.ts'
import type { AnswerWriter } from './answer-writer.ts'
import type { EngineSettings } from './engine-settings.ts'
import { noteDecision } from './log-note.ts'
import type { LogEntry } from './log-ring.ts'
import type { Decider } from './policy/decide.ts'
import { Reason, Status, Trait } from './policy/verdict.ts'
import type { QueryTarget } from './query-target.ts'
import { ExtendedError, Rcode } from './wire/codes.ts'

/** Keeps back answers that may not go out, and writes what stands in for them. */
export class AnswerGuard {
  readonly #target: QueryTarget
  readonly #entry: LogEntry
  readonly #writer: AnswerWriter
  readonly #check = new AnswerCheck()
  readonly #addressRules: { settings: EngineSettings; decider: Decider }

  constructor(
    target: QueryTarget,
    settings: EngineSettings,
    told: { readonly entry: LogEntry; readonly writer: AnswerWriter },
  ) {
    this.#target = target
    this.#entry = told.entry
    this.#writer = told.writer
    this.#addressRules = { settings, decider: target.decider }
  }

  /** Puts other settings in force. */
  configure(settings: EngineSettings): void {
    this.#addressRules.settings = settings
  }

  /** Returns the length of the answer that is written in the place of m[o .. o + n); 0 when that one may go out. */
  refuse(asker: AnswerContext, body: AnswerFacts, m: Uint8Array, o: number, n: number): number {
    if (!body.hasTargets && !body.hasPrivate && !asker.policy.conditional.hasAddresses) return 0
    const check = this.#check
    const { decider, question } = this.#target
    this.#addressRules.decider = decider
    check.checksTargets = decider.status === Status.allowed && decider.reason === Reason.none
    check.checksAddresses = body.hasPrivate && checksAddresses(this.#addressRules, question.name)
    if (!check.checksTargets && !check.checksAddresses) return 0
    const objection = check.check(asker, m, o, n, body.answers)
    return objection === Objection.none ? 0 : this.#answer(objection)
  }

  #answer(objection: number): number {
    if (objection === Objection.unreadable) return this.#writer.plain(Rcode.serverFailure, ExtendedError.none)
    const { decider } = this.#check
    if (objection === Objection.privateAddress) decider.blockPrivate(this.#target.decider.profile)
    noteDecision(this.#entry, decider)
    if (objection === Objection.target) this.#entry.traits |= Trait.cname
    return this.#writer.block(decider)
  }
}
