import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../test/music/seeded-random.ts'
import { createFft, powerOfTwo, transform } from './fft.ts'

test('the transform equals the direct sum', () => {
  for (const size of [2, 4, 8, 16, 64, 128, 256]) {
    const random = seededRandom(size)
    const real = Float64Array.from({ length: size }, () => random.gaussian())
    const imaginary = Float64Array.from({ length: size }, () => random.gaussian())
    const [gotReal, gotImaginary] = [real.slice(), imaginary.slice()]
    transform(createFft(size), gotReal, gotImaginary)
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
