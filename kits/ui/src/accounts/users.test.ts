import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedUserValues, type UserRow, userValues } from './users.ts'

const user: UserRow = {
  id: '1',
  username: 'ada',
  email: 'ada@example.org',
  role: 'user',
  is_active: true,
  password_change_required: true,
  last_login_at: null,
}

test('an edited account sends only what differs, and a password only when one was typed', () => {
  const values = userValues(user)
  assert.equal(changedUserValues(values, user), undefined)
  assert.deepEqual(changedUserValues({ ...values, role: 'admin', password: 'tall-giraffe' }, user), {
    role: 'admin',
    password: 'tall-giraffe',
  })
})

test('an account without an e-mail address sends none', () => {
  const { email: _, ...named } = user
  assert.deepEqual(changedUserValues({ ...userValues(named), username: 'eve' }, named), { username: 'eve' })
})
