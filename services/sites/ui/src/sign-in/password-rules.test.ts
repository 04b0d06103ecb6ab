import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordRules } from './password-rules.ts'

const kept = (password: string, username = 'admin') => passwordRules(password, username).map(({ isKept }) => isKept)

test('rules are marked once they are met', () => {
  assert.deepEqual(kept(''), [false, false, false])
  assert.deepEqual(kept('aaaaaaaa'), [true, false, true])
  assert.deepEqual(kept('Admin123'), [true, true, false])
  assert.deepEqual(kept('admin of a house with trees'), [true, true, true])
  assert.deepEqual(kept('tall-giraffe', ''), [true, true, true])
})
