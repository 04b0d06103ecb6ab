import { Rcode, Type, udpSize } from './codes.ts'
import { Name, readName, skipName } from './name.ts'

/** Result of `Question.read` for a message that gets no answer at all. */
export const unanswerable = -1

/** A query as it came in: examined where it lies. One object, filled again for each query. */
export class Question {
  readonly name: Name = new Name()
  /** The message it stands in, and where. */
  message: Uint8Array = new Uint8Array(0)
  at = 0
  type = 0
  /** End of the question, counted from the message's start; 12 when there is none to repeat. */
  end = 12
  hasOpt = false
  dnssecOk = false
  /** The CD bit: bogus answers are wanted too. */
  checkingDisabled = false
  /** True if the client understands the AD bit. */
  wantsAuthentic = false
  /** Bytes of UDP that may come back: 512 to 1232. */
  limit = 512
  #version = 0

  /**
   * Takes in the message d[o .. o + n). Returns 0 for a question that can be answered, a response code for one that gets that and
   * nothing else, and `unanswerable` for what is no query.
   */
  read(d: Uint8Array, o: number, n: number): number {
    this.end = 12
    this.hasOpt = false
    this.dnssecOk = false
    this.limit = 512
    this.type = 0
    this.name.length = 0
    this.message = d
    this.at = o
    if (n < 12 || (d[o + 2]! & 0x80) !== 0) return unanswerable
    this.checkingDisabled = (d[o + 3]! & 0x10) !== 0
    this.wantsAuthentic = (d[o + 3]! & 0x20) !== 0
    if ((d[o + 2]! & 0x78) !== 0) return Rcode.notImplemented
    // Exactly one question; TC means nothing in a query.
    if (d[o + 4] !== 0 || d[o + 5] !== 1) return Rcode.formatError
    const end = o + n
    const after = readName(this.name, d, o, end, o + 12)
    if (after < 0 || after + 4 > end) {
      this.name.length = 0
      return Rcode.formatError
    }
    this.type = (d[after]! << 8) | d[after + 1]!
    this.end = after + 4 - o
    if (!this.#readAdditional(d, after + 4, end, (d[o + 10]! << 8) | d[o + 11]!)) return Rcode.formatError
    return this.#judge(d, o, (d[after + 2]! << 8) | d[after + 3]!)
  }

  /**
   * Becomes the question of this type about the name that stands in a message behind its header, up to `end`, asked by the client
   * who asked the other one. Type and class are written behind the name.
   */
  become(other: Question, type: number, message: Uint8Array, end: number): void {
    message[end] = type >> 8
    message[end + 1] = type
    message[end + 2] = 0
    message[end + 3] = 1
    this.message = message
    this.at = 0
    this.end = end + 4
    readName(this.name, message, 0, this.end, 12)
    this.type = type
    this.hasOpt = other.hasOpt
    this.dnssecOk = other.dnssecOk
    this.checkingDisabled = other.checkingDisabled
    this.wantsAuthentic = other.wantsAuthentic
    this.limit = other.limit
  }

  /** Returns the result for a question that can be read: 0 or a response code. */
  #judge(d: Uint8Array, o: number, questionClass: number): number {
    const { type } = this
    if (this.#version !== 0) return Rcode.badVersion
    // Transfers: there is no zone here. IXFR carries a record, so it comes before the next check.
    if (type === Type.axfr || type === Type.ixfr) return Rcode.refused
    if ((d[o + 6]! | d[o + 7]! | d[o + 8]! | d[o + 9]!) !== 0) return Rcode.formatError
    if (type === Type.opt || type === 0) return Rcode.formatError
    if (type === Type.mailb || type === Type.maila || type === Type.tkey || type === Type.tsig)
      return Rcode.notImplemented
    // Other classes than IN: `version.bind` and the like.
    if (questionClass !== 1) return Rcode.refused
    return 0
  }

  /** Finds the one OPT record (RFC 6891); false when something cannot be read. */
  #readAdditional(d: Uint8Array, from: number, end: number, count: number): boolean {
    this.#version = 0
    // Answer and authority sections come before; a query has none, and the records of an IXFR do not matter.
    if ((d[this.at + 6]! | d[this.at + 7]! | d[this.at + 8]! | d[this.at + 9]!) !== 0) return true
    let at = from
    for (let k = 0; k < count; k++) {
      const q = skipName(d, at, end)
      if (q < 0 || q + 10 > end) return false
      const next = q + 10 + ((d[q + 8]! << 8) | d[q + 9]!)
      if (next > end) return false
      if (d[q] === 0 && d[q + 1] === Type.opt) {
        if (this.hasOpt || d[at] !== 0) return false
        this.hasOpt = true
        this.dnssecOk = (d[q + 6]! & 0x80) !== 0
        this.#version = d[q + 5]!
        this.limit = Math.min(Math.max((d[q + 2]! << 8) | d[q + 3]!, 512), udpSize)
      }
      at = next
    }
    return true
  }
}

/** Returns true if m[o .. o + n) repeats this question, letters in whatever case. */
export function isSameQuestion(question: Question, m: Uint8Array, o: number, n: number): boolean {
  const { message, at, end } = question
  if (n < end || m[o + 4] !== 0 || m[o + 5] !== 1) return false
  for (let k = 12; k < end; k++) {
    const one = message[at + k]!
    const other = m[o + k]!
    if (one === other) continue
    // They may differ in the one bit for the case of letters.
    if ((one ^ other) !== 0x20 || (one | 0x20) < 97 || (one | 0x20) > 122 || k >= end - 4) return false
  }
  return true
}
