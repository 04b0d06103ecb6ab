import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingAnswers, stepPlace } from './onboarding-step.ts'

test('each state of the server maps to a step', () => {
  const places = (['node', 'decision', 'apply', 'done'] as const).map((step) => stepPlace({ step }))
  assert.deepEqual(places, [0, 1, 1, 3])
})

test('replacing existing sites requires two answers', () => {
  assert.deepEqual(missingAnswers({ is_blank: true }, { mode: '', confirmed: false }), {})
  assert.deepEqual(Object.keys(missingAnswers({ is_blank: false }, { mode: '', confirmed: false })), [
    'mode',
    'confirm_exclusive',
  ])
  assert.deepEqual(missingAnswers({ is_blank: null }, { mode: 'import', confirmed: true }), {})
})
