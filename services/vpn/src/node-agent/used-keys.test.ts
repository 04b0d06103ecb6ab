import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys, withUsedKeys } from './used-keys.ts'

const peer = (publicKey: string, ...allowedIps: string[]) => ({ publicKey, presharedKey: null, allowedIps })
const device = {
  name: 'wg0',
  peers: [peer('old', '10.8.0.2/32', '10.9.0.0/24'), peer('new'), peer('other', '10.8.0.3/32'), peer('next')],
  rotations: [
    { from: 'old', to: 'new' },
    { from: 'other', to: 'next' },
  ],
}

test('a new key that was used has the addresses of the old one, which goes or stays without any', () => {
  assert.equal(withUsedKeys(device, new Set()), device, 'nothing was used')
  const used = new Set(['new', 'somebody else'])
  const kept = withUsedKeys(device, used, true)
  const addresses = (peers: typeof device.peers) => peers.map(({ publicKey, allowedIps }) => [publicKey, ...allowedIps])
  assert.deepEqual(addresses(kept.peers), [
    ['old'],
    ['new', '10.8.0.2/32', '10.9.0.0/24'],
    ['other', '10.8.0.3/32'],
    ['next'],
  ])
  const gone = withUsedKeys(device, used)
  assert.deepEqual(addresses(gone.peers), [['new', '10.8.0.2/32', '10.9.0.0/24'], ['other', '10.8.0.3/32'], ['next']])
  assert.deepEqual([waitingKeys(device), waitingKeys(gone)], [['new', 'next'], ['next']])
  assert.equal(withUsedKeys(gone, used), gone, 'once is enough')
  const both = withUsedKeys(device, new Set(['new', 'next']))
  assert.deepEqual(addresses(both.peers), [
    ['new', '10.8.0.2/32', '10.9.0.0/24'],
    ['next', '10.8.0.3/32'],
  ])
})
