import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDay, formatTime, formatTimestamp, withMilliseconds, withSeconds } from './format-time.ts'

const at = new Date(2026, 10, 20, 21, 5, 7)
const plain = (text: string) => text.replaceAll(/\s/g, ' ')

test('times and days are formatted in the browser’s locale', () => {
  assert.equal(formatTime(at, {}, 'de-DE'), '21:05')
  assert.equal(plain(formatTime(at, withSeconds, 'en-US')), '09:05:07 PM')
  assert.equal(plain(formatTime(new Date(+at + 42), withMilliseconds, 'en-US')), '09:05:07.042 PM')
  assert.equal(formatDay(at, {}, 'en-US'), 'Nov 20')
  assert.equal(formatDay(at, { month: 'long', year: 'numeric' }, 'de-DE'), '20. November 2026')
  assert.equal(
    formatDay(new Date('2026-11-20T23:30:00Z'), { weekday: 'short', timeZone: 'UTC' }, 'en-GB'),
    'Fri 20 Nov',
  )
  assert.equal(plain(formatTimestamp(at, 'en-GB')), '20 Nov 2026, 21:05:07')
})

test('without a locale the host’s locale is used', () => {
  const { locale } = new Intl.DateTimeFormat().resolvedOptions()
  assert.equal(formatTime(at), formatTime(at, {}, locale))
  assert.equal(formatDay(at), formatDay(at, {}, locale))
})
