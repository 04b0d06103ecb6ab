import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMethod, describeTarget } from './security-events.ts'

test('an event says how or why, and what it is about', () => {
  assert.equal(describeMethod({ method: 'recovery_code', reason: null }), 'Recovery code')
  assert.equal(describeMethod({ method: null, reason: 'rate_limited' }), 'Too many attempts')
  assert.equal(describeMethod({ method: null, reason: null }), '')
  assert.equal(describeTarget({ target: 'eve', detail: 'role: admin' }), 'eve (role: admin)')
  assert.equal(describeTarget({ target: 'phone', detail: null }), 'phone')
  assert.equal(describeTarget({ target: null, detail: null }), '')
})
