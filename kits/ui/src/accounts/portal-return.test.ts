import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPortalReturn } from './portal-return.ts'

test('the portal’s answer leaves the address of the page', () => {
  assert.deepEqual(readPortalReturn('https://media.example.org/settings?tab=access&openid_connection=answered'), {
    isAnswered: true,
    problem: undefined,
    address: '/settings?tab=access',
  })
})

test('a refusal has its sentence; other codes, whatever they hold, have none', () => {
  assert.match(readPortalReturn('https://vpn.example.org/?openid_connection=declined').problem ?? '', /declined/)
  for (const code of ['', 'toString', '__proto__', '%3Cb%3E'])
    assert.equal(readPortalReturn(`https://vpn.example.org/?openid_connection=${code}`).problem, undefined)
})
