import type { LogEntry } from './log-ring.ts'
import type { EngineSettings } from './engine-settings.ts'
import { SettingsByMode } from './settings-by-mode.ts'
import { localRcode, writeLocal } from './local-answer.ts'
import type { AliasChain } from './alias-chain.ts'
import { RecordWriter } from './record-writer.ts'
import type { Decider } from './policy/decide.ts'
import type { Policy } from './policy/policy.ts'
import { Reason, Status } from './policy/verdict.ts'
import { ExtendedError, Rcode } from './wire/codes.ts'
import type { Question } from './wire/question.ts'
import type { CopiedRecords } from './wire/record-copy.ts'
import { Reply, authorityBytes, blockRcode, writeBlocked } from './wire/reply.ts'

/** Texts of Extended DNS Errors; for lists it is their name. */
const encoder = new TextEncoder()
const ruleText = encoder.encode('custom rule')
const specialText = encoder.encode('kept at this resolver')
const privateText = encoder.encode('private address')

/** Seconds for which a device may remember that a name with local records has none of a type. */
const noDataTtl = 60
/** OPT with an Extended DNS Error without a text. */
const optBytes = 17

/** TTL of the single record in answers to type ANY, seconds. */
const anyTtl = 3600
/** Header values around a body from the cache or an upstream. */
export interface Body {
  readonly rcode: number
  readonly isAuthentic: boolean
  readonly answers: number
  readonly authorities: number
  readonly additionals: number
}

/** A question, and the network for the IPv4 addresses in its answer; undefined: they stay what they are. */
export interface TranslatedQuestion {
  readonly question: Question
  readonly network: Uint8Array | undefined
}

/** Writes the answers an engine gives, and notes their response code. */
export class AnswerWriter {
  policy: Policy
  readonly #settings = new SettingsByMode()
  #out: Uint8Array = new Uint8Array(0)
  #outAt = 0
  #most = 0
  readonly #question: Question
  readonly #entry: LogEntry
  readonly #reply = new Reply()
  readonly #records = new RecordWriter()

  constructor(
    question: Question,
    entry: LogEntry,
    parts: { readonly policy: Policy; readonly settings: EngineSettings },
  ) {
    this.#question = question
    this.#entry = entry
    this.policy = parts.policy
    this.settings = parts.settings
  }

  get settings(): EngineSettings {
    return this.#settings.plain
  }

  set settings(settings: EngineSettings) {
    this.#settings.use(settings)
  }

  /** Sets the buffer for answers to the question just read, and whether it came by TCP. */
  take(out: Uint8Array, outAt: number, isStream: boolean): void {
    this.#out = out
    this.#outAt = outAt
    this.#most = Math.min(isStream ? 65_535 : this.#question.limit, out.length - outAt)
  }

  /** Header and question of an answer whose body is written behind them; `complete` ends it. */
  begin(rcode: number): void {
    this.#reply.begin(this.#question, rcode, this.#out, this.#outAt)
  }

  /** Queries of type ANY get a minimal answer (RFC 8482). */
  any(): number {
    this.begin(Rcode.noError)
    this.#reply.answerAny(anyTtl)
    return this.#reply.finish(this.#question, Rcode.noError, ExtendedError.none, undefined)
  }

  /** Counts, bits and OPT around a body that stands in `out` already. */
  complete(body: Body, length: number, error: number): number {
    const out = this.#out
    const outAt = this.#outAt
    out[outAt + 6] = body.answers >> 8
    out[outAt + 7] = body.answers
    out[outAt + 8] = body.authorities >> 8
    out[outAt + 9] = body.authorities
    out[outAt + 10] = body.additionals >> 8
    out[outAt + 11] = body.additionals
    const question = this.#question
    const isAuthentic = body.isAuthentic && this.settings.dnssec && (question.dnssecOk || question.wantsAuthentic)
    if (isAuthentic) out[outAt + 3]! |= 0x20
    this.#entry.rcode = body.rcode
    this.#reply.at += length
    return this.#reply.finish(question, body.rcode, error, undefined)
  }

  /** Returns true if a body of this length can go to the client, with question and OPT. */
  fits(length: number): boolean {
    return this.#question.end + length + (this.#question.hasOpt ? optBytes : 0) <= this.#most
  }

