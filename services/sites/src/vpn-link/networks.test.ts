import assert from 'node:assert/strict'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { homeNetworkProblem, networkOf, suggestHomeNetworks, suggestInsideAddresses } from './networks.ts'
import { linkView } from './link-view.ts'

const entry = (cidr: string, internal = false): NetworkInterfaceInfo => {
  const [address = ''] = cidr.split('/')
  const shared = { address, netmask: '', mac: '', internal, cidr }
  return address.includes(':') ? { ...shared, family: 'IPv6', scopeid: 0 } : { ...shared, family: 'IPv4' }
}

const machine = {
  lo: [entry('127.0.0.1/8', true), entry('::1/128', true)],
  eth0: [entry('192.168.1.20/24'), entry('2001:db8::5/64'), entry('fd00:1::20/64'), entry('fe80::1/64')],
  wg0: [entry('10.8.0.1/24'), entry('fd08::1/64')],
  docker0: [entry('172.17.0.1/16')],
}

test('the network of an address is known, and what is no tunnel’s is none', () => {
  for (const [given, network] of [
    ['10.8.0.1/24', '10.8.0.0/24'],
    ['10.8.7.200/21', '10.8.0.0/21'],
    ['10.0.0.1/8', '10.0.0.0/8'],
    ['fd13:13:13::1/64', 'fd13:13:13::/64'],
    ['FD00:0:0:1:2:3:4:5/48', 'fd00::/48'],
    ['2001:db8:ffff::9/33', '2001:db8:8000::/33'],
  ] as const)
    assert.equal(networkOf(given), network)
  const none = '0.0.0.0/0 10.0.0.0/7 127.0.0.1/8 169.254.1.1/16 224.0.0.1/8 10.8.0.1 10.8.0.1/33 x/24 ::/0 2000::/3'
  for (const given of [
    ...none.split(' '),
    '::ffff:10.8.0.1/120',
    '::1/128',
    'fe80::1/64',
    'ff02::1/16',
    'fd00::%1/64',
    '',
  ])
    assert.equal(networkOf(given), undefined, given)
})

test('a home network is no half of the internet', () => {
  for (const good of ['192.168.0.0/16', '10.0.0.0/8', '192.168.1.7', 'fd00::/16', '2001:db8:1::/48'])
    assert.equal(homeNetworkProblem(good), undefined, good)
  for (const bad of [
    '0.0.0.0/0',
    '128.0.0.0/1',
    '::/0',
    '2000::/3',
    '::ffff:0:0/96',
    'home',
    '192.168.1.0/33',
    '192.168.1.0/-1',
  ])
    assert.notEqual(homeNetworkProblem(bad), undefined, bad)
})

test('suggestions are private networks of this machine, without tunnels and containers', () => {
  const tunnels = ['10.8.0.0/24', 'fd08::/64']
  assert.deepEqual(suggestHomeNetworks(machine, tunnels), ['192.168.1.0/24', 'fd00:1::/64'])
  assert.deepEqual(suggestInsideAddresses(machine, ['10.8.0.1', 'fd08::1', '10.9.0.1']), ['10.8.0.1', 'fd08::1'])
  assert.deepEqual(suggestInsideAddresses(machine, ['10.77.0.1']), ['192.168.1.20', 'fd00:1::20'])
  assert.deepEqual(suggestInsideAddresses({}, []), [])
})

test('what keeps devices inside from Caddy is warned of', () => {
  const row = {
    manager: 'sites-1',
    address: 'http://192.168.1.2:8101',
    token_sealed: 'x',
    records: 'all' as const,
    inside_addresses: '["192.168.1.20"]',
    home_networks: '[]',
    tunnels: JSON.stringify([{ name: 'wg0', networks: ['10.8.0.0/24'], masquerades: true }]),
    tunnels_at: 0,
  }
  const none = { problem: undefined, failingSince: undefined, conflicts: new Map<string, string>() }
  const state = { ...none, checkedAt: 0, records: 1, waiting: 0 }
  const caddy = { bind: ['127.0.0.1'], httpPort: 8180, httpsPort: 8543 }
  const warnings = (changes: Partial<typeof row>, at = caddy) =>
    linkView({ ...row, ...changes }, state, { interfaces: machine, hostAddresses: [], caddy: at }).warnings
  assert.deepEqual(
    warnings({}).map((text) => text.slice(0, 25)),
    [
      'Caddy does not listen at ',
      'Caddy serves at the ports',
      'Devices in wg0 may arrive',
      'The token goes over the n',
    ],
  )
  const usual = { bind: [], httpPort: 80, httpsPort: 443 }
  const tunnelled = { inside_addresses: '["10.8.0.1"]', address: 'https://vpn.example.org' }
  assert.deepEqual(warnings(tunnelled, usual), [])
  assert.match(warnings({ ...tunnelled, inside_addresses: '[]' }, usual).join(), /address at which devices inside/)
})
