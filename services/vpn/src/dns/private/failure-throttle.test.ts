import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressGroup } from './address-group.ts'
import { FailureThrottle } from './failure-throttle.ts'

test('an address is shut after 20 failures and opens again; one with a device is never shut', () => {
  let now = 0
  const throttle = new FailureThrottle(() => now)
  for (let count = 0; count < 20; count += 1) {
    assert.equal(throttle.isShut('a'), false)
    throttle.failed('a')
    throttle.failed('home')
  }
  throttle.succeeded('home')
  assert.deepEqual([throttle.isShut('a'), throttle.isShut('home'), throttle.isShut('b')], [true, false, false])
  now += 3000
  assert.equal(throttle.isShut('a'), false)
  throttle.failed('a')
  assert.equal(throttle.isShut('a'), true)
  now += 60_000
  assert.equal(throttle.isShut('a'), false)
})

test('addresses that fail take bounded memory', () => {
  const throttle = new FailureThrottle(() => 0)
  for (let count = 0; count < 30; count += 1) throttle.failed('first')
  for (let count = 0; count < 20_000; count += 1) throttle.failed(`10.0.${count >> 8}.${count & 255}`)
  assert.equal(throttle.isShut('first'), false, 'what was quiet longest is forgotten')
})

test('one sender is an IPv4 address, or a /64 of IPv6', () => {
  assert.equal(addressGroup('::ffff:192.0.2.1'), addressGroup('192.0.2.1'))
  assert.equal(addressGroup('2001:db8::1'), addressGroup('2001:db8:0:0:ffff::2'))
  assert.notEqual(addressGroup('2001:db8::1'), addressGroup('2001:db8:0:1::1'))
})
