import type { Question } from './wire/question.ts'

/**
 * Key of a question in the cache and among waiting queries: lower-cased name, type, DO and CD bit. Its two hashes have
 * seeds of their own, not those of the lists, so that new lists leave the cache as it is.
 */
export class QuestionKey {
  /** The bytes of the name; the rest of the key is written behind them. */
  bytes: Uint8Array = new Uint8Array(0)
  length = 0
  hash1 = 0
  hash2 = 0
  scope = 0
  readonly #seed1: number
  readonly #seed2: number

  constructor(seed1: number, seed2: number) {
    this.#seed1 = seed1
    this.#seed2 = seed2
  }

  /**
   * Becomes the key of this question, until its name is another. `scope` stands for the servers that answer it: the first hash
   * of one question differs in every scope, as each step of it can be undone.
   */
  take(question: Question, scope: number): void {
    const { name, type } = question
    const { bytes } = name
    let length = name.length
    this.bytes = bytes
    bytes[length++] = type >> 8
    bytes[length++] = type
    bytes[length++] = (question.dnssecOk ? 1 : 0) | (question.checkingDisabled ? 2 : 0)
    this.length = length
    this.scope = scope
    bytes[length] = 0
    bytes[length + 1] = 0
    bytes[length + 2] = 0
    let hash1 = this.#seed1 ^ scope
    let hash2 = this.#seed2
    for (let at = 0; at < length; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      hash1 = Math.imul(hash1 ^ word, 0x9e37_79b1)
      hash1 ^= hash1 >>> 15
      hash2 = Math.imul(hash2 + word, 0x85eb_ca77)
      hash2 ^= hash2 >>> 13
    }
    this.hash1 = Math.imul(hash1 ^ (hash1 >>> 16), 0x7feb_352d)
    this.hash2 = Math.imul(hash2 ^ (hash2 >>> 16), 0x846c_a68b)
  }
}
