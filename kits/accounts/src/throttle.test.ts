import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { AccountError } from './account-error.ts'
import { backOff, createThrottle, lockOut, slidingWindow, type MemoryThrottle } from './throttle.ts'

/** Seconds that an attempt has to wait; 0 when it is allowed, and counted. */
function attempt(throttle: MemoryThrottle, key: string): number {
  try {
    throttle.attempt(key)
    return 0
  } catch (error) {
    assert.ok(error instanceof AccountError && error.reason.kind === 'rate-limited')
    return error.reason.retryAfterSeconds
  }
}

test('sliding window: after five attempts in fifteen minutes the next is refused', () => {
  const clock = createManualClock(0)
  const throttle = createThrottle(slidingWindow(5, 900), clock)
  for (let count = 0; count < 5; count += 1) {
    assert.equal(attempt(throttle, 'a'), 0)
    clock.advance(60_000)
  }
  assert.equal(attempt(throttle, 'a'), 600)
  assert.equal(attempt(throttle, 'b'), 0)
  clock.advance(599_000)
  assert.equal(attempt(throttle, 'a'), 1)
  clock.advance(1000)
  assert.equal(attempt(throttle, 'a'), 0)
  assert.equal(attempt(throttle, 'a'), 60)
})

test('sliding window: a limit above fifty holds', () => {
  const throttle = createThrottle(slidingWindow(60, 900), createManualClock(0))
  for (let count = 0; count < 60; count += 1) assert.equal(attempt(throttle, 'a'), 0)
  assert.equal(attempt(throttle, 'a'), 900)
})

test('sliding window: a success refunds only its own attempt', () => {
  const throttle = createThrottle(slidingWindow(5, 900), createManualClock(0))
  for (let count = 0; count < 4; count += 1) throttle.attempt('a')
  for (let count = 0; count < 10; count += 1) {
    assert.equal(attempt(throttle, 'a'), 0)
    throttle.succeed('a')
  }
  assert.equal(attempt(throttle, 'a'), 0)
  assert.equal(attempt(throttle, 'a'), 900)
})

test('lock-out: the sixth failure in five minutes locks the key for fifteen', () => {
  const clock = createManualClock(0)
  const throttle = createThrottle(lockOut(5, 300, 900), clock)
  for (let count = 0; count < 5; count += 1) assert.equal(throttle.fail('a'), 0)
  assert.equal(throttle.fail('a'), 900)
  assert.equal(throttle.waitOf('b'), 0)
  clock.advance(899_000)
  assert.equal(throttle.waitOf('a'), 1)
  clock.advance(1000)
  assert.equal(throttle.waitOf('a'), 0)
  assert.equal(throttle.fail('a'), 0)
})

test('lock-out: failures outside the window or before a success do not count', () => {
  const clock = createManualClock(0)
  const throttle = createThrottle(lockOut(5, 300, 900), clock)
  for (let count = 0; count < 50; count += 1) {
    assert.equal(throttle.fail('a'), 0)
    clock.advance(61_000)
  }
  for (let count = 0; count < 4; count += 1) throttle.fail('b')
  throttle.succeed('b')
  for (let count = 0; count < 5; count += 1) assert.equal(throttle.fail('b'), 0)
})

test('back-off: from the third failure on each doubles the wait, up to a minute, until a success', () => {
  const clock = createManualClock(0)
  const throttle = createThrottle(backOff(3, 60), clock)
  const waits = Array.from({ length: 10 }, () => {
    const wait = throttle.fail('a')
    clock.advance(wait * 1000)
    return wait
  })
  assert.deepEqual(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60])
  assert.equal(attempt(throttle, 'a'), 0)
  assert.equal(attempt(throttle, 'a'), 60)
  throttle.succeed('a')
  assert.equal(attempt(throttle, 'a'), 0)
})

for (const [name, policy] of Object.entries({
  window: slidingWindow(5, 900),
  lockOut: lockOut(5, 300, 900),
  backOff: backOff(3, 60),
}))
  describe(name, () => {
    test('beyond the maximum number of keys new keys are refused, and known keys keep their count', () => {
      const clock = createManualClock(0)
      const throttle = createThrottle(policy, clock)
      for (let count = 0; count < 4; count += 1) throttle.fail('known')
      for (let count = 0; count < 10_000; count += 1) throttle.fail(`flood ${count}`)
      for (let count = 0; count < 20; count += 1) throttle.fail(`more ${count}`)
      assert.ok(attempt(throttle, 'one more') > 0)
      const alone = createThrottle(policy, clock)
      for (let count = 0; count < 4; count += 1) alone.fail('known')
      assert.equal(throttle.waitOf('known'), alone.waitOf('known'))
      // Keys expire and make room for new ones.
      clock.advance(2 * 86_400_000)
      assert.equal(attempt(throttle, 'late'), 0)
    })
  })
