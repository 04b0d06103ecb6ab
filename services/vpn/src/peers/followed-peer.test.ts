import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { PeerState } from '../wireguard/device.ts'
import { countedSteps } from './counted-traffic.ts'
import { countTraffic, followedOfRow, handshakeLifetime, noActivity, peerStatus } from './followed-peer.ts'

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

test('a host that a device left, and that still sends to it, changes neither its last handshake nor its endpoint', () => {
  const before = countTraffic(noActivity, reading(9, 9, { latestHandshake: 5, endpoint: '192.0.2.1:9' }))
  const elsewhere = { ...before, last_handshake: 70, endpoint: '198.51.100.7:9' }
  const after = countTraffic(elsewhere, reading(9, 157, { latestHandshake: 5, endpoint: '192.0.2.1:9' }))
  assert.deepEqual([after.last_handshake, after.endpoint, after.tx_total], [70, '198.51.100.7:9', 157])
})

test('the same holds for what a node counts', () => {
  const row = { peer_id: 'p', name: 'phone', interface: 'wg0', public_key: '', enabled: 1, expires_at: null }
  const peer = followedOfRow({
    ...row,
    interface_enabled: 1,
    ...noActivity,
    last_handshake: 70,
    endpoint: '198.51.100.7:9',
    rx_bucketed: 0,
    tx_bucketed: 0,
  })
  const counted = { id: 'p', at: 90, rx: 0, tx: 148, endpoint: '192.0.2.1:9' }
  const endpoints = countedSteps(
    () => peer,
    [
      { ...counted, latestHandshake: 5 },
      { ...counted, latestHandshake: null },
      { ...counted, latestHandshake: 80 },
    ],
  ).map(({ after }) => [after.last_handshake, after.endpoint])
  assert.deepEqual(endpoints, [
    [70, '198.51.100.7:9'],
    [70, '198.51.100.7:9'],
    [80, '192.0.2.1:9'],
  ])
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
