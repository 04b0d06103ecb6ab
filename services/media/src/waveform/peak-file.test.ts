import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createPairMeter, peakHeader } from './peak-file.ts'

const read = (content: Buffer) => {
  const count = content.readUInt32LE(4)
  return {
    count,
    pairSeconds: content.readDoubleLE(8),
    seconds: content.readDoubleLE(16),
    pairs: Array.from({ length: count }, (_, index) => [
      content.readInt8(peakHeader + 2 * index),
      content.readInt8(peakHeader + 2 * index + 1),
    ]),
  }
}

test('each pair has the lowest and the highest sample of its time', () => {
  const meter = createPairMeter({ sampleRate: 8, pairsPerSecond: 2, maxPairs: 100 })
  meter.add(Float32Array.of(0.5, -1, 0, 0.25))
  meter.add(Float32Array.of(2, 0, 0, -0.5, -0.25))
  assert.deepEqual(read(meter.content()), {
    count: 3,
    pairSeconds: 0.5,
    seconds: 9 / 8,
    pairs: [
      [-127, 64],
      [-63, 127],
      [-32, 0],
    ],
  })
})

test('a long sound has at most so many pairs, each at its time, however it is chunked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 500 }), (length, chunk) => {
      const meter = createPairMeter({ sampleRate: 100, pairsPerSecond: 50, maxPairs: 64 })
      const samples = Float32Array.from({ length }, (_, index) => (index === length - 1 ? 1 : 0))
      for (let at = 0; at < length; at += chunk) meter.add(samples.subarray(at, at + chunk))
      const { count, pairSeconds, seconds, pairs } = read(meter.content())
      assert.ok(count <= 65)
      assert.equal(seconds, length / 100)
      assert.ok(
        Math.abs(count * pairSeconds - seconds) < pairSeconds + 1e-9,
        `${count} of ${pairSeconds} for ${seconds}`,
      )
      // The last sample is the only loud one.
      assert.deepEqual(
        pairs.map(([, high]) => high),
        pairs.map((_, index) => (index === count - 1 ? 127 : 0)),
      )
    }),
  )
})
