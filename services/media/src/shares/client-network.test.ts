import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork } from './client-network.ts'

test('an address is shortened to a network that many have', () => {
  const networks = {
    '192.0.2.77': '192.0.2.0/24',
    '10.0.0.0': '10.0.0.0/24',
    '2001:db8:1:2::1': '2001:db8:1::/48',
    '2001:DB8:0001:2:3:4:5:6': '2001:db8:1::/48',
    '2001:db8::5': '2001:db8::/48',
    '::1': '::/48',
    'fe80::1%eth0': 'fe80::/48',
    '1::2:3:4:5:6:7': '1:0:2::/48',
    '': 'unknown',
    'not an address': 'unknown',
  }
  for (const [address, network] of Object.entries(networks)) assert.equal(clientNetwork(address), network, address)
})
