import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeConnections } from './doctor.ts'

test('an operator hears of the setting that keeps connections, and how to switch it on', () => {
  const off = describeConnections(() => '0\n')
  assert.equal(off?.state, 'degraded')
  assert.match(off.meaning, /sysctl -w net\.ipv4\.tcp_migrate_req=1/)
  assert.equal(describeConnections(() => '1\n')?.state, 'ok')
})

test('nothing is said where the system does not know the setting', () => {
  const missing = () => {
    throw new Error('ENOENT')
  }
  assert.equal(describeConnections(missing), undefined)
})
