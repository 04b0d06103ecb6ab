import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secondsUntilTomorrow, timeLeft } from './pause-times.ts'

test('the rest of a pause counts down to zero', () => {
  const until = '2026-11-21T12:00:00Z'
  const at = (seconds: number) => timeLeft(until, new Date(Date.parse(until) - seconds * 1000))
  assert.deepEqual([at(3600), at(90), at(5), at(0), at(-5)], ['1:00:00', '1:30', '0:05', undefined, undefined])
  assert.equal(timeLeft(null, new Date()), undefined)
})

test('tomorrow begins at local midnight', () => {
  assert.equal(secondsUntilTomorrow(new Date(2026, 10, 21, 23, 59, 30)), 30)
  assert.equal(secondsUntilTomorrow(new Date(2026, 10, 21, 0, 0, 0)), 86_400)
})
