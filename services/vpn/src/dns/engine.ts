import type { LogEntry } from './log-ring.ts'
import { type AnswerCache, type CacheLimits, Freshness, maxAnswerBytes } from './answer-cache.ts'
import { AnswerWriter } from './answer-writer.ts'
import { emptyEntry, noteDecision, noteQuestion } from './log-note.ts'
import type { AnswerContext } from './answer-check.ts'
import { AnswerGuard } from './answer-guard.ts'
import { type Answered, Outcome } from './outcome.ts'
import type { EngineDependencies, EngineSettings } from './engine-settings.ts'
import { isTranslatable } from './ipv4-question.ts'
import { isQueriedAtParent } from './local-answer.ts'
import { Decider } from './policy/decide.ts'
import { type Policy, isPausedAt } from './policy/policy.ts'
import { Reason, Status, Trait } from './policy/verdict.ts'
import { QuestionKey } from './question-key.ts'
import { QueryRoute } from './query-route.ts'
import { QueryTarget } from './query-target.ts'
import { RandomBits } from './random-case.ts'
import { ReceivedAnswer } from './received-answer.ts'
import { writeUpstreamQuery } from './upstream-query.ts'
import { ExtendedError, Rcode, Type } from './wire/codes.ts'
import { Question, isSameQuestion, unanswerable } from './wire/question.ts'
import { maxReplyBytes } from './wire/reply.ts'

/** Time for which a stale answer is served before an upstream is queried again (RFC 8767 5), seconds. */
const retrySeconds = 5
const week = 604_800
/** Moments in the cache are counted from here, so that they fit in 32 bits until 2091. */
const epoch = 1_700_000_000

/**
 * Handles queries: decides, answers from the cache or asks for an upstream query. It holds no socket and no timer, and its
 * `handleQuery`, `accept`, `finish` and `fail` allocate nothing.
 */
export class Engine {
  /** Milliseconds since the epoch, set by the caller once a batch. */
  now = 0
  /** Buffer for answers, with room for 4096 bytes from `outAt` on (stream: 65,535). */
  out: Uint8Array = new Uint8Array(65_535)
  outAt = 0
  /** The query came by TCP: the answer is not cut to what fits a datagram. */
  isStream = false
  /** Hash that equal questions share, after `handleQuery` has looked into the cache: two times 32 bits. */
  questionHash1 = 0
  questionHash2 = 0
  /** Upstreams for the query, after `handleQuery`. */
  readonly route = new QueryRoute()
  /** True if `handleQuery` answered from the cache with what is to be renewed before it ends. */
  isEnding = false
  /** True if the client's queries may stand in the log (its own setting). */
  isLogged = true
  /**
   * Log entry of the query last handled, finished or failed. The same object each time; `micros` and `upstream` are the
   * caller's to set. Without a name (`nameLength` 0) it was no question that can be logged.
   */
  readonly entry: LogEntry
  #policy: Policy
  #settings: EngineSettings
  #cache: AnswerCache
  /** Key of the question that was looked up last; its seeds are this engine's. */
  readonly key: QuestionKey
  readonly #question = new Question()
  readonly #target: QueryTarget
  readonly #guard: AnswerGuard
  readonly #decider = new Decider()
  readonly #received = new ReceivedAnswer()
  readonly #writer: AnswerWriter
  readonly #stored = { message: new Uint8Array(0), at: 0, from: 0 }
  readonly #asker: AnswerContext
  readonly #upstream: { id: number; wantsAuthentic: boolean; bits: RandomBits }

