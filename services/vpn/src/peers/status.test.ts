import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handshakeLifetime, peerStatus } from './status.ts'

const now = 1_000_000
const facts = { enabled: true, expiresAt: null, lastHandshake: now - 1, interfaceEnabled: true }

test('disabled and expired peers are disabled whatever they did; a handshake makes active for 180 s on a running interface', () => {
  assert.equal(peerStatus(facts, now), 'active')
  assert.equal(peerStatus({ ...facts, enabled: false }, now), 'disabled')
  assert.equal(peerStatus({ ...facts, expiresAt: now }, now), 'disabled')
  assert.equal(peerStatus({ ...facts, expiresAt: now + 1 }, now), 'active')
  assert.equal(peerStatus({ ...facts, lastHandshake: null }, now), 'inactive')
  assert.equal(peerStatus({ ...facts, lastHandshake: now - handshakeLifetime }, now), 'inactive')
  assert.equal(peerStatus({ ...facts, interfaceEnabled: false }, now), 'inactive')
})
