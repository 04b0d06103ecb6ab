import type { LogEntry } from '../query-log/ring.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { EngineSettings } from './engine-settings.ts'
import type { Policy } from './policy/policy.ts'

/** More than 0: bytes of the answer that stand in `out` from `outAt`. Otherwise one of these. */
export const Outcome = { drop: 0, forward: -1 } as const

/** What an engine is made of. */
export interface EngineParts {
  readonly policy: Policy
  readonly cache: AnswerCache
  readonly settings: EngineSettings
  /** Fills bytes at random, for the case of letters; for tests. By default `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array) => void
}

/** A query that was forwarded, and what came back. Who waits keeps one such object and sets it anew. */
export interface Answered {
  /** The client's query stands at query[queryAt .. queryAt + queryLength). */
  query: Uint8Array
  queryAt: number
  queryLength: number
  /** The client's number. */
  client: number
  /** The upstream's answer, that `accept` took; its own place, not in `out`. */
  answer: Uint8Array
  answerAt: number
  answerLength: number
}

/**
 * Questions in, answers out: decides, answers from memory or says that somebody has to be asked. It holds no socket and no
 * timer, and its `ask`, `accept`, `finish` and `fail` allocate nothing.
 */
export class Engine {
  /** Milliseconds since the epoch, set by the caller once a batch. */
  now = 0
  /** Where answers are written; with room for 4096 bytes from `outAt` on (stream: 65,535). */
  out: Uint8Array = new Uint8Array(65_535)
  outAt = 0
  /** The query came by TCP: the answer is not cut to what fits a datagram. */
  isStream = false
  /** What equal questions share, after `ask` said forward: two times 32 bits. */
  questionHash1 = 0
  questionHash2 = 0
  /** Whether the client's queries may stand in the log (its own setting). */
  isLogged = true
  /** What was decided about the last query. The same object each time; `micros` and `upstream` are the caller's to set. */
  readonly entry: LogEntry = {
    status: 0,
    reason: 0,
    source: 0,
    traits: 0,
    rcode: 0,
    type: 0,
    client: 0,
    at: 0,
    micros: 0,
    upstream: 0,
    name: new Uint8Array(256),
    nameLength: 0,
  }
  #policy: Policy

  constructor(parts: EngineParts) {
    this.#policy = parts.policy
  }

  /** Puts another policy in force; between batches. The cache stays, as it holds only what upstreams said. */
  use(policy: Policy): void {
    this.#policy = policy
  }

  /** Puts other settings, and if given another cache, in force; between batches. */
  configure(_settings: EngineSettings, _cache?: AnswerCache): void {}

  /**
   * Takes in the query d[o .. o + n) of the client with this number (0: nobody known) and answers it, or asks to forward it.
   * Returns the answer's length or an `Outcome`.
   */
  ask(_d: Uint8Array, _o: number, _n: number, _client: number): number {
    return Outcome.drop
  }

  /**
   * Right after `ask` said forward: writes the query for an upstream to u[at ..], at most 300 bytes, with this id and the case of
   * its letters drawn (0x20). Returns its length.
   */
  writeUpstream(_u: Uint8Array, _at: number, _id: number): number {
    return 0
  }

  /**
   * Whether m[o .. o + n) answers the query that was sent as u[at ..]: id, question byte for byte. What does is put into the
   * cache. Addresses and ports are the caller's to compare.
   */
  accept(_m: Uint8Array, _o: number, _n: number, _u: Uint8Array, _at: number): boolean {
    return false
  }

  /** The answer for a client whose query was forwarded, also one of several that waited for the same. Its length, or drop. */
  finish(_answered: Answered): number {
    return Outcome.drop
  }

  /** Nobody answered d[o .. o + n): an answer past its time when settings say so, otherwise SERVFAIL. Its length, or drop. */
  fail(_d: Uint8Array, _o: number, _n: number, _client: number): number {
    return Outcome.drop
  }

  /** The policy in force. */
  get policy(): Policy {
    return this.#policy
  }
}
