import { availableParallelism, loadavg } from 'node:os'
import { crc16 } from '../src/protocol/crc16.ts'
import { encodeFrame, escapeByte, startByte } from '../src/protocol/frame.ts'
import { createFrameParser } from '../src/protocol/parser.ts'

/**
 * `npm run bench -- inverter/parser [FRAMES]`: answers of a device with random values, one in a hundred of them long, through
 * the parser and through a straightforward one that joins buffers byte by byte. Ends with 1 when both limits are missed.
 */

const limits = { framesPerSecond: 3_000_000, ratio: 50 }
const rounds = 7

type Parse = (chunks: readonly Uint8Array[]) => number

const parse: Parse = (chunks) => {
  let frames = 0
  const parser = createFrameParser({ onFrame: ({ payload }) => (frames += payload.length > 0 ? 1 : 0) })
  for (const chunk of chunks) parser.push(chunk)
  return frames
}

const parseByteByByte: Parse = (chunks) => {
  let frames = 0
  let frame = Buffer.alloc(0)
  let isInside = false
  let isEscaped = false
  for (const chunk of chunks)
    for (const byte of chunk) {
      if (byte === startByte && !isEscaped) {
        frame = Buffer.alloc(0)
        isInside = true
      } else if (isInside && byte === escapeByte && !isEscaped) isEscaped = true
      else if (isInside) {
        isEscaped = false
        frame = Buffer.concat([frame, Buffer.from([byte])])
        const head = frame[0] === 0x06 ? 3 : 2
        if (frame.length < head) continue
        const length = head + (head === 2 ? frame.readUInt8(1) : frame.readUInt16BE(1))
        if (frame.length < length + 2) continue
        isInside = false
        if (crc16(frame.subarray(0, length)) !== frame.readUInt16BE(length)) continue
        const message = { objectId: frame.readUInt32BE(head), payload: Buffer.from(frame.subarray(head + 4, length)) }
        if (message.payload.length > 0) frames += 1
      }
    }
  return frames
}

/** Answers as a device sends them: mostly numbers of four bytes, ids and values at random, so that some bytes are escaped. */
function makeStream(count: number): Buffer {
  const frames: Uint8Array[] = []
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
  for (let number = 0; number < count; number += 1) {
    const objectId = Buffer.from(random(4)).readUInt32BE()
    const isLong = number % 100 === 99
    const payload = random(isLong ? 300 : number % 10 === 0 ? 1 : 4)
    frames.push(encodeFrame({ command: isLong ? 'long-response' : 'response', address: undefined, objectId, payload }))
  }
  return Buffer.concat(frames)
}

function chunksOf(stream: Buffer, length: number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < stream.length; at += length) chunks.push(stream.subarray(at, at + length))
  return chunks
}

/** Frames per second of the best of the rounds, so that other work on the machine counts least. */
function speed(parse: Parse, chunks: readonly Uint8Array[], count: number): number {
  let best = 0
  for (let round = 0; round <= rounds; round += 1) {
    const begin = performance.now()
    const frames = parse(chunks)
    const seconds = (performance.now() - begin) / 1000
    if (frames !== count) throw new Error(`${frames} frames came out of ${count}`)
    if (round > 0) best = Math.max(best, frames / seconds)
  }
  return best
}

function main(count: number): boolean {
  const stream = makeStream(count)
  const million = (value: number) => `${(value / 1e6).toFixed(2)} million frames/s`
  process.stdout.write(`${count} frames, ${(stream.length / 1e6).toFixed(1)} MB, best of ${rounds} rounds\n`)
  let isGood = true
  for (const length of [65_536, 1460]) {
    const chunks = chunksOf(stream, length)
    const fast = speed(parse, chunks, count)
    const plain = speed(parseByteByByte, chunks, count)
    const ratio = fast / plain
    isGood &&= fast >= limits.framesPerSecond || ratio >= limits.ratio
    process.stdout.write(
      `chunks of ${length} bytes: ${million(fast)}, byte by byte ${million(plain)}, ratio ${ratio.toFixed(1)}\n`,
    )
  }
  process.stdout.write(
    `limit: ${million(limits.framesPerSecond)} or ratio ${limits.ratio}: ${isGood ? 'kept' : 'MISSED'}\n` +
      `load of this machine at the end: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores\n`,
  )
  return isGood
}

process.exit(main(Number(process.argv[2] ?? 200_000)) ? 0 : 1)
