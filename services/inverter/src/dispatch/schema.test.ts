import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIsoTime } from '@hearth/runtime'
import { impossibleTimes } from '@hearth/testing'
import { DispatchRequest } from './schema.ts'

test('a timestamp may have every common spelling of ISO 8601 with an offset', () => {
  const same = [
    '2026-11-21T22:30:00Z',
    '2026-11-21T22:30Z',
    '2026-11-21t22:30:00.000z',
    '2026-11-21T23:30+01:00',
    '2026-11-21T23:30:00+0100',
    '2026-11-21T21:30:00,0-01',
  ]
  for (const text of same) {
    assert.equal(parseIsoTime(text), Date.UTC(2026, 10, 21, 22, 30), text)
    assert.equal(DispatchRequest.safeParse({ mode: 'hold', valid_until: text }).success, true, text)
  }
  for (const text of [
    '2026-11-21T22:30:00',
    '2026-11-21',
    '2026-13-21T22:30:00Z',
    'tomorrow',
    '2026-11-21T22:30:00+1',
    '',
  ])
    assert.equal(DispatchRequest.safeParse({ mode: 'hold', valid_until: text }).success, false, text)
})

test('a dispatch until a time that does not exist is refused', () => {
  for (const text of impossibleTimes)
    assert.equal(DispatchRequest.safeParse({ mode: 'hold', valid_until: text }).success, false, text)
})
