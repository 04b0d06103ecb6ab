import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filledClusters, scaleOf } from './chart-scale.ts'

test('a scale has round steps, starts at zero and covers every value', () => {
  assert.deepEqual(scaleOf([]), { top: 1, lines: [0, 1] })
  assert.deepEqual(scaleOf([3]), { top: 3, lines: [0, 1, 2, 3] })
  assert.deepEqual(scaleOf([7, 31, 12]), { top: 40, lines: [0, 10, 20, 30, 40] })
  for (const highest of [1, 4, 5, 9, 11, 99, 101, 12_345]) {
    const { top, lines } = scaleOf([highest])
    assert.ok(top >= highest && lines.length <= 6, `${highest}: ${lines.join()}`)
  }
})

test('empty tempo groups are filled in between', () => {
  assert.deepEqual(
    filledClusters([
      { bpm: 125, count: 4 },
      { bpm: 110, count: 2 },
    ]),
    [
      { bpm: 110, count: 2 },
      { bpm: 115, count: 0 },
      { bpm: 120, count: 0 },
      { bpm: 125, count: 4 },
    ],
  )
  assert.deepEqual(filledClusters([]), [])
})
