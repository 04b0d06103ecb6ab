import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../wireguard/network-address.ts'
import { encodeConfiguration, routedNetworks, type DeviceConfiguration } from './config-text.ts'

const configuration: DeviceConfiguration = {
  name: 'phone',
  privateKey: 'PRIVATE=',
  ip: '10.8.0.2',
  ipv6: 'fd08::2',
  dns: '1.1.1.1, 9.9.9.9',
  mtu: 1420,
  serverPublicKey: 'SERVER=',
  presharedKey: 'SHARED=',
  endpoint: { host: 'vpn.example.org', port: 51_820 },
  allowedIps: ['0.0.0.0/0', '::/0'],
  persistentKeepalive: 25,
}

test('the file has the sections and keys of wg-quick', () => {
  assert.equal(
    encodeConfiguration(configuration),
    `# phone
[Interface]
PrivateKey = PRIVATE=
Address = 10.8.0.2/32, fd08::2/128
DNS = 1.1.1.1, 9.9.9.9
MTU = 1420

[Peer]
PublicKey = SERVER=
PresharedKey = SHARED=
Endpoint = vpn.example.org:51820
AllowedIPs = 0.0.0.0/0, ::/0
PersistentKeepalive = 25
`,
  )
})

test('absent values have no line; IPv6 endpoints are bracketed; a device-held key leaves a comment', () => {
  const text = encodeConfiguration({
    ...configuration,
    ipv6: null,
    dns: '',
    presharedKey: null,
    persistentKeepalive: 0,
    privateKey: null,
    endpoint: { host: '2001:db8::1', port: 51_820 },
  })
  assert.doesNotMatch(text, /^(DNS|PresharedKey|PersistentKeepalive|PrivateKey)/m)
  assert.match(text, /^# PrivateKey = /m)
  assert.match(text, /^Address = 10\.8\.0\.2\/32$/m)
  assert.match(text, /^Endpoint = \[2001:db8::1\]:51820$/m)
})

test('each routing mode routes its networks, and resolvers always use the tunnel', () => {
  const routed = (mode: 'full_tunnel' | 'split_tunnel' | 'isolated' | 'custom', listed: string[] = [], dns = '') =>
    routedNetworks(mode, { listed, behindOthers: [] }, { address: '10.8.0.1/24', address6: 'fd08::1/64', dns })
  assert.deepEqual(routed('full_tunnel', ['10.0.0.0/8'], '1.1.1.1'), ['0.0.0.0/0', '::/0'])
  assert.deepEqual(routed('isolated', ['10.0.0.0/8']), ['10.8.0.0/24', 'fd08::/64'])
  assert.deepEqual(routed('split_tunnel', ['192.168.1.0/24']), ['10.8.0.0/24', 'fd08::/64', '192.168.1.0/24'])
  assert.deepEqual(routed('custom', ['192.168.1.0/24']), ['192.168.1.0/24'])
  assert.deepEqual(routed('isolated', [], '10.8.0.1, 1.1.1.1, 2606:4700::1111'), [
    '10.8.0.0/24',
    'fd08::/64',
    '1.1.1.1/32',
    '2606:4700::1111/128',
  ])
})

test('networks behind other peers are routed where the mode has the VPN and listed networks', () => {
  const on = { address: '10.8.0.1/24', address6: null, dns: '10.20.0.53' }
  const routed = (mode: 'full_tunnel' | 'split_tunnel' | 'isolated' | 'custom') =>
    routedNetworks(mode, { listed: ['192.168.1.0/24'], behindOthers: ['10.20.0.0/16'] }, on)
  assert.deepEqual(routed('split_tunnel'), ['10.8.0.0/24', '192.168.1.0/24', '10.20.0.0/16'])
  assert.deepEqual(routed('full_tunnel'), ['0.0.0.0/0', '::/0'])
  assert.deepEqual(routed('isolated'), ['10.8.0.0/24', '10.20.0.53/32'])
  assert.deepEqual(routed('custom'), ['192.168.1.0/24', '10.20.0.53/32'])
})

test('network lists drop host bits and gain prefixes', () => {
  assert.deepEqual(['10.1.2.3/8', '10.1.2.3', '2001:DB8:0::1/32', '2001:db8::1'].map(networkOf), [
    '10.0.0.0/8',
    '10.1.2.3/32',
    '2001:db8::/32',
    '2001:db8::1/128',
  ])
})
