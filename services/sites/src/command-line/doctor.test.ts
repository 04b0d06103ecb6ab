import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeConnections } from './doctor.ts'

test('doctor reports that tcp_migrate_req is off and how to enable it', () => {
  const off = describeConnections(() => '0\n')
  assert.equal(off?.state, 'degraded')
  assert.match(off.meaning, /sysctl -w net\.ipv4\.tcp_migrate_req=1/)
  assert.equal(describeConnections(() => '1\n')?.state, 'ok')
})

test('doctor reports nothing where the kernel lacks the setting', () => {
  const missing = () => {
    throw new Error('ENOENT')
  }
  assert.equal(describeConnections(missing), undefined)
})
