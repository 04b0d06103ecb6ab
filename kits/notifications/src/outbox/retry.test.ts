import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxAttempts, retryDelay } from './retry.ts'

const minute = 60_000
const hour = 60 * minute

test('attempts spread over about a day, each delay longer than the one before, with jitter', () => {
  const delays = Array.from({ length: maxAttempts - 1 }, (_, index) => retryDelay(index + 1, 0.5))
  assert.equal(delays[0], 30_000)
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  )
  const total = delays.reduce((sum, delay) => sum + delay, 0)
  assert.ok(total > 18 * hour && total < 28 * hour, `${total / hour} hours`)
  assert.equal(retryDelay(1, 0), 24_000)
  assert.equal(retryDelay(1, 1), 36_000)
})

test('a server’s wish for a longer delay counts, up to a day', () => {
  assert.equal(retryDelay(1, 0.5, 10 * minute), 10 * minute)
  assert.equal(retryDelay(1, 0.5, 1000), 30_000)
  assert.equal(retryDelay(1, 0.5, 400 * hour), 24 * hour)
})
