import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Command } from './command.ts'
import { encodeFrame, type Frame } from './frame.ts'
import { readChunks, type ParsedStream } from './parsed-stream.data.ts'
import { longResponses, misdeclared, nested, plantFrames, requests, responses, wellFormed } from './vectors.data.ts'

const short = new Set<Command>(['read', 'write', 'response', 'read-periodically'])

const anyFrame: fc.Arbitrary<Frame> = fc
  .record({
    command: fc.constantFrom<Command[]>(
      'read',
      'write',
      'long-write',
      'response',
      'long-response',
      'read-periodically',
    ),
    address: fc.option(byteRich32(), { nil: undefined }),
    objectId: byteRich32(),
    payload: fc.oneof(byteRich({ maxLength: 12 }), byteRich({ maxLength: 247 }), byteRich({ maxLength: 600 })),
  })
  .map(fitted)

/** Bytes in which those that are escaped, and separators, are frequent. */
function byteRich(lengths: { minLength?: number; maxLength?: number }): fc.Arbitrary<Uint8Array> {
  const byte = fc.oneof(fc.constantFrom(0x2b, 0x2d, 0), fc.nat(255))
  return fc.array(byte, lengths).map((bytes) => Uint8Array.from(bytes))
}

function byteRich32(): fc.Arbitrary<number> {
  return byteRich({ minLength: 4, maxLength: 4 }).map((bytes) => new DataView(bytes.buffer).getUint32(0))
}

/** Leaves away what the command cannot carry. */
function fitted(frame: Frame): Frame {
  if (frame.command === 'read' || frame.command === 'read-periodically') return { ...frame, payload: new Uint8Array(0) }
  const most = frame.address === undefined ? 251 : 247
  return { ...frame, payload: short.has(frame.command) ? frame.payload.slice(0, most) : frame.payload }
}

/** Bytes that cannot begin a frame, nor be what separates one from the noise before. */
const noise = fc
  .array(fc.nat(255), { maxLength: 20 })
  .map((bytes) => Uint8Array.from(bytes.filter((byte) => byte !== 0x2b)))
  .filter((bytes) => bytes.at(-1) !== 0 && !bytes.toHex().includes('50f705ab'))

test('every encoded frame is parsed back unchanged', () => {
  fc.assert(
    fc.property(anyFrame, (frame) => {
      const read = readChunks([encodeFrame(frame)])
      assert.deepEqual(read.frames, [frame])
      assert.equal(read.discardedBytes, 0)
    }),
    { numRuns: 2000 },
  )
})

test('frames do not depend on how the stream is split, and every other byte is counted', () => {
  const part = fc.record({
    noise: fc.option(noise, { nil: new Uint8Array(0) }),
    isSeparated: fc.boolean(),
    frame: anyFrame,
  })
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), cuts, (parts, cuts) => {
      const pieces = parts.flatMap(({ noise, isSeparated, frame }) => [
        noise,
        new Uint8Array(isSeparated ? 1 : 0),
        encodeFrame(frame),
      ])
      const read = readChunks([...cut(Buffer.concat(pieces), cuts), 'idle'])
      assert.deepEqual(
        read.frames,
        parts.map(({ frame }) => frame),
      )
      const noisy = parts.reduce((sum, { noise }) => sum + noise.length, 0)
      assert.deepEqual([read.discardedBytes, read.crcErrors, read.framingErrors], [noisy, 0, 0])
    }),
    // Noise behind a long answer makes a right checksum once in 65536 times, so the cases are the same in every run.
    { numRuns: 1500, seed: 1 },
  )
})

test('arbitrary bytes never throw, and no more bytes are discarded than arrived', () => {
  const stream = fc.array(fc.oneof(byteRich({ maxLength: 60 }), anyFrame.map(encodeFrame)), { maxLength: 6 })
  fc.assert(
    fc.property(stream, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (parts, cuts) => {
      const bytes = Buffer.concat(parts)
      const whole = readChunks([bytes])
      const pieces = readChunks(cut(bytes, cuts))
      assert.ok(whole.discardedBytes <= bytes.length && pieces.discardedBytes <= bytes.length)
    }),
    { numRuns: 1500 },
  )
})

for (const { name, bytes, frame } of [responses[5]!, ...longResponses, ...misdeclared, nested, plantFrames[0]!]) {
  test(`is read when split at any byte, ${frame.command}: ${name}`, () => {
    const next = responses[1]!
    for (let at = 1; at < bytes.length; at += 1) {
      const halves = [bytes.subarray(0, at), bytes.subarray(at)]
      assert.deepEqual(clean(readChunks([...halves, 'idle'])), [frame], `alone, at ${at}`)
      assert.deepEqual(clean(readChunks([...halves, next.bytes])), [frame, next.frame], `followed, at ${at}`)
    }
  })
}

test('a frame with one flipped bit is never read as another value', () => {
  const frames = [...requests, ...responses, ...plantFrames].filter(({ frame }) => short.has(frame.command))
  for (const { name, bytes } of frames) {
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const flipped = bytes.slice()
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const next = responses[1]!
      const read = readChunks([flipped, 'idle', next.bytes, next.bytes])
      assert.ok(read.frames.length <= 2, `${name}, bit ${bit}: ${JSON.stringify(read.frames)}`)
      assert.deepEqual(read.frames.at(-1), next.frame, `${name}, bit ${bit}`)
      for (const frame of read.frames) assert.deepEqual(frame, next.frame, `${name}, bit ${bit}`)
    }
  }
})

test('a flipped bit in a value or its checksum is counted as an error', () => {
  const { bytes } = responses[0]!
  for (let bit = 8 * 7; bit < 8 * bytes.length; bit += 1) {
    const flipped = bytes.slice()
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    const read = readChunks([flipped, bytes])
    assert.equal(read.crcErrors + read.framingErrors, 1, `bit ${bit}`)
  }
})

test('a long answer with one flipped bit is discarded', () => {
  for (const { name, bytes } of wellFormed.filter(({ frame }) => frame.command === 'long-response'))
    for (let bit = 8; bit < 8 * bytes.length; bit += 1) {
      const flipped = bytes.slice()
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      assert.deepEqual(readChunks([flipped, 'idle']).frames, [], `${name}, bit ${bit}`)
    }
})

/** Cuts bytes into pieces whose lengths go round and round. */
function cut(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const length = lengths[pieces.length % lengths.length] ?? 1
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

function clean(read: ParsedStream): Frame[] {
  assert.deepEqual([read.discardedBytes, read.crcErrors, read.framingErrors], [0, 0, 0])
  return read.frames
}
