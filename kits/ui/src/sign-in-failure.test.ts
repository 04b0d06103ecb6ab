import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeWait } from './sign-in-failure.ts'

test('a wait is shown in seconds, then in minutes', () => {
  assert.equal(describeWait(59), 'Too many attempts. Try again in 59 s.')
  assert.equal(describeWait(60), 'Too many attempts. Try again in 1 minute.')
  assert.equal(describeWait(3541), 'Too many attempts. Try again in 60 minutes.')
})
