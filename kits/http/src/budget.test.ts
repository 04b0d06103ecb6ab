import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createManualClock } from '@hearth/runtime'
import { allowanceHeaders, createBudget } from './budget.ts'

test('the limit applies to a sliding window', () => {
  const clock = createManualClock(0)
  const budget = createBudget({ limit: 4, windowSeconds: 60, clock })
  const takeTwo = () => [budget.take('a').allowed, budget.take('a').allowed]
  assert.deepEqual(takeTwo(), [true, true])
  clock.advance(50_000)
  assert.deepEqual(takeTwo(), [true, true])
  clock.advance(10_001)
  assert.deepEqual([...takeTwo(), budget.take('a').allowed], [true, true, false], 'the two of 10 s ago still count')
  clock.advance(49_000)
  assert.equal(budget.take('a').allowed, false)
  clock.advance(1000)
  assert.equal(budget.take('a').allowed, true)
})

test('a refusal says how many seconds to wait, and a request after that wait is allowed', () => {
  const clock = createManualClock(0)
  const budget = createBudget({ limit: 1, windowSeconds: 60, clock })
  budget.take('a')
  clock.advance(12_400)
  const refused = budget.take('a')
  assert.deepEqual([refused.allowed, refused.remaining, refused.retryAfterSeconds], [false, 0, 48])
  assert.deepEqual(allowanceHeaders(refused, 1_000_000), {
    'x-ratelimit-limit': '1',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1048',
    'retry-after': '48',
  })
  clock.advance(48_000)
  assert.equal(budget.take('a').allowed, true)
})

test('refused requests do not extend the wait, and keys are independent', () => {
  const clock = createManualClock(0)
  const budget = createBudget({ limit: 1, windowSeconds: 60, clock })
  budget.take('a')
  for (let second = 0; second < 59; second += 1) {
    clock.advance(1000)
    assert.equal(budget.take('a').allowed, false)
  }
  assert.equal(budget.take('b').allowed, true)
  clock.advance(1000)
  assert.equal(budget.take('a').allowed, true)
})

test('a refund gives back the last request, and a peek does not count', () => {
  const budget = createBudget({ limit: 1, windowSeconds: 60 })
  budget.take('a')
  assert.equal(budget.peek('a').allowed, false)
  budget.refund('a')
  assert.equal(budget.peek('a').allowed, true)
  assert.equal(budget.take('a').allowed, true)
})

test('a jump of the wall clock changes no wait', () => {
  const clock = createManualClock(0)
  const budget = createBudget({ limit: 1, windowSeconds: 60, clock })
  budget.take('a')
  clock.jump(3_600_000)
  assert.equal(budget.take('a').allowed, false)
  clock.jump(-7_200_000)
  clock.advance(60_000)
  assert.equal(budget.take('a').allowed, true)
})

/** Bytes in use once everything unused is gone. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

test('the number of addresses is bounded, and new ones do not reset the counts of known ones', () => {
  const clock = createManualClock(0)
  const budget = createBudget({ limit: 10, windowSeconds: 60, capacity: 1000, clock })
  for (let index = 0; index < 10; index += 1) budget.take('guesser')
  const before = heapInUse()
  let admitted = 0
  for (let index = 0; index < 1_000_000; index += 1) if (budget.take(`address ${index}`).allowed) admitted += 1
  assert.equal(budget.take('guesser').allowed, false)
  assert.equal(admitted, 999 + 10, 'those beyond the capacity share one count')
  assert.ok(heapInUse() - before < 3_000_000)
  clock.advance(60_001)
  assert.equal(budget.take('late').allowed, true, 'room comes back when the counts run out')
})
