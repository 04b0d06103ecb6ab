import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from './clock.ts'
import { SettledClock } from './settled-clock.ts'

const minute = 60_000

test('a wall clock is believed after an hour without a jump, in either direction', () => {
  const clock = createManualClock(0)
  const settled = new SettledClock(clock)
  assert.equal(settled.hasJumped(), false, 'a start is no jump')
  const after = (minutes: number) => {
    clock.advance(minutes * minute)
    return settled.isSettled()
  }
  assert.deepEqual([after(0), after(59), after(1), after(600)], [false, false, true, true])
  for (const direction of [1, -1]) {
    clock.jump(direction * 1000 * 24 * 60 * minute)
    assert.deepEqual([after(1), settled.hasJumped()], [false, true])
    assert.deepEqual([after(59), after(1)], [false, true])
  }
  assert.equal(settled.hasJumped(), false)
  clock.jump(30 * minute)
  assert.equal(after(1), true, 'a correction of minutes is no jump')
})
