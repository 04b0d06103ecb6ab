import { maxAnswerBytes } from './answer-cache.ts'
import { Type } from './wire/codes.ts'
import { maxNameLength } from './wire/name.ts'
import { Question } from './wire/question.ts'

/** A question about the IPv4 addresses of a name, whose IPv6 addresses a client asked for. Behind it there is room for an answer. */
export class Ipv4Question {
  readonly #question = new Question()
  readonly #message = new Uint8Array(12 + maxNameLength + 4 + maxAnswerBytes)

  /** Returns the question about the name of this one. The same object each time. */
  about(other: Question): Question {
    const message = this.#message
    const { bytes, length } = other.name
    for (let k = 0; k < length; k++) message[12 + k] = bytes[k]!
    this.#question.become(other, Type.a, message, 12 + length)
    return this.#question
  }
}

/** Returns true if IPv4 addresses are looked up for a client that asked for IPv6 addresses and got none (RFC 6147 5.1, 5.5). */
export const isTranslatable = ({ type, dnssecOk, checkingDisabled }: Question): boolean =>
  type === Type.aaaa && !(dnssecOk && checkingDisabled)

/** Returns true for 64:ff9b::/96, the network for translated addresses that is the same everywhere. */
export const isNat64Network = (network: Uint8Array): boolean =>
  network[0] === 0 &&
  network[1] === 0x64 &&
  network[2] === 0xff &&
  network[3] === 0x9b &&
  !network.subarray(4).some(Boolean)
