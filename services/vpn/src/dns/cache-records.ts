import { type AnswerCache, recordOverhead } from './answer-cache.ts'
import type { CacheLimits } from './answer-cache.ts'
import type { QuestionKey } from './question-key.ts'
import { AnswerScan } from './wire/answer-scan.ts'
import { Rcode } from './wire/codes.ts'
import { Question } from './wire/question.ts'
import { writeOpt } from './wire/reply.ts'

/** Most bytes of the question of a record, with an OPT record behind it. */
const maxQuestionBytes = 300
const week = 604_800

/** Takes records that `AnswerCache.copyRecord` wrote back into a cache. Believes nothing that it cannot read again. */
export class CacheRecords {
  readonly #key: QuestionKey
  readonly #scan = new AnswerScan()
  readonly #question = new Question()
  readonly #query = new Uint8Array(maxQuestionBytes + 16)
  readonly #stored = { message: new Uint8Array(0) as Uint8Array, at: 0, from: 0 }

  /** Records become those of questions with this key's seeds. */
  constructor(key: QuestionKey) {
    this.#key = key
  }

  /**
   * Takes the record at bytes[at ..] in, unless it cannot be read, its time is over at `now`, or there is an answer to its
   * question. Returns its end; -1 when there is no record.
   */
  take(
    cache: AnswerCache,
    bytes: Uint8Array,
    at: number,
    given: { readonly now: number; readonly limits: CacheLimits },
  ): number {
    const length = at + recordOverhead > bytes.length ? 0 : wordAt(bytes, at)
    if (length <= recordOverhead || at + length > bytes.length) return -1
    const end = at + length
    const [scope, stored, expires] = [wordAt(bytes, at + 4), wordAt(bytes, at + 8), wordAt(bytes, at + 12)]
    const maxTtl = given.limits.maxTtl === 0 ? week : given.limits.maxTtl
    const life = Math.min(expires - stored, maxTtl)
    if (stored > given.now || life <= 0) return end
    const message = at + recordOverhead
    if (!this.#readQuestion(bytes, message, end, bytes[at + 16]!)) return end
    const { end: from, type } = this.#question
    const scan = this.#scan
    if (!scan.read(bytes, message, end - message, from, type) || scan.isTruncated) return end
    if (scan.rcode !== Rcode.noError && scan.rcode !== Rcode.noSuchName) return end
    this.#key.take(this.#question, scope)
    if (cache.find(this.#key) >= 0) return end
    this.#stored.message = bytes
    this.#stored.at = message
    this.#stored.from = from
    cache.store(this.#key, scan, this.#stored, stored, life)
    return end
  }

  /** Reads the question of a message as if a client had asked it, with the DO and CD bits it was asked with. */
  #readQuestion(bytes: Uint8Array, at: number, end: number, flags: number): boolean {
    const query = this.#query
    let to = 12
    query.fill(0, 0, 12)
    query[3] = (flags & 2) === 0 ? 0 : 0x10
    query[5] = 1
    // The name is not compressed: labels up to its end, then type and class.
    let from = at + 12
    for (let left = bytes[from] ?? 0; ; left = bytes[from] ?? 0) {
      if (left > 63 || to + left + 6 > maxQuestionBytes || from + left + 6 > end) return false
      for (let k = 0; k <= left; k++) query[to++] = bytes[from++]!
      if (left === 0) break
    }
    for (let k = 0; k < 4; k++) query[to++] = bytes[from++]!
    if ((flags & 1) !== 0) {
      query[11] = 1
      to = writeOpt(query, to, true, 0)
    }
    return this.#question.read(query, 0, to) === 0
  }
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
