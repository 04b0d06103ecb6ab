import { Type } from '../wire/codes.ts'
import { skipName } from '../wire/name.ts'

/** Bytes that answers are padded to a multiple of (RFC 8467 4.1). */
const blockBytes = 468
const maxBytes = 65_535
/** Code of the Padding option (RFC 7830), and bytes before its content. */
const paddingOption = 12
const optionHead = 4
const headerBytes = 12

/**
 * Pads the answer to a query that carries the Padding option, so that its length over an encrypted connection does not tell what
 * was looked up. Any other answer is returned as it is.
 */
export function padAnswer(query: Uint8Array, answer: Uint8Array): Uint8Array {
  const asked = findOpt(query)
  const opt = findOpt(answer)
  // The OPT record of an answer is its last; options are added behind it.
  if (asked === undefined || opt?.end !== answer.length || !hasPadding(query, asked)) return answer
  const least = answer.length + optionHead
  const length = Math.min(Math.ceil(least / blockBytes) * blockBytes, maxBytes)
  if (length < least) return answer
  const padded = new Uint8Array(length)
  padded.set(answer)
  const view = new DataView(padded.buffer)
  view.setUint16(opt.dataAt - 2, length - opt.dataAt)
  view.setUint16(answer.length, paddingOption)
  view.setUint16(answer.length + 2, length - least)
  return padded
}

interface OptRecord {
  /** Where its options begin and end. */
  readonly dataAt: number
  readonly end: number
}

/** Finds the OPT record of a message; undefined when there is none, or the message cannot be read. */
function findOpt(message: Uint8Array): OptRecord | undefined {
  if (message.length < headerBytes) return undefined
  const view = new DataView(message.buffer, message.byteOffset, message.length)
  const [questions, ...sections] = [4, 6, 8, 10].map((at) => view.getUint16(at))
  const records = sections.reduce((sum, count) => sum + count, 0)
  let at = headerBytes
  for (let k = 0; k < (questions ?? 0); k += 1) {
    at = skipName(message, at, message.length)
    if (at < 0) return undefined
    at += 4
  }
  for (let k = 0; k < records; k += 1) {
    const head = skipName(message, at, message.length)
    if (head < 0 || head + 10 > message.length) return undefined
    const [dataAt, end] = [head + 10, head + 10 + view.getUint16(head + 8)]
    if (end > message.length) return undefined
    if (view.getUint16(head) === Type.opt) return { dataAt, end }
    at = end
  }
  return undefined
}

function hasPadding(message: Uint8Array, { dataAt, end }: OptRecord): boolean {
  const view = new DataView(message.buffer, message.byteOffset, message.length)
  for (let at = dataAt; at + optionHead <= end; at += optionHead + view.getUint16(at + 2))
    if (view.getUint16(at) === paddingOption) return true
  return false
}
