import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookiesOf } from './request-cookies.ts'

const read = (cookie: string) => cookiesOf({ headers: { cookie } }, '__Host-key')

test('values of a cookie are read in their order, among others', () => {
  assert.deepEqual(read('__Host-key=a'), ['a'])
  assert.deepEqual(read('x=1; __Host-key=a; y=2;__Host-key=b ;\t__Host-key=c=d'), ['a', 'b', 'c=d'])
  assert.deepEqual(cookiesOf({ headers: {} }, '__Host-key'), [])
})

test('what only looks like the cookie is none', () => {
  for (const text of [
    'x__Host-key=a',
    '__Host-key',
    '__Host-key =a',
    '__Host-keys=a',
    '__host-key=a',
    'x=__Host-key=a',
    '"__Host-key"=a',
  ])
    assert.deepEqual(read(text), [], text)
})

test('of many values the first few count, so that a request costs little', () => {
  assert.deepEqual(read('__Host-key=a;'.repeat(3000)), ['a', 'a', 'a', 'a', 'a'])
})
