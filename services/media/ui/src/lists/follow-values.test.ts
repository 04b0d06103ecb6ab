import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Follow } from '../api.ts'
import { filterText, requestOf, valuesOf } from './follow-values.ts'

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
  assert.deepEqual(requestOf({ ...valuesOf(undefined), min_minutes: 'x', title_has: ' ' }), none)
})

test('a filter is said in words', () => {
  assert.equal(filterText(follow), 'published from 2026-02-01 on, at least 1.5 min, title with mix')
})
