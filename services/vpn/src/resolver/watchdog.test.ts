import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProcessSample } from '../dns/loops/process-sample.ts'
import { checkMs, Watchdog } from './watchdog.ts'

const limits = { asleepMs: 2000, ranMs: 6000, passedMs: 6000 }

/** Checks for a minute at most. After how many milliseconds it says that the process hangs, and what. */
function outcome(step: (n: number) => Partial<ProcessSample> | undefined, every = checkMs) {
  const watchdog = new Watchdog(limits, 0)
  for (let n = 1; n * every <= 60_000; n++) {
    const sample = step(n)
    const found = watchdog.check(sample && { state: 'S', ranMs: 0, waitedMs: 0, ...sample }, n * every)
    if (found !== undefined) return [found, n * every]
  }
  return undefined
}

test('a stopped process hangs at the second check', () => {
  assert.deepEqual(
    outcome(() => ({ state: 'T' })),
    ['is stopped', 2 * checkMs],
  )
  assert.equal(
    outcome((n) => (n % 2 === 0 ? { state: 'T' } : { state: 'R' })),
    undefined,
  )
})

test('a sleeping silent process hangs after two seconds; a running one after six', () => {
  assert.deepEqual(
    outcome(() => ({})),
    ['hangs', 2400],
  )
  assert.deepEqual(
    outcome((n) => ({ state: 'R', ranMs: n * checkMs })),
    ['hangs', 6800],
  )
})

test('a process that waits for CPU or disk never counts as hanging', () => {
  const waiting = (n: number) => ({ state: 'R', waitedMs: n > 100 ? 40_000 : 0, ranMs: n * 2 })
  assert.equal(outcome(waiting), undefined)
  assert.equal(
    outcome((n) => ({ state: 'S', waitedMs: n * (checkMs - 5), ranMs: n * 5 })),
    undefined,
  )
  assert.equal(
    outcome(() => ({ state: 'D' })),
    undefined,
  )
})

test('time without checks does not count', () => {
  assert.deepEqual(
    outcome(() => ({}), 20_000),
    ['hangs', 60_000],
  )
  const watchdog = new Watchdog(limits, 0)
  const sleeping = { state: 'S', ranMs: 0, waitedMs: 0 }
  assert.equal(watchdog.check(sleeping, 50_000), undefined)
  watchdog.reset(limits)
  assert.equal(watchdog.check(sleeping, 100_000), undefined)
})

test('without process samples elapsed time decides', () => {
  assert.deepEqual(
    outcome(() => undefined),
    ['gives no sign of life', 6400],
  )
})
