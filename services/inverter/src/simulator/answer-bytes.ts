import { crc16 } from '../protocol/crc16.ts'
import { encodeFrame, escapedBytes } from '../protocol/frame.ts'
import type { Faults } from './faults.ts'

/** An answer. */
export interface Answer {
  readonly address: number | undefined
  readonly objectId: number
  readonly payload: Uint8Array
  readonly isLong: boolean
  /** Number of answers before this one; decides which wrong length a long one declares. */
  readonly count: number
}

/** The bytes of an answer with the separator before it. Long ones declare wrong lengths, as real inverters do. */
export function answerBytes(answer: Answer, faults: Faults): Uint8Array {
  const { address, objectId, payload, isLong } = answer
  const frame = isLong
    ? longFrame(answer, declaredLength(answer, faults))
    : encodeFrame({ command: 'response', address, objectId, payload })
  const whole = faults.truncateLong && isLong ? frame.subarray(0, Math.floor(frame.length / 2)) : frame
  return Buffer.concat([Buffer.from([0]), whole])
}

const idBytes = (address: number | undefined): number => (address === undefined ? 4 : 8)

function declaredLength({ address, payload, count }: Answer, { longLength }: Faults): number {
  const right = idBytes(address) + payload.length
  const isSmall = longLength === 'small' || (longLength === 'wrong' && count % 8 !== 0)
  if (longLength === 'right') return right
  return isSmall && right - 16 >= 4 ? right - 16 : right + 472 + (count % 2) * 8
}

function longFrame({ address, objectId, payload }: Answer, declared: number): Uint8Array {
  const head = Buffer.alloc(3 + idBytes(address))
  head.writeUInt8(address === undefined ? 0x06 : 0x46, 0)
  head.writeUInt16BE(declared, 1)
  if (address !== undefined) head.writeUInt32BE(address, 3)
  head.writeUInt32BE(objectId, 3 + idBytes(address) - 4)
  const body = Buffer.concat([head, payload])
  const crc = crc16(body)
  return Buffer.concat([Buffer.from([0x2b]), escapedBytes(Buffer.concat([body, Buffer.from([crc >> 8, crc & 0xff])]))])
}
