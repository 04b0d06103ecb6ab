import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readWavHeader } from './cut-sound.ts'

const chunk = (name: string, content: Buffer, length = content.length): Buffer => {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

function format(channels: number, sampleRate: number): Buffer {
  const content = Buffer.alloc(16)
  content.writeUInt16LE(1, 0)
  content.writeUInt16LE(channels, 2)
  content.writeUInt32LE(sampleRate, 4)
  content.writeUInt16LE(channels * 2, 12)
  content.writeUInt16LE(16, 14)
  return chunk('fmt ', content)
}

const wav = (...chunks: Buffer[]): Buffer => Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...chunks])

test('the sample count is taken from the header, whatever chunks precede the data', () => {
  const data = chunk('data', Buffer.alloc(8), 4 * 44_100)
  assert.deepEqual(readWavHeader(wav(format(2, 44_100), data)), { channels: 2, sampleRate: 44_100, frames: 44_100 })
  const info = chunk('LIST', Buffer.from('odd'))
  assert.equal(readWavHeader(wav(info, format(1, 8000), info, chunk('data', Buffer.alloc(0), 9)))?.frames, 4)
})

test('the sample count of a file over 4 GiB is taken from its 64 bits', () => {
  const sizes = Buffer.alloc(28)
  sizes.writeBigUInt64LE(4n * 2_000_000_000n, 8)
  const long = wav(chunk('ds64', sizes), format(2, 48_000), chunk('data', Buffer.alloc(8), 0xff_ff_ff_ff))
  long.write('RF64', 'latin1')
  assert.deepEqual(readWavHeader(long), { channels: 2, sampleRate: 48_000, frames: 2_000_000_000 })
})

test('anything else is rejected without an exception', () => {
  assert.equal(readWavHeader(wav(chunk('data', Buffer.alloc(4)))), undefined)
  assert.equal(readWavHeader(wav(format(2, 44_100))), undefined)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      readWavHeader(wav(Buffer.from(bytes)))
      assert.equal(readWavHeader(Buffer.from(bytes)), undefined)
    }),
  )
})
