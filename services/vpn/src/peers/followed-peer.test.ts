import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { PeerState } from '../wireguard/device.ts'
import { countTraffic, handshakeLifetime, noActivity, peerStatus } from './followed-peer.ts'

const reading = (rxBytes: number, txBytes = 0, more: Partial<PeerState> = {}): PeerState => ({
  publicKey: '',
  presharedKey: null,
  allowedIps: [],
  endpoint: null,
  latestHandshake: null,
  rxBytes,
  txBytes,
  ...more,
})

test('totals add up over device restarts, however often it is read', () => {
  const lives = fc.array(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 6 }), { maxLength: 6 })
  fc.assert(
    fc.property(lives, (growths) => {
      let activity = noActivity
      for (const growth of growths) {
        let counter = 0
        for (const more of growth) activity = countTraffic(activity, reading((counter += more)))
        activity = countTraffic(activity, undefined)
      }
      assert.equal(
        activity.rx_total,
        growths.flat().reduce((sum, more) => sum + more, 0),
      )
    }),
  )
})

test('a decreased counter counts as a device restart', () => {
  const before = countTraffic(noActivity, reading(1000, 500))
  const after = countTraffic(before, reading(300, 700))
  assert.deepEqual([after.rx_total, after.tx_total], [1300, 700])
})

test('the last handshake and endpoint survive the device', () => {
  const before = countTraffic(noActivity, reading(1, 1, { latestHandshake: 5, endpoint: '192.0.2.1:9' }))
  for (const next of [countTraffic(before, undefined), countTraffic(before, reading(0))]) {
    assert.deepEqual([next.last_handshake, next.endpoint], [5, '192.0.2.1:9'])
  }
})

test('a reading without news changes nothing', () => {
  const before = countTraffic(noActivity, reading(1, 1, { latestHandshake: 5 }))
  assert.equal(countTraffic(before, reading(1, 1, { latestHandshake: 5 })), before)
  assert.equal(countTraffic(noActivity, undefined), noActivity)
})

const now = 1_000_000
const facts = { enabled: 1, expires_at: null, last_handshake: now - 1, interface_enabled: 1 }

test('disabled and expired peers are disabled; a handshake makes a peer active for 180 s on a running interface', () => {
  assert.equal(peerStatus(facts, now), 'active')
  assert.equal(peerStatus({ ...facts, enabled: 0 }, now), 'disabled')
  assert.equal(peerStatus({ ...facts, expires_at: now }, now), 'disabled')
  assert.equal(peerStatus({ ...facts, expires_at: now + 1 }, now), 'active')
  assert.equal(peerStatus({ ...facts, last_handshake: null }, now), 'inactive')
  assert.equal(peerStatus({ ...facts, last_handshake: now - handshakeLifetime }, now), 'inactive')
  assert.equal(peerStatus({ ...facts, interface_enabled: 0 }, now), 'inactive')
})
