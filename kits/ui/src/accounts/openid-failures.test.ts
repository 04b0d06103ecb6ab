import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOpenIdFailure, splitOpenIdFailure } from './openid-failures.ts'

test('a known code has a sentence; others, whatever they hold, have none', () => {
  assert.match(describeOpenIdFailure('openid_not_allowed') ?? '', /in no group/)
  for (const code of ['', 'toString', '__proto__', '<b>hello</b>']) assert.equal(describeOpenIdFailure(code), undefined)
})

test('the code leaves the address, and the rest of it stays', () => {
  assert.deepEqual(splitOpenIdFailure('https://vpn.example.org/peers?tab=2&sign_in_error=openid_expired#end'), {
    code: 'openid_expired',
    address: '/peers?tab=2#end',
  })
  assert.deepEqual(splitOpenIdFailure('https://vpn.example.org/'), { code: undefined, address: '/' })
})
