import assert from 'node:assert/strict'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { hostsOf, isBoundTo, isSearchable, networksOf } from './host-networks.ts'

const own = (cidr: string, internal = false): NetworkInterfaceInfo[] => [
  { address: '', netmask: '', mac: '', family: 'IPv4', internal, cidr },
]

test('the networks of a host are its private ones, once each; large and public ones say why not', () => {
  const networks = networksOf({
    lo: own('127.0.0.1/8', true),
    eth0: own('192.168.1.7/24'),
    wlan0: own('192.168.1.9/24'),
    docker0: own('172.17.0.1/16'),
    ppp0: own('203.0.113.9/24'),
    wg0: own('10.8.0.1/32'),
    lab: own('10.1.3.200/22'),
  })
  assert.deepEqual(
    networks.map(({ network, addresses, reason }) => [network, addresses, reason]),
    [
      ['192.168.1.0/24', 254, null],
      ['172.17.0.0/16', 65_534, 'too_large'],
      ['203.0.113.0/24', 254, 'not_private'],
      ['10.1.0.0/22', 1022, null],
    ],
  )
})

test('the hosts of a network leave out its first and its last address', () => {
  assert.deepEqual(
    [...hostsOf({ network: '192.168.1.8/29', addresses: 6 })],
    [9, 10, 11, 12, 13, 14].map((host) => `192.168.1.${host}`),
  )
})

test('an operator may name private networks that are not too large', () => {
  for (const good of ['192.168.1.0/24', '10.0.0.0/22', '127.9.0.0/29', '172.16.5.0/30'])
    assert.ok(isSearchable(good), good)
  for (const bad of [
    '192.168.0.0/16',
    '8.8.8.0/24',
    '192.168.1.0',
    'fd00::/64',
    '300.1.1.0/24',
    '10.0.0.0/33',
    '192.168.1.1/32',
  ])
    assert.ok(!isSearchable(bad), bad)
})

test('a port bound to all addresses is at each of the host, another at its own', () => {
  const interfaces = { eth0: own('192.168.1.7/24').map((one) => Object.assign(one, { address: '192.168.1.7' })) }
  for (const all of ['0.0.0.0', '::']) {
    assert.ok(isBoundTo(all, '192.168.1.7', interfaces))
    assert.ok(!isBoundTo(all, '192.168.1.8', interfaces))
  }
  assert.ok(isBoundTo('192.168.1.7', '192.168.1.7', interfaces))
  assert.ok(!isBoundTo('127.0.0.1', '192.168.1.7', interfaces))
  assert.ok(!isBoundTo(undefined, '192.168.1.7', interfaces))
})
