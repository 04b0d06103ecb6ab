import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc16 } from './crc16.ts'
import { encodeFrame, type Frame } from './frame.ts'
import { createFrameParser } from './parser.ts'
import { readChunks, readHex } from './parsed-stream.data.ts'
import { misdeclared, nested, responses, wellFormed, longResponses } from './vectors.data.ts'

const none = { discardedBytes: 0, crcErrors: 0, framingErrors: 0 }
const socFrame = responses[1]!
const stateFrame = responses[2]!

for (const { name, frame, bytes } of wellFormed) {
  test(`reads ${frame.command}: ${name}`, () => {
    assert.deepEqual(readChunks([bytes]), { ...none, frames: [frame], bootloader: 0, damage: [] })
  })
}

for (const { name, frame, bytes } of misdeclared) {
  test(`reads a long answer that declares a wrong length when the line falls silent: ${name}`, () => {
    assert.deepEqual(readChunks([bytes, 'idle']), { ...none, frames: [frame], bootloader: 0, damage: [] })
    const slowly = [...bytes].map((byte) => Uint8Array.of(byte))
    assert.deepEqual(readChunks([...slowly, 'idle']).frames, [frame])
  })

  test(`reads a long answer that declares a wrong length when another frame follows: ${name}`, () => {
    for (const separator of ['', '00', '0000']) {
      const stream = Uint8Array.fromHex(bytes.toHex() + separator + socFrame.bytes.toHex())
      const discardedBytes = separator === '0000' ? 1 : 0
      const expected = { ...none, discardedBytes, frames: [frame, socFrame.frame], bootloader: 0, damage: [] }
      assert.deepEqual(readChunks([stream]), expected)
    }
  })
}

test('a separator before or between frames is not counted', () => {
  const both = readHex('002b0508959930bf3f000000a93f002b05055f33284e0d95f1')
  assert.deepEqual(both, { ...none, frames: [socFrame.frame, stateFrame.frame], bootloader: 0, damage: [] })
})

test('a frame with a wrong checksum is counted and discarded', () => {
  const read = readHex('2b0508959930bf3f000000a93e')
  assert.deepEqual(read, {
    frames: [],
    discardedBytes: 13,
    crcErrors: 1,
    framingErrors: 0,
    bootloader: 0,
    damage: ['crc'],
  })
})

test('noise of the serial bridge is discarded and not counted as an error', () => {
  const noise = '2b2b2b0d2b2b2bf8781e78fe781e78fe781ef89e869e869e86e9'
  assert.deepEqual(readHex(noise), { ...none, discardedBytes: noise.length / 2, frames: [], bootloader: 0, damage: [] })
  assert.deepEqual(readHex(`${noise}${socFrame.bytes.toHex()}`).frames, [socFrame.frame])
  assert.deepEqual(readHex('2b3ce12b2d2b0508959930bf3f000000a93f').frames, [socFrame.frame])
  assert.equal(readHex('2b3ce1').discardedBytes, 3)
})

test('a frame cut off by the next one is lost, and the next one is read', () => {
  const read = readHex('2b050865eed11b432b0508959930bf3f000000a93f')
  assert.deepEqual(read, {
    frames: [socFrame.frame],
    discardedBytes: 8,
    crcErrors: 0,
    framingErrors: 1,
    bootloader: 0,
    damage: ['framing'],
  })
})

test('an escape byte before a byte that needs no escape ends the frame with a framing error', () => {
  const read = readHex(`2b0508952d11${socFrame.bytes.toHex()}`)
  assert.deepEqual([read.frames, read.framingErrors, read.discardedBytes], [[socFrame.frame], 1, 6])
})

test('a length too small for the object id ends the frame with a framing error', () => {
  assert.deepEqual(readHex(`2b0503${socFrame.bytes.toHex()}`).damage, ['framing'])
  assert.deepEqual(readHex(`2b450795${socFrame.bytes.toHex()}`).damage, ['framing'])
})

test('the bootloader is recognised only between frames, however the stream is split', () => {
  const announcement = '50f705ab'
  assert.equal(readHex(announcement).bootloader, 1)
  assert.equal(readHex(`2b${announcement}`).bootloader, 1)
  assert.equal(readHex(`${socFrame.bytes.toHex()}${announcement}`).bootloader, 1)
  for (let cut = 1; cut < 4; cut += 1) {
    const bytes = Uint8Array.fromHex(announcement)
    assert.equal(readChunks([bytes.subarray(0, cut), bytes.subarray(cut)]).bootloader, 1)
  }
  const inside = readHex('2b0508b662360850f705abaa14')
  assert.deepEqual([inside.bootloader, inside.frames[0]?.payload.toHex()], [0, '50f705ab'])
  assert.equal(readHex(`50f7${socFrame.bytes.toHex()}05ab`).bootloader, 0)
  assert.equal(readHex(announcement.repeat(25_600)).bootloader, 25_600)
})

test('the bootloader is recognised behind a long answer in the same chunk, once that answer is complete', () => {
  const read = readChunks([Uint8Array.fromHex(`${longResponses[0]!.bytes.toHex()}50f705ab`), 'idle'])
  assert.deepEqual([read.frames, read.bootloader, read.discardedBytes], [[longResponses[0]!.frame], 1, 4])
})

