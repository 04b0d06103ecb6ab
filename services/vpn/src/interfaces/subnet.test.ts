import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  address4Problem,
  address6Problem,
  ipv4OfNumber,
  ipv6Host,
  isPeerAddress4,
  isPeerAddress6,
  numberOfIpv4,
  overlaps,
  subnet4,
  subnet6,
} from './subnet.ts'

test('addresses convert to numbers and back', () => {
  fc.assert(fc.property(fc.ipV4(), (address) => assert.equal(ipv4OfNumber(numberOfIpv4(address)), address)))
})

test('a network knows its bounds and its usable addresses', () => {
  const subnet = subnet4('10.8.0.1/29')
  assert.equal(subnet.cidr, '10.8.0.0/29')
  const free = ['10.8.0.0', '10.8.0.1', '10.8.0.2', '10.8.0.6', '10.8.0.7', '10.8.0.8'].filter((address) =>
    isPeerAddress4(subnet, numberOfIpv4(address)),
  )
  assert.deepEqual(free, ['10.8.0.2', '10.8.0.6'])
  const six = subnet6('fd08::1/64')
  assert.equal(ipv6Host(six, 258), 'fd08::102')
  assert.deepEqual(
    ['fd08::', 'fd08::1', 'fd08::2', 'fd08:0:0:1::2'].map((address) => isPeerAddress6(six, address)),
    [false, false, true, false],
  )
})

test('two networks overlap exactly when one contains the other’s first address', () => {
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.ipV4(),
      fc.integer({ min: 8, max: 30 }),
      fc.integer({ min: 8, max: 30 }),
      (a, b, m, n) => {
        const [one, two] = [subnet4(`${a}/${m}`), subnet4(`${b}/${n}`)]
        const holds = (x: typeof one, y: typeof one) => y.network >= x.network && y.network <= x.broadcast
        assert.equal(overlaps(`${a}/${m}`, `${b}/${n}`), holds(one, two) || holds(two, one))
      },
    ),
  )
})

test('addresses that this host cannot have are refused with a reason', () => {
  for (const address of [
    '10.8.0.0/24',
    '10.8.0.255/24',
    '10.8.0.1/31',
    '10.8.0.1/7',
    '127.0.0.1/8',
    '169.254.1.1/16',
    '224.0.0.1/8',
    '0.1.1.1/8',
    '255.1.1.1/8',
  ]) {
    assert.ok(address4Problem(address), address)
  }
  for (const address of ['fd08::/64', 'fd08::1/127', 'fe80::1/64', 'ff02::1/64', '::1/64', 'fd08::1/8'])
    assert.ok(address6Problem(address), address)
  for (const address of ['10.8.0.1/24', '192.168.0.1/30', '100.64.0.1/10'])
    assert.equal(address4Problem(address), undefined, address)
  assert.equal(address6Problem('fd08::1/64'), undefined)
})
