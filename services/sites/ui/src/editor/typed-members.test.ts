import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankDraft } from './blank-draft.ts'
import { typedMembers } from './typed-members.ts'

test('of a new site what was typed is told, without passwords', () => {
  const told = typedMembers({
    site_name: 'Shop',
    domains: ['shop.test'],
    tls: { ...blankDraft.tls, mode: 'off' },
    basic_auth: [{ username: 'ada', password: 'tall-giraffe' }],
  })
  assert.deepEqual(told, [
    { field: 'domains', after: ['shop.test'] },
    { field: 'tls.mode', after: 'off' },
    { field: 'basic_auth', after: ['ada'] },
  ])
})
