import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scaleTop, stackedSteps, stepLine } from './chart-shapes.ts'

const box = { width: 100, height: 10 }

test('the top of a scale is a round number nothing passes', () => {
  assert.deepEqual(
    [[], [0.4], [3], [12], [51], [100]].map((values) => scaleTop(values)),
    [1, 1, 5, 20, 100, 100],
  )
  assert.equal(scaleTop([0.03], 0.01), 0.05)
})

test('a line is broken where nothing is known, and a single value is still to be seen', () => {
  assert.equal(stepLine([0, 10, null, 5], box, 10), 'M0 10H25V0H50M75 5H100')
})

test('series stand on each other', () => {
  const [first, second] = stackedSteps(
    [
      [1, 1],
      [1, 0],
    ],
    box,
    2,
  )
  assert.equal(first, 'M0 5H50V5H100V10H50V10H0Z')
  assert.equal(second, 'M0 0H50V5H100V5H50V5H0Z')
})
