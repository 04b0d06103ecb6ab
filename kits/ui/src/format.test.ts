import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes, formatCount, formatDuration, formatRate, formatRelative } from './format.ts'

test('byte counts have three digits and binary units', () => {
  const expected: [number, string][] = [
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1 KiB'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [10 * 1024 + 100, '10.1 KiB'],
    [1024 * 1024 - 1, '1 MiB'],
    [123 * 1024 ** 2, '123 MiB'],
    [5.25 * 1024 ** 3, '5.25 GiB'],
    [Number.MAX_SAFE_INTEGER, '8 PiB'],
    [Number.NaN, '0 B'],
    [-5, '0 B'],
  ]
  for (const [bytes, text] of expected) assert.equal(formatBytes(bytes), text)
  assert.equal(formatRate(2048), '2 KiB/s')
})

test('durations show their two largest units', () => {
  const expected: [number, string][] = [
    [-1, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3600, '1 h'],
    [3900, '1 h 5 min'],
    [86_400 * 2 + 3600 * 4, '2 d 4 h'],
  ]
  for (const [seconds, text] of expected) assert.equal(formatDuration(seconds), text)
})

test('dates are shown relative to now, in both directions', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const at = (seconds: number) => formatRelative(new Date(now.getTime() + seconds * 1000), now)
  assert.equal(at(-4), 'just now')
  assert.equal(at(3), 'just now')
  assert.equal(at(-30), '30 seconds ago')
  assert.equal(at(-119), '1 minute ago')
  assert.equal(at(-7200), '2 hours ago')
  assert.equal(at(86_400 * 3), 'in 3 days')
  assert.equal(at(86_400 * 3 - 60), 'in 3 days')
  assert.equal(at(-86_400 * 800), '2 years ago')
})

test('counts are shown with their noun', () => {
  assert.equal(formatCount(1, 'peer'), '1 peer')
  assert.equal(formatCount(1234, 'peer'), '1,234 peers')
  assert.equal(formatCount(0, 'address', 'addresses'), '0 addresses')
})
