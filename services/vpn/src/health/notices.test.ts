import assert from 'node:assert/strict'
import { test } from 'node:test'
import { healthNotices, type HealthFacts } from './notices.ts'

const now = Date.parse('2026-11-23T12:00:00Z')
const hour = 3_600_000

const good: HealthFacts = {
  now,
  uptimeSeconds: 3600,
  dns: {
    running: true,
    unavailable: null,
    restarts: 0,
    listeners: [{ address: '10.8.0.1', port: 53, error: null }],
    upstreams: [upstream('tls://9.9.9.9', {}), upstream('tls://1.1.1.1', { queries: 0 })],
    blocking: { enabled: true },
    blocked_names: 1000,
  },
  lists: [{ name: 'Ads', enabled: 1, entries: 1000, last_checked: now - hour, last_error: null }],
  updateHours: 24,
  dataPlane: { backend: 'kernel', reason: 'the kernel has it', advice: null },
  failedInterfaces: [],
  drifts: [],
}

function upstream(name: string, more: Partial<HealthFacts['dns']['upstreams'][number]>) {
  return { upstream: name, queries: 8, failures: 0, average_ms: 12, healthy: true, last_error: null, ...more }
}

const dead = { failures: 8, average_ms: null, healthy: false, last_error: 'no answer in time' }

const codes = (more: Partial<HealthFacts>, dns: Partial<HealthFacts['dns']> = {}) =>
  healthNotices({ ...good, ...more, dns: { ...good.dns, ...dns } }).map(({ code }) => code)

test('a healthy service has no notices', () => {
  assert.deepEqual(healthNotices(good), [])
})

test('each problem has a notice, and those that devices notice come first', () => {
  assert.deepEqual(codes({}, { upstreams: [upstream('a', dead), upstream('b', dead)] }), ['upstreams_failing'])
  assert.deepEqual(codes({}, { upstreams: [upstream('a', dead), upstream('b', {})] }), ['upstream_failing'])
  // Refused each time: never counted as down, and no answer of use ever came.
  assert.deepEqual(codes({}, { upstreams: [upstream('a', { ...dead, healthy: true })] }), ['upstreams_failing'])
  assert.deepEqual(codes({}, { running: false }), ['resolver_down'])
  assert.deepEqual(codes({ uptimeSeconds: 1 }, { running: false, listeners: [] }), [])
  assert.deepEqual(codes({}, { unavailable: 'in use' }), ['resolver_unreachable'])
  assert.deepEqual(codes({ failedInterfaces: [{ name: 'wg0', reason: 'gone' }] }), ['interface_failed'])
  const drifts = [
    { at: now - 2 * hour, message: 'old' },
    { at: now - 1000, message: 'wg0 was changed' },
  ]
  assert.deepEqual(codes({ drifts }), ['drift'])
  const simulated = { backend: 'simulated' as const, reason: 'no root', advice: null }
  assert.deepEqual(codes({ dataPlane: simulated, drifts }, { running: false }), ['resolver_down', 'simulated', 'drift'])
})

test('empty, failed or outdated lists have a notice', () => {
  const [list] = good.lists
  assert.ok(list)
  const empty = { ...list, entries: 0, last_checked: null }
  assert.deepEqual(codes({ lists: [empty] }, { blocked_names: 0 }), ['no_names'])
  assert.deepEqual(codes({ lists: [] }, { blocked_names: 0 }), ['no_names'])
  // A list of patterns alone has no names, and entries.
  assert.deepEqual(codes({}, { blocked_names: 0 }), [])
  assert.deepEqual(codes({ lists: [] }, { blocked_names: 0, blocking: { enabled: false } }), [])
  assert.deepEqual(codes({ lists: [{ ...list, last_error: 'no answer' }] }), ['lists_not_updated'])
  const old = { ...list, last_checked: now - 50 * hour }
  assert.deepEqual(codes({ lists: [old] }), ['lists_not_updated'])
  const ahead = { ...list, last_checked: now + 50 * hour }
  assert.deepEqual(codes({ lists: [ahead] }), ['lists_not_updated'], 'by a clock that was ahead')
  assert.deepEqual(codes({ lists: [old], updateHours: 0 }), [])
  assert.deepEqual(codes({ lists: [{ ...old, enabled: 0 }, list] }), [])
})
