import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../test/music/seeded-random.ts'
import { autocorrelations, correlate, createCorrelator } from './correlations.ts'

test('a periodic series correlates with itself after one period, and negatively after half of one', () => {
  const values = Float64Array.from({ length: 1000 }, (_, index) => 5 + Math.cos((2 * Math.PI * index) / 40))
  const [correlation = values] = autocorrelations([values], 400)
  for (const period of [1, 2, 5, 10]) assert.ok(correlation[40 * period]! > 0.95, `after ${period} periods`)
  assert.ok(correlation[20]! < -0.95)
  assert.ok(Math.abs(correlation[0]! - 1) < 1e-9)
})

test('a constant series has no autocorrelation', () => {
  for (const series of [new Float64Array(100).fill(3), new Float64Array(0)]) {
    const [correlation = series] = autocorrelations([series], Math.floor(series.length / 2))
    assert.ok(correlation.every((value) => value === 0))
  }
})

test('correlations of pairs equal the direct sums, the mean of both directions', () => {
  const random = seededRandom(7)
  const series = [30, 31, 32].map(() => Float64Array.from({ length: 50 }, () => 3 + random.gaussian()))
  const centred = series.map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return values.map((value) => value - mean)
  })
  const pairs = [
    [0, 0],
    [1, 2],
    [2, 0],
  ] as const
  for (const [number, found] of correlate(createCorrelator(50, 20), series, pairs).entries()) {
    const [one, other] = pairs[number]!
    for (let lag = 0; lag < 20; lag += 1) {
      let sum = 0
      for (let index = 0; index + lag < 50; index += 1)
        sum +=
          centred[one]![index]! * centred[other]![index + lag]! + centred[other]![index]! * centred[one]![index + lag]!
      assert.ok(Math.abs(found[lag]! - sum / 2) < 1e-9)
    }
  }
})

test('a silent series beside a loud one has no autocorrelation', () => {
  const loud = Float64Array.from({ length: 500 }, (_, index) => 20 * Math.sin(index))
  const [, silent = loud] = autocorrelations([loud, new Float64Array(500)], 100)
  assert.ok(silent.every((value) => value === 0))
})
