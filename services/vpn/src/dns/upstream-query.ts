import type { RandomBits } from './random-case.ts'
import type { Question } from './wire/question.ts'
import { writeOpt } from './wire/reply.ts'

/** Most bytes a query for an upstream takes. */
export const maxUpstreamBytes = 300

/**
 * Writes the query for an upstream to u[at ..] and returns its length: the queried name with the case of its letters drawn, the
 * client's DO and CD bits, and none of its other options, which may say who it is.
 */
export function writeUpstreamQuery(
  question: Question,
  given: { readonly id: number; readonly wantsAuthentic: boolean; readonly bits: RandomBits },
  u: Uint8Array,
  at: number,
): number {
  const { name, type } = question
  u[at] = given.id >> 8
  u[at + 1] = given.id
  u[at + 2] = 1
  u[at + 3] = (given.wantsAuthentic ? 0x20 : 0) | (question.checkingDisabled ? 0x10 : 0)
  for (let k = 4; k < 12; k++) u[at + k] = 0
  u[at + 5] = 1
  u[at + 11] = 1
  let to = at + 12
  for (let k = 0; k < name.length; k++) {
    const byte = name.bytes[k]!
    // A label's length is at most 63, so no letter.
    u[to++] = byte >= 97 && byte <= 122 && given.bits.next() === 1 ? byte & 0xdf : byte
  }
  u[to] = type >> 8
  u[to + 1] = type
  u[to + 2] = 0
  u[to + 3] = 1
  return writeOpt(u, to + 4, question.dnssecOk, 0) - at
}

/** Returns true if m[o .. o + n) answers the query at u[at ..], whose question ends at `end` (counted from at): id and question, byte for byte. */
export function answersQuery(
  reply: { readonly m: Uint8Array; readonly o: number; readonly n: number },
  u: Uint8Array,
  at: number,
  end: number,
): boolean {
  const { m, o, n } = reply
  if (n < end || (m[o + 2]! & 0xf8) !== 0x80) return false
  if (m[o] !== u[at] || m[o + 1] !== u[at + 1]) return false
  if (m[o + 4] !== 0 || m[o + 5] !== 1) return false
  for (let k = 12; k < end; k++) if (m[o + k] !== u[at + k]) return false
  return true
}
