import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../test/music/seeded-random.ts'
import { autocorrelation, createFft, powerOfTwo, valueAt } from './fft.ts'

test('the transform equals the direct sum', () => {
  for (const size of [2, 8, 64]) {
    const random = seededRandom(size)
    const real = Float64Array.from({ length: size }, () => random.gaussian())
    const imaginary = Float64Array.from({ length: size }, () => random.gaussian())
    const [gotReal, gotImaginary] = [real.slice(), imaginary.slice()]
    createFft(size).transform(gotReal, gotImaginary)
    for (let bin = 0; bin < size; bin += 1) {
      let [sumReal, sumImaginary] = [0, 0]
      for (let index = 0; index < size; index += 1) {
        const angle = (-2 * Math.PI * bin * index) / size
        sumReal += real[index]! * Math.cos(angle) - imaginary[index]! * Math.sin(angle)
        sumImaginary += real[index]! * Math.sin(angle) + imaginary[index]! * Math.cos(angle)
      }
      assert.ok(Math.abs(gotReal[bin]! - sumReal) < 1e-9 && Math.abs(gotImaginary[bin]! - sumImaginary) < 1e-9)
    }
  }
})

test('a size that is not a power of two is refused', () => {
  assert.throws(() => createFft(100), /a transform of 100 values/)
  assert.equal(powerOfTwo(100), 128)
  assert.equal(powerOfTwo(128), 128)
})

test('a periodic series correlates with itself after one period, and negatively after half of one', () => {
  const values = Float64Array.from({ length: 1000 }, (_, index) => 5 + Math.cos((2 * Math.PI * index) / 40))
  const correlation = autocorrelation(values, 400)
  for (const period of [1, 2, 5, 10]) assert.ok(correlation[40 * period]! > 0.95, `after ${period} periods`)
  assert.ok(correlation[20]! < -0.95)
  assert.ok(Math.abs(correlation[0]! - 1) < 1e-9)
})

test('a constant series has no autocorrelation', () => {
  assert.ok(autocorrelation(new Float64Array(100).fill(3), 50).every((value) => Math.abs(value) < 1e-6))
  assert.ok(autocorrelation(new Float64Array(0), 0).every((value) => value === 0))
})

test('values are interpolated linearly, and are zero beyond the end', () => {
  const values = Float64Array.of(0, 10, 20)
  assert.equal(valueAt(values, 1.5), 15)
  assert.equal(valueAt(values, 7), 0)
})
