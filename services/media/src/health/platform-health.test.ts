import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adviceFor, observeHealth } from './platform-health.ts'

const good = null

test('a platform is ill when its last downloads failed for a reason of the platform', () => {
  assert.deepEqual(observeHealth([]), { state: 'unknown', reason: null, completed: 0, failed: 0 })
  assert.equal(observeHealth([good, good]).state, 'ok')
  assert.equal(observeHealth(['network']).state, 'ok', 'one failure is none')
  assert.equal(observeHealth(['tool_outdated', 'tool_outdated']).state, 'degraded', 'nothing ever worked')
  assert.equal(observeHealth(['network', 'network', good, good, good, good, good]).state, 'ok')
  assert.equal(observeHealth(['network', 'network', 'network', good, good, good, good, good]).state, 'degraded')
  assert.equal(observeHealth([good, 'network', 'network', good]).state, 'degraded', 'half of them')
})

test('what a medium is says nothing about its platform', () => {
  const removed = observeHealth(['removed', 'private', 'live', 'geo_blocked', 'disk_full', 'conversion', good])
  assert.deepEqual(removed, { state: 'ok', reason: null, completed: 1, failed: 0 })
  assert.equal(observeHealth(['removed', 'removed', 'removed']).state, 'unknown')
})

test('the most frequent failure counts, and has one thing to do', () => {
  const mixed = observeHealth(['network', 'tool_outdated', 'tool_outdated', good])
  assert.deepEqual([mixed.state, mixed.reason], ['degraded', 'tool_outdated'])
  assert.deepEqual(
    ['bot_check', 'login_required', 'rate_limited', 'tool_outdated', 'network', 'removed'].map(adviceFor),
    ['cookies', 'cookies', 'wait', 'update_tool', 'check_network', null],
  )
})
