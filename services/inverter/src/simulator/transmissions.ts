import type { Catalog } from '../catalog/catalog.ts'
import { crc16 } from '../protocol/crc16.ts'
import { encodeFrame, escapedBytes } from '../protocol/frame.ts'
import type { Faults } from './faults.ts'
import { noiseAt } from './seeded-noise.ts'
import type { Transmission } from './serial-line.ts'

/** An answer: its payload, and whether it takes the long form. */
export interface Reply {
  readonly payload: Uint8Array
  readonly isLong: boolean
}

/** Maximum payload of a short answer, bytes. */
export const maxShortPayload = 246

/** The beginning of an answer that never ends. */
const endlessBytes: Uint8Array = Buffer.concat([Buffer.from('2b06ffff', 'hex'), Buffer.alloc(20_000, 1)])

/** Returns the transmissions for one answer: answers to others, then the answer itself, as the faults have it. */
export function transmissionsOf(
  answer: Answer,
  { faults, catalog, seed }: { faults: Faults; catalog: Catalog; seed: number },
): Transmission[] {
  if (faults.endless) return [{ chunks: [endlessBytes], afterMs: 0, pauseMs: 0 }]
  const address = seenAddress(answer.address, faults)
  const bytes = answerBytes({ ...answer, address }, faults)
  const own = {
    chunks: damaged(bytes, faults, { seed, count: answer.count }),
    afterMs: faults.latencyMs,
    pauseMs: faults.byteByByteMs || faults.splitPauseMs,
  }
  const before = foreignFrames(answer.objectId, address, { faults, catalog })
  return faults.together ? [{ ...own, chunks: [joined([...before, own])] }] : [...before, own]
}

const joined = (all: readonly Transmission[]): Uint8Array => Buffer.concat(all.flatMap(({ chunks }) => chunks))

function seenAddress(address: number | undefined, { plainForPlant, wrongAddress }: Faults): number | undefined {
  if (plainForPlant) return undefined
  return wrongAddress ? (address ?? 0) + 1 : address
}

/** Creates answers to requests of another client. */
function foreignFrames(
  objectId: number,
  address: number | undefined,
  { faults, catalog }: { faults: Faults; catalog: Catalog },
): Transmission[] {
  const floats = catalog.objects.filter((object) => object.type === 'float' && object.objectId !== objectId)
  const others = Array.from({ length: faults.foreignReplies }, (_, index) => ({
    objectId: floats[index % floats.length]?.objectId ?? 1,
    payload: Buffer.from('44800000', 'hex'),
  }))
  const same =
    faults.foreignSameObject === '' ? [] : [{ objectId, payload: Buffer.from(faults.foreignSameObject, 'hex') }]
  return [...others, ...same].map((frame) => ({
    chunks: [encodeFrame({ command: 'response', address, objectId: frame.objectId, payload: frame.payload })],
    afterMs: 1,
    pauseMs: 0,
  }))
}

/** An answer. */
interface Answer {
  readonly address: number | undefined
  readonly objectId: number
  readonly payload: Uint8Array
  readonly isLong: boolean
  /** Number of answers before this one; decides which wrong length a long one declares. */
  readonly count: number
}

/** The bytes of an answer with the separator before it. Long ones declare wrong lengths, as real inverters do. */
function answerBytes(answer: Answer, faults: Faults): Uint8Array {
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

const noises = {
  none: '',
  garbage: '0102f0e1d2c3b4a59687',
  zeros: '000000000000000000000000',
  bridge: '2b2b2b0d2b2b2bf8781e78fe781e78fe781ef89e869e869e86e9',
  extension: '2b3ce1',
} as const

/** The bytes of an answer as a faulty line delivers them, in the chunks they arrive in. */
function damaged(bytes: Uint8Array, faults: Faults, { seed, count }: { seed: number; count: number }): Uint8Array[] {
  const flipped = withFlippedBit(bytes, faults, noiseAt(seed, count))
  const begun = faults.startByteInside ? flipped.subarray(0, Math.floor(flipped.length / 2)) : new Uint8Array(0)
  const whole = Buffer.concat([Buffer.from(noises[faults.noise], 'hex'), begun, flipped])
  if (faults.byteByByteMs > 0) return Array.from(whole, (_, index) => whole.subarray(index, index + 1))
  if (faults.splitAfterEscape) return partsAfter(whole, 0x2d)
  if (faults.splitAt > 0 && faults.splitAt < whole.length)
    return [whole.subarray(0, faults.splitAt), whole.subarray(faults.splitAt)]
  return [whole]
}

function withFlippedBit(bytes: Uint8Array, { flipBit, flipShare }: Faults, chance: number): Uint8Array {
  const isChosen = flipShare > 0 && chance < flipShare
  if (flipBit < 0 && !isChosen) return bytes
  const bit = flipBit >= 0 ? flipBit : Math.floor((chance / flipShare) * bytes.length * 8)
  const copy = Uint8Array.from(bytes)
  const index = Math.floor(bit / 8) % bytes.length
  copy[index] = (copy[index] ?? 0) ^ (0x80 >>> (bit % 8))
  return copy
}

function partsAfter(bytes: Uint8Array, cut: number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let begin = 0
  for (const [index, byte] of bytes.entries()) {
    if (byte !== cut) continue
    chunks.push(bytes.subarray(begin, index + 1))
    begin = index + 1
  }
  return [...chunks, bytes.subarray(begin)].filter((part) => part.length > 0)
}