  /** The answer for a blocked name, as the settings or the profile want it, with the reason as an Extended DNS Error. */
  block(decider: Decider): number {
    const settings = this.#settings.of(this.policy, decider.profile)
    const question = this.#question
    const isSpecial = decider.reason === Reason.special
    const rcode = isSpecial ? Rcode.noSuchName : blockRcode(settings.blockMode)
    this.begin(rcode)
    if (isSpecial) this.#reply.authority(settings.blockTtl)
    else writeBlocked(this.#reply, question.type, settings)
    this.#entry.rcode = rcode
    return this.#reply.finish(question, rcode, ExtendedError.blocked, this.#textFor(decider))
  }

  /** The answer a list's rules give themselves (`$dnsrewrite`): a response code, or addresses of the queried type. */
  rewrite(decider: Decider): number {
    const { rules } = this.policy.conditional
    const question = this.#question
    const first = rules[decider.rewrites[0]!]!.rewrite!
    this.begin(first.rcode)
    let answers = 0
    for (let k = 0; k < decider.rewriteCount; k++) {
      const { rewrite, data } = rules[decider.rewrites[k]!]!
      if (data === undefined || rewrite!.type !== question.type) continue
      this.#reply.answer(question.type, this.settings.blockTtl, data)
      answers += 1
    }
    if (answers > 0) this.#out[this.#outAt + 7] = answers
    else if (first.rcode !== Rcode.refused && first.rcode !== Rcode.serverFailure)
      this.#reply.authority(this.settings.blockTtl)
    this.#entry.rcode = first.rcode
    const error = decider.status === Status.blocked ? ExtendedError.blocked : ExtendedError.forged
    return this.#reply.finish(question, first.rcode, error, this.#textFor(decider))
  }

  /** The answer for a name in the local zone of this index. */
  local(zone: number): number {
    const question = this.#question
    const rcode = localRcode(question, zone)
    this.begin(rcode)
    this.#reply.authoritative()
    writeLocal(this.#reply, question, zone)
    this.#entry.rcode = rcode
    return this.#reply.finish(question, rcode, ExtendedError.none, undefined)
  }

  /** The answer from local records: the chain of aliases, then the last name's records of the asked type, or the SOA. */
  records(chain: AliasChain): number {
    const { records, table } = chain
    const rcode = table !== undefined && records === table.denied ? Rcode.noSuchName : Rcode.noError
    const writer = this.#beginRecords(rcode)
    if (writer.chain(chain) < 0) return this.truncated(rcode)
    const first = table?.first(records, this.#question.type) ?? 0
    if (table === undefined || first === 0) return this.#noData(writer, rcode)
    const at = writer.records(table, first, table.run(records, first))
    if (at < 0) return this.truncated(rcode)
    this.#reply.authoritative()
    return this.#endRecords(at, rcode)
  }

  /** A chain of aliases to a name that no upstream is asked for. */
  aliasesOnly(chain: AliasChain): number {
    const writer = this.#beginRecords(chain.rcode)
    return writer.chain(chain) < 0 ? this.truncated(chain.rcode) : this.#noData(writer, chain.rcode)
  }

  /**
   * A chain of aliases, which may be empty, and what an upstream or the cache says about the name at its end, the target's. IPv4
   * addresses go into the network of a translated target.
   */
  chained(chain: AliasChain, target: TranslatedQuestion, body: Body, from: CopiedRecords, error: number): number {
    const writer = this.#beginRecords(body.rcode)
    if (writer.chain(chain) < 0) return this.truncated(body.rcode)
    const at = writer.copy(target.question, body, from, target.network)
    return at < 0 ? this.truncated(body.rcode) : this.#endRecords(at, body.rcode, error)
  }

  #beginRecords(rcode: number): RecordWriter {
    this.begin(rcode)
    const limit = this.#outAt + this.#most - (this.#question.hasOpt ? optBytes : 0)
    this.#records.begin(this.policy.records, this.#out, this.#question, this.#outAt, limit)
    return this.#records
  }

  #noData(writer: RecordWriter, rcode: number): number {
    this.#reply.authoritative()
    const { at } = writer
    const room = this.#outAt + this.#most - (this.#question.hasOpt ? optBytes : 0) - at
    if (room < authorityBytes) return this.truncated(rcode)
    this.#reply.at = at
    this.#reply.authority(noDataTtl, writer.owner)
    writer.authorities = 1
    return this.#endRecords(this.#reply.at, rcode)
  }

  #endRecords(at: number, rcode: number, error: number = ExtendedError.none): number {
    const out = this.#out
    const { answers, authorities } = this.#records
    out[this.#outAt + 6] = answers >> 8
    out[this.#outAt + 7] = answers
    out[this.#outAt + 8] = authorities >> 8
    out[this.#outAt + 9] = authorities
    this.#reply.at = at
    this.#entry.rcode = rcode
    return this.#reply.finish(this.#question, rcode, error, undefined)
  }

  #textFor(decider: Decider): Uint8Array | undefined {
    if (decider.reason === Reason.list || decider.reason === Reason.address)
      return this.policy.listNames[decider.source]
    if (decider.reason === Reason.rule) return ruleText
    return decider.reason === Reason.special ? specialText : privateText
  }

  /** The answer is too long for a datagram: only TC is set, so that the client queries by TCP. */
  truncated(rcode: number): number {
    this.begin(rcode)
    this.#reply.truncate()
    this.#entry.rcode = rcode
    return this.#reply.finish(this.#question, rcode, ExtendedError.none, undefined)
  }

  /** An answer with only a response code. */
  plain(rcode: number, error: number): number {
    this.begin(rcode)
    this.#entry.rcode = rcode
    return this.#reply.finish(this.#question, rcode, error, undefined)
  }
}
