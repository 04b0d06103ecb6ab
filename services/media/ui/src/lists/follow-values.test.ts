import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Follow } from '../api.ts'
import { filterText, minutesProblem, requestOf, valuesOf } from './follow-values.ts'

const follow = { every_minutes: 60, newer_than: '2026-02-01', min_seconds: 90, title_has: 'mix' } as Follow

test('a filter survives the form, and empty fields are no filter', () => {
  assert.deepEqual(requestOf(valuesOf(follow)), {
    every_minutes: 60,
    newer_than: '2026-02-01',
    min_seconds: 90,
    title_has: 'mix',
  })
  const none = { every_minutes: 360, newer_than: null, min_seconds: null, title_has: null }
  assert.deepEqual(requestOf(valuesOf(undefined)), none)
  assert.deepEqual(requestOf({ ...valuesOf(undefined), min_minutes: ' ', title_has: ' ' }), none)
})

test('a minimum length that cannot be read is refused instead of dropped', () => {
  assert.deepEqual(['', ' ', '10', '1.5', '1,5'].map(minutesProblem), [null, null, null, null, null])
  for (const text of ['10 min', '1:30', '0', '-1', 'x']) assert.match(minutesProblem(text) ?? '', /number of minutes/)
})

test('a filter is said in words', () => {
  assert.equal(filterText(follow), 'published from 2026-02-01 on, at least 1.5 min, title with mix')
})
