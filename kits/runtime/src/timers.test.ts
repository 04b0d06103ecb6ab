import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers, createSkippingTimers, systemTimers } from './timers.ts'

test('fast timers speed up both clocks and delays', async () => {
  const timers = createFastTimers(100, 0)
  await timers.delay(2000)
  const { promise, resolve } = Promise.withResolvers<void>()
  timers.after(1000, resolve)
  await promise
  // A timer of the machine may come a millisecond early, which is a hundred here.
  assert.ok(timers.monotonic() >= 2700, String(timers.monotonic()))
  assert.ok(timers.now() >= 2700)
})

test('a jump changes only the wall clock', () => {
  const timers = createFastTimers(1, 0)
  const before = timers.monotonic()
  timers.jump(3_600_000)
  assert.ok(timers.now() >= 3_600_000)
  assert.ok(timers.monotonic() - before < 1000)
})

test('a delay rejects with the reason of its signal, and a cancelled timer never runs', async () => {
  const end = new AbortController()
  const waiting = systemTimers.delay(60_000, end.signal)
  end.abort(new Error('told to'))
  await assert.rejects(waiting, /told to/)
  await assert.rejects(systemTimers.delay(1, end.signal), /told to/)
  let ran = false
  systemTimers.after(1, () => (ran = true))()
  await systemTimers.delay(10)
  assert.equal(ran, false)
})

test('fast timers skip periods in which the process did not run', async () => {
  const timers = createFastTimers(100)
  const begun = timers.monotonic()
  const wait = timers.delay(2000)
  const stall = performance.now() + 300
  while (performance.now() < stall);
  const passed = timers.monotonic() - begun
  assert.ok(passed < 5000, `${passed} ms passed in a moment that would be 30,000`)
  await wait
  assert.ok(timers.monotonic() - begun >= 2000)
})

test('skipping timers pass only in waits, which end in their order', async () => {
  const timers = createSkippingTimers(0)
  const ended: string[] = []
  const cancelled = timers.after(1000, () => ended.push('cancelled'))
  const day = timers.delay(86_400_000).then(() => ended.push('day'))
  const hour = timers.delay(3_600_000).then(() => ended.push('hour'))
  cancelled()
  await hour
  assert.deepEqual([timers.now(), timers.monotonic()], [3_600_000, 3_600_000])
  await day
  await systemTimers.delay(20)
  assert.deepEqual([ended, timers.now()], [['hour', 'day'], 86_400_000])
  timers.jump(1000)
  assert.deepEqual([timers.now(), timers.monotonic()], [86_401_000, 86_400_000])
})
