import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayText, kindOf, percentText } from './uptime-words.ts'

test('a share is never rounded to 100 %, and nothing observed is no share', () => {
  assert.deepEqual([1, 0.99999, 0.5, 0, null].map(percentText), ['100 %', '99.99 %', '50.00 %', '0.00 %', '–'])
  assert.deepEqual([1, 0.99, 0.5, null].map(kindOf), ['up', 'part', 'down', 'none'])
})

test('a day says what was up, down, in maintenance and not observed', () => {
  const day = {
    date: '2026-03-01',
    up_seconds: 0,
    down_seconds: 0,
    maintenance_seconds: 0,
    unobserved_seconds: 86_400,
    uptime: null,
    latency_ms: null,
  }
  assert.equal(dayText(day), '2026-03-01: nothing observed')
  const mixed = {
    ...day,
    up_seconds: 79_200,
    down_seconds: 3600,
    maintenance_seconds: 1800,
    unobserved_seconds: 1800,
    uptime: 0.9565,
  }
  assert.equal(dayText(mixed), '2026-03-01: 95.65 % up, 1 h down, 30 min maintenance, 30 min not observed')
})
