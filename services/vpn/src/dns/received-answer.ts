import { answersQuery, maxUpstreamBytes } from './upstream-query.ts'
import { AnswerScan } from './wire/answer-scan.ts'
import { Question } from './wire/question.ts'

/** An answer that came from an upstream, read once however many clients wait for it. One object, filled again for each. */
export class ReceivedAnswer {
  /** Its contents, after `take` or `read`. */
  readonly scan = new AnswerScan()
  /** The question that was sent, after `take`. */
  readonly sent = new Question()
  readonly #came = { m: new Uint8Array(0) as Uint8Array, o: 0, n: 0 }
  /** Length of the answer that `scan` holds since it was taken; -1 for none. */
  #scanned = -1

  /** Returns true if m[o .. o + n) answers the query that was sent as u[at ..]: id, question byte for byte. */
  take(m: Uint8Array, o: number, n: number, u: Uint8Array, at: number): boolean {
    const { sent, scan } = this
    this.#scanned = -1
    if (sent.read(u, at, Math.min(maxUpstreamBytes, u.length - at)) !== 0) return false
    const came = this.#came
    came.m = m
    came.o = o
    came.n = n
    if (!answersQuery(came, u, at, sent.end)) return false
    if (scan.read(m, o, n, sent.end, sent.type)) this.#scanned = n
    return true
  }

  /** True if the answer that was taken last could be read to its end. */
  get isReadable(): boolean {
    return this.#scanned >= 0
  }

  /** Reads the answer to this question, unless it is the one that was taken last. False when it cannot be read to its end. */
  read(m: Uint8Array, o: number, n: number, question: Question): boolean {
    if (this.#scanned === n && this.#came.m === m && this.#came.o === o) return true
    this.#scanned = -1
    return this.scan.read(m, o, n, question.end, question.type)
  }
}
