import { AliasChain, Lead } from './alias-chain.ts'
import type { AnswerContext } from './answer-check.ts'
import type { AnswerWriter, Body } from './answer-writer.ts'
import { Ipv4Question, isNat64Network } from './ipv4-question.ts'
import type { LogEntry } from './log-ring.ts'
import { noteDecision } from './log-note.ts'
import { Outcome } from './outcome.ts'
import type { Decider } from './policy/decide.ts'
import { Trait } from './policy/verdict.ts'
import { ExtendedError, Rcode } from './wire/codes.ts'
import type { Question } from './wire/question.ts'

const noRecords = { rcode: Rcode.noError, isAuthentic: false, answers: 0, authorities: 0, additionals: 0 }

/**
 * The question that the cache and upstreams answer, and the decision about it: the client's, the last one of a chain of local
 * aliases, or the one about IPv4 addresses in the place of either (DNS64).
 */
export class QueryTarget {
  question: Question
  decider: Decider
  /** The network that IPv4 addresses are put into, when the client asked for IPv6 addresses; undefined for none. */
  network: Uint8Array | undefined
  readonly #ipv4 = new Ipv4Question()
  readonly #chain = new AliasChain()
  readonly #own: Question
  readonly #entry: LogEntry
  readonly #writer: AnswerWriter
  readonly #copied = { m: new Uint8Array(0) as Uint8Array, o: 0, n: 0, from: 0, count: 0 }

  /** The client's question, the decision about it, and what is told of both. */
  constructor(own: Question, decider: Decider, told: { readonly entry: LogEntry; readonly writer: AnswerWriter }) {
    this.question = own
    this.decider = decider
    this.#own = own
    this.#entry = told.entry
    this.#writer = told.writer
  }

  /** True when the answer has to be copied: it begins with local aliases, or its addresses become others. */
  get isCopied(): boolean {
    return this.#chain.count !== 0 || this.network !== undefined
  }

  /** Asks for the IPv4 addresses of the name instead, to put them into this network. */
  askForIpv4(network: Uint8Array): void {
    this.question = this.#ipv4.about(this.question)
    this.network = network
  }

  /** The client's own question is the one to answer. */
  reset(decider: Decider): void {
    this.question = this.#own
    this.decider = decider
    this.network = undefined
    this.#chain.count = 0
  }

  /** Answers from the records that a decision found; `Outcome.forward` when they lead to a name that has none, which is the target then. */
  answer(asker: AnswerContext, found: Decider): number {
    const chain = this.#chain
    const writer = this.#writer
    switch (chain.follow(asker, this.#own, found)) {
      case Lead.records:
        return writer.records(chain)
      case Lead.nowhere:
        return writer.aliasesOnly(chain)
      case Lead.loop:
        return writer.plain(Rcode.serverFailure, ExtendedError.none)
      case Lead.blocked:
        noteDecision(this.#entry, chain.decider)
        this.#entry.traits |= Trait.cname
        return writer.block(chain.decider)
      default:
        this.question = chain.question
        this.decider = chain.decider
        return Outcome.forward
    }
  }

  /** Writes the aliases and the answer m[o .. o + n) about the last name. */
  complete(body: Body & { readonly hasPrivate: boolean }, m: Uint8Array, o: number, n: number, error: number): number {
    const { network } = this
    // No translator may have private addresses in the network that is the same everywhere (RFC 6052 3.1).
    const isKeptBack = network !== undefined && body.hasPrivate && isNat64Network(network)
    const copied = this.#copied
    copied.m = m
    copied.o = o
    copied.n = n
    copied.from = o + this.question.end
    return this.#writer.chained(this.#chain, this, isKeptBack ? noRecords : body, copied, error)
  }
}
