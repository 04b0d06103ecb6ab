import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOff } from './event-stream.ts'

test('reconnect delays double from one second up to thirty', () => {
  const middle = () => 0.5
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 50].map((attempt) => backOff(attempt, middle)),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  )
})

test('reconnect delays are randomised so that many pages do not reconnect at once', () => {
  assert.equal(
    backOff(1, () => 0),
    800,
  )
  assert.equal(
    backOff(1, () => 1),
    1200,
  )
})