test('a long answer that looks complete too early is delivered whole when the rest follows before the line is idle', () => {
  const cut = [nested.bytes.subarray(0, nested.inner), nested.bytes.subarray(nested.inner)]
  assert.deepEqual(readChunks(cut).frames, [nested.frame])
  assert.deepEqual(readChunks([...cut, 'idle']).discardedBytes, 0)
})

test('when the checksum matches at the declared end and at a later one, the later one is used', () => {
  // The declared length of this one is the inner frame's: the checksum of the outer one is made for it.
  const inner = encodeFrame({ command: 'long-response', address: undefined, objectId: 1, payload: new Uint8Array(4) })
  const outer = withChecksum(Uint8Array.fromHex(`${inner.toHex()}0102030405`))
  const expected = `${'00'.repeat(4)}${inner.toHex().slice(-4)}0102030405`
  for (const ending of ['idle', socFrame.bytes] as const)
    assert.equal(readChunks([outer, ending]).frames[0]?.payload.toHex(), expected)
})

test('noise after a long answer does not damage it', () => {
  const { bytes, frame } = longResponses[0]!
  for (const noise of ['0d', 'ff2d2d', 'ff2d2b11', '112d11', '00000011', '11'.repeat(5000)]) {
    const stream = Uint8Array.fromHex(bytes.toHex() + noise)
    const read = readChunks([stream, 'idle'])
    assert.deepEqual(read, { ...none, discardedBytes: noise.length / 2, frames: [frame], bootloader: 0, damage: [] })
    assert.deepEqual(readChunks([stream, socFrame.bytes]).frames, [frame, socFrame.frame])
  }
})

test('a long answer with a wrong checksum is discarded when the line is idle', () => {
  const bytes = longResponses[0]!.bytes.slice()
  bytes[12]! ^= 1
  assert.deepEqual(readChunks([bytes, 'idle', socFrame.bytes]).damage, ['crc'])
  assert.deepEqual(readChunks([bytes, socFrame.bytes]), {
    frames: [socFrame.frame],
    discardedBytes: bytes.length,
    crcErrors: 1,
    framingErrors: 0,
    bootloader: 0,
    damage: ['crc'],
  })
})

test('a pause inside a frame does not end it', () => {
  for (const { bytes, frame } of [socFrame, ...longResponses]) {
    const halves = [bytes.subarray(0, 6), 'idle', bytes.subarray(6)] as const
    assert.deepEqual(readChunks(halves).frames, [frame])
  }
})

test('the largest frame is read, and a stream without end is discarded and counted', () => {
  const frame: Frame = {
    command: 'long-response',
    address: undefined,
    objectId: 1,
    payload: new Uint8Array(4087).fill(0x2b),
  }
  const bytes = encodeFrame(frame)
  assert.equal(readChunks([bytes]).frames[0]?.payload.length, 4087)

  const parser = createFrameParser({ onFrame: () => assert.fail('nothing in it is a frame') })
  parser.push(Uint8Array.fromHex('2b06ffff00000001'))
  for (let count = 0; count < 100; count += 1) parser.push(new Uint8Array(1000).fill(0x11))
  assert.equal(parser.heldBytes, 100_008)
  assert.equal(parser.isWaiting, true)
  parser.idle()
  assert.deepEqual([parser.heldBytes, parser.isWaiting], [0, false])
  assert.deepEqual(parser.counters, { discardedBytes: 100_008, crcErrors: 0, framingErrors: 1 })
})

test('a reset drops the unfinished frame, keeps the counters and ends the push that called it', () => {
  let frames = 0
  const parser = createFrameParser({
    onFrame: () => {
      frames += 1
      parser.reset()
    },
  })
  parser.push(Uint8Array.fromHex('ff2b0508'))
  parser.reset()
  assert.deepEqual([parser.isWaiting, parser.counters.discardedBytes], [false, 1])
  parser.push(Uint8Array.fromHex('002b0508959930bf3f000000a93f002b05055f33284e0d95f1'))
  assert.equal(frames, 1)
  parser.push(misdeclared[0]!.bytes)
  parser.push(Uint8Array.fromHex('002b0508959930bf3f000000a93f'))
  assert.equal(frames, 2)
})

test('a frame is delivered with its raw bytes', () => {
  for (const { bytes, name } of [...wellFormed, ...misdeclared]) {
    const heard: string[] = []
    const parser = createFrameParser({
      onFrame: () => heard.push('frame'),
      onFrameBytes: (of) => heard.push(of.toHex()),
    })
    parser.push(Uint8Array.fromHex(`ff00${bytes.toHex()}00`))
    parser.idle()
    assert.deepEqual(heard, [bytes.toHex(), 'frame'], name)
  }
})

test('a payload is a copy and does not retain its chunk', () => {
  let payload: Uint8Array | undefined
  const parser = createFrameParser({ onFrame: (frame) => (payload = frame.payload) })
  const chunk = Buffer.from(socFrame.bytes)
  parser.push(chunk)
  chunk.fill(0)
  assert.deepEqual(payload, socFrame.frame.payload)
})

/** The bytes of a frame without escapes, with the checksum over all of them added. */
function withChecksum(bytes: Uint8Array): Uint8Array {
  const checksum = crc16(bytes.slice(1))
  const full = Uint8Array.of(...bytes, checksum >> 8, checksum & 0xff)
  assert.ok(!full.slice(1).includes(0x2b) && !full.includes(0x2d), 'chosen without escapes')
  return full
}
