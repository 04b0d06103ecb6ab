import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createPeakMeter } from './waveform.ts'

test('each peak is the largest absolute sample of its section, to three decimals and at most 1', () => {
  const meter = createPeakMeter({ total: 8, maxCount: 4, minLength: 1 })
  meter.add(Float32Array.of(0.1, -0.5, 0.25, 0))
  meter.add(Float32Array.of(-1.5, 0.2, 0.123_456, -0.1))
  assert.deepEqual(meter.peaks, [0.5, 0.25, 1, 0.123])
})

test('samples beyond the expected end belong to the last section, missing ones are silence', () => {
  const meter = createPeakMeter({ total: 4, maxCount: 2, minLength: 1 })
  meter.add(Float32Array.of(0.1, 0.1, 0.1, 0.1, 0.9, 0.2))
  assert.deepEqual(meter.peaks, [0.1, 0.9])
  assert.deepEqual(createPeakMeter({ total: 4, maxCount: 2, minLength: 1 }).peaks, [0, 0])
})

test('there are never more peaks than requested, and a short sound has few', () => {
  assert.equal(createPeakMeter({ total: 10, maxCount: 2000, minLength: 40 }).peaks.length, 1)
  assert.equal(createPeakMeter({ total: 8000, maxCount: 2000, minLength: 40 }).peaks.length, 200)
  assert.equal(createPeakMeter({ total: 80_000_000, maxCount: 2000, minLength: 40 }).peaks.length, 2000)
})

test('the result does not depend on how the audio is chunked', () => {
  const sound = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(sound, fc.integer({ min: 1, max: 60 }), (samples, size) => {
      const options = { total: samples.length, maxCount: 7, minLength: 2 }
      const [once, pieces] = [createPeakMeter(options), createPeakMeter(options)]
      once.add(Float32Array.from(samples))
      for (let at = 0; at < samples.length; at += size) pieces.add(Float32Array.from(samples.slice(at, at + size)))
      assert.deepEqual(pieces.peaks, once.peaks)
    }),
  )
})
