import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createAddressSet } from './address-set.ts'
import { plainAddress } from './plain-address.ts'
import { addressGroup, clientAddress } from './client-address.ts'

test('an address set matches IPv4 and IPv6 addresses and networks, including IPv4-mapped ones', () => {
  const set = createAddressSet(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1'])
  for (const address of ['10.255.0.1', '192.0.2.7', '::ffff:10.1.1.1', '2001:db8:ffff::1', '::1'])
    assert.equal(set.has(address), true, address)
  for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', 'x', ''])
    assert.equal(set.has(address), false, address)
  for (const entry of ['x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', '10.0.0.0/8/8']) {
    assert.throws(() => createAddressSet([entry]), new RegExp('neither an IP address nor a network'), entry)
  }
})

function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage
}

test('the client is the first address from the right that is not a trusted proxy', () => {
  const trust = { proxies: createAddressSet(['10.0.0.0/8', '::1']), header: 'x-forwarded-for' }
  const cases: [string, string | undefined, string][] = [
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.2.2', '198.51.100.1'],
    ['::1', '[2001:db8::5]:443', '2001:db8::5'],
    ['::1', '198.51.100.1:8080', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
  ]
  for (const [remote, forwarded, expected] of cases)
    assert.equal(clientAddress(request(remote, forwarded), trust), expected, `${remote} ${forwarded}`)
})

test('without trusted proxies forwarding headers are ignored', () => {
  const trust = { proxies: createAddressSet([]), header: 'x-forwarded-for' }
  fc.assert(
    fc.property(fc.ipV4(), fc.string(), (remote, header) =>
      assert.equal(clientAddress(request(remote, header), trust), remote),
    ),
  )
})

test('an IPv6 client is identified by its /64, an IPv4 client by its address', () => {
  assert.equal(addressGroup('2001:db8:0:1::5'), '2001:db8:0:1::/64')
  assert.equal(addressGroup('2001:DB8:0000:0001:ffff:0:0:1'), '2001:db8:0:1::/64')
  assert.equal(addressGroup('::1'), '0:0:0:0::/64')
  assert.equal(addressGroup(plainAddress('::ffff:192.0.2.1')), '192.0.2.1')
})