  constructor(dependencies: EngineDependencies) {
    const random =
      dependencies.random ?? ((bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))
    this.#policy = dependencies.policy
    this.#settings = dependencies.settings
    this.#cache = dependencies.cache
    const seeds = new Uint8Array(8)
    random(seeds)
    const words = new DataView(seeds.buffer)
    this.key = new QuestionKey(words.getInt32(0), words.getInt32(4))
    this.#asker = { policy: dependencies.policy, client: 0, isPaused: false, question: this.#question }
    this.#upstream = { id: 0, wantsAuthentic: false, bits: new RandomBits(random) }
    this.entry = emptyEntry(this.#question.name.bytes)
    this.#writer = new AnswerWriter(this.#question, this.entry, dependencies)
    const told = { entry: this.entry, writer: this.#writer }
    this.#target = new QueryTarget(this.#question, this.#decider, told)
    this.#guard = new AnswerGuard(this.#target, dependencies.settings, told)
  }

  /** Puts another policy in force; between batches. The cache stays, as it holds only what upstreams said. */
  use(policy: Policy): void {
    this.#policy = policy
    this.#asker.policy = policy
    this.#writer.policy = policy
  }

  /** Puts other settings, and if given another cache, in force; between batches. */
  configure(settings: EngineSettings, cache: AnswerCache = this.#cache): void {
    this.#settings = settings
    this.#guard.configure(settings)
    this.#writer.settings = settings
    this.#cache = cache
  }

  /** The policy in force. */
  get policy(): Policy {
    return this.#policy
  }

  /** Bounds of the time for which answers are kept. */
  get limits(): CacheLimits {
    return this.#settings.cache
  }

  /** The cache in use. */
  get cache(): AnswerCache {
    return this.#cache
  }

  /**
   * Takes in the query d[o .. o + n) of the client with this number (0: unknown) and answers it, or returns forward. Returns
   * the answer's length or an `Outcome`.
   */
  handleQuery(d: Uint8Array, o: number, n: number, client: number): number {
    this.isEnding = false
    const early = this.#begin(d, o, n, client)
    return early === Outcome.forward ? this.#lookUp() : early
  }

  /** Answers the target's question from the cache, or returns forward. */
  #lookUp(): number {
    this.route.take(this.#policy, this.#target.decider)
    this.key.take(this.#target.question, this.route.scope)
    const entry = this.#cache.find(this.key)
    this.questionHash1 = this.key.hash1
    this.questionHash2 = this.key.hash2
    if (entry < 0) return Outcome.forward
    const freshness = this.#cache.freshness(entry, this.seconds)
    const isFresh = freshness === Freshness.fresh
    if (!isFresh && (freshness === Freshness.past || !this.#settings.serveStale)) return Outcome.forward
    if (this.#turnsToIpv4(this.#cache.lacksType(entry))) return this.#lookUp()
    this.isEnding = isFresh && this.#settings.prefetch && this.#cache.isEnding(entry, this.seconds)
    return this.#fromCache(entry, !isFresh)
  }

  /** Of an answer that lacks what was asked for: turns a question about IPv6 addresses into one about IPv4 addresses. */
  #turnsToIpv4(lacksType: boolean): boolean {
    const { dns64 } = this.#settings
    if (dns64 === undefined || !lacksType || !isTranslatable(this.#target.question)) return false
    this.#target.askForIpv4(dns64)
    return true
  }

  /**
   * Right after `handleQuery` or `finish` returned forward: writes the query for an upstream to u[at ..], at most 300 bytes, with this id and the case of
   * its letters drawn (0x20). Returns its length.
   */
  writeUpstream(u: Uint8Array, at: number, id: number): number {
    this.#upstream.id = id
    this.#upstream.wantsAuthentic = this.#settings.dnssec
    return writeUpstreamQuery(this.#target.question, this.#upstream, u, at)
  }

  /**
   * Returns true if m[o .. o + n) answers the query that was sent as u[at ..]: id, question byte for byte. It is then put into the
   * cache, and the TTLs in it are brought within the limits. Addresses and ports are the caller's to compare.
   */
  accept(m: Uint8Array, o: number, n: number, u: Uint8Array, at: number): boolean {
    const received = this.#received
    if (!received.take(m, o, n, u, at)) return false
    if (!received.isReadable) return true
    const { scan, sent } = received
    const { minTtl, maxTtl } = this.#settings.cache
    const life = scan.limitTtls(m, o, minTtl, maxTtl === 0 ? week : maxTtl)
    if (life === 0) return true
    this.key.take(sent, this.route.sentScope)
    const stored = this.#stored as { message: Uint8Array; at: number; from: number }
    stored.message = m
    stored.at = o
    stored.from = sent.end
    this.#cache.store(this.key, scan, stored, this.seconds, life)
    return true
  }

  /**
   * The answer for a client whose query was forwarded, also one of several that waited for the same. Its length, drop, or
   * forward when the name has to be asked for again, for its IPv4 addresses.
   */
  finish(answered: Answered): number {
    const early = this.#begin(answered.query, answered.queryAt, answered.queryLength, answered.client)
    if (early !== Outcome.forward) return early
    const { answer: m, answerAt: o, answerLength: n } = answered
    const { scan } = this.#received
    // The answer says which of the two questions it was.
    if (this.#settings.dns64 !== undefined) this.#turnsToIpv4(!isSameQuestion(this.#target.question, m, o, n))
    const { question } = this.#target
    // Two questions with the same hash are not the same question yet.
    if (!isSameQuestion(question, m, o, n) || !this.#received.read(m, o, n, question)) return this.#giveUp()
    // Keeps the Extended DNS Error: a validating upstream reports a wrong signature by it.
    if (scan.rcode === Rcode.serverFailure) return this.#stale() || this.#writer.plain(scan.rcode, scan.error)
    if (scan.isTruncated) return this.#writer.truncated(scan.rcode)
    if (scan.rcode !== Rcode.noError && scan.rcode !== Rcode.noSuchName)
      return this.#writer.plain(scan.rcode, scan.error)
    if (this.#turnsToIpv4(scan.rcode === Rcode.noError && !scan.hasQueriedType)) return this.#lookUp()
    const refused = this.#guard.refuse(this.#asker, scan, m, o, n)
    if (refused !== 0) return refused
    if (this.#target.isCopied) return this.#target.complete(scan, m, o, n, ExtendedError.none)
    const length = scan.end - question.end
    if (!this.#writer.fits(length)) return this.#writer.truncated(scan.rcode)
    this.#writer.begin(scan.rcode)
    for (let k = 0, from = o + question.end, to = this.outAt + question.end; k < length; k++)
      this.out[to + k] = m[from + k]!
    return this.#writer.complete(scan, length, ExtendedError.none)
  }

  /**
   * No upstream answered d[o .. o + n): writes an expired answer when the settings allow it, otherwise SERVFAIL. Its length, or
   * drop.
   */
  fail(d: Uint8Array, o: number, n: number, client: number): number {
    const early = this.#begin(d, o, n, client)
    return early === Outcome.forward ? this.#giveUp() : early
  }

  /** An upstream takes long over d[o .. o + n): writes an expired answer when the settings allow it. Its length, or drop. */
  expired(d: Uint8Array, o: number, n: number, client: number): number {
    const early = this.#begin(d, o, n, client)
    return early === Outcome.forward ? this.#stale() : early
  }

  /**
   * Reads a query, decides about its name and answers it when that is enough. `Outcome.forward` for a question that has to be
   * answered from somewhere.
   */
  #begin(d: Uint8Array, o: number, n: number, client: number): number {
    const question = this.#question
    const problem = question.read(d, o, n)
    noteQuestion(this.entry, question, client)
    this.entry.at = this.now
    if (this.isStream) this.entry.traits = Trait.tcp
    this.#writer.take(this.out, this.outAt, this.isStream)
    if (problem === unanswerable || this.out.length - this.outAt < maxReplyBytes) return Outcome.drop
    const { clients } = this.#policy
    if (problem !== 0) {
      this.isLogged = clients.isLogged(clients.indexOf(client))
      return this.#writer.plain(problem, ExtendedError.none)
    }
    const decider = this.#decider
    this.#target.reset(decider)
    decider.type = question.type
    const asker = this.#asker
    asker.client = client
    asker.isPaused = isPausedAt(this.#policy, this.now)
    asker.question = question
    decider.decide(this.#policy, question.name, client, asker.isPaused, null)
    noteDecision(this.entry, decider)
    this.isLogged = clients.isLogged(decider.client)
    if (decider.rewriteCount > 0) return this.#writer.rewrite(decider)
    if (decider.status === Status.blocked) return this.#writer.block(decider)
    if (decider.records !== 0) return question.type === Type.any ? this.#writer.any() : this.#fromRecords()
    if (decider.reason === Reason.local && !isQueriedAtParent(question, decider.source))
      return this.#writer.local(decider.source)
    if (question.type === Type.any) return this.#writer.any()
    return Outcome.forward
  }

  /** The answer from local records; `Outcome.forward` when they lead to a name that has none. */
  #fromRecords(): number {
    const length = this.#target.answer(this.#asker, this.#decider)
    this.#asker.question = this.#target.question
    return length
  }

  /** An answer out of the cache that is copied. */
  #copiedFromCache(place: number, error: number): number {
    const cache = this.#cache
    const { message, end } = this.#target.question
    const length = end + cache.bodyLength(place)
    cache.read(place, this.seconds, message, end)
    const refused = this.#guard.refuse(this.#asker, cache, message, 0, length)
    if (refused !== 0) return refused
    return this.#target.complete(cache, message, 0, length, error)
  }

  /** An answer out of the cache. */
  #fromCache(place: number, isStale: boolean): number {
    const cache = this.#cache
    const question = this.#question
    const length = cache.bodyLength(place)
    this.entry.traits |= Trait.cached
    if (this.#target.isCopied)
      return this.#copiedFromCache(place, isStale ? ExtendedError.staleAnswer : ExtendedError.none)
    const from = this.outAt + question.end
    // It is written before its size is checked, because it must be examined first.
    if (this.out.length - from < maxAnswerBytes) return this.#writer.truncated(Rcode.noError)
    cache.read(place, this.seconds, this.out, from)
    const refused = this.#guard.refuse(this.#asker, cache, this.out, this.outAt, question.end + length)
    if (refused !== 0) return refused
    if (!this.#writer.fits(length)) return this.#writer.truncated(cache.rcode)
    this.#writer.begin(cache.rcode)
    if (!isStale) return this.#writer.complete(cache, length, ExtendedError.none)
    const isNegative = cache.rcode === Rcode.noSuchName
    return this.#writer.complete(cache, length, isNegative ? ExtendedError.staleNoSuchName : ExtendedError.staleAnswer)
  }

  /** No upstream answered: the expired answer in the cache, or SERVFAIL. */
  #giveUp(): number {
    const length = this.#stale()
    if (length !== 0) return length
    this.entry.traits |= Trait.failed
    return this.#writer.plain(Rcode.serverFailure, ExtendedError.noReachableAuthority)
  }

  /** The answer in the cache, also an expired one when the settings allow it; 0 for none. */
  #stale(): number {
    const now = this.seconds
    this.route.take(this.#policy, this.#target.decider)
    this.key.take(this.#target.question, this.route.scope)
    const place = this.#settings.serveStale ? this.#cache.find(this.key) : -1
    if (place < 0 || !this.#cache.isUsable(place, now)) return 0
    if (this.#turnsToIpv4(this.#cache.lacksType(place))) return this.#stale()
    const isFresh = this.#cache.freshness(place, now) === Freshness.fresh
    if (!isFresh) this.#cache.postpone(place, now + retrySeconds)
    return this.#fromCache(place, !isFresh)
  }

  /** Time of the cache, seconds. */
  get seconds(): number {
    return (Math.floor(this.now / 1000) - epoch) | 0
  }
}
