import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passes } from './filter.ts'

const none = { newer_than: null, min_seconds: null, title_has: null }
const medium = { title: 'Déjà vu (Live in Köln)', durationSeconds: 200, publishedAt: Date.UTC(2026, 4, 2) }

test('without a filter everything passes', () => {
  assert.ok(passes(medium, none))
  assert.ok(passes({ title: null, durationSeconds: null, publishedAt: null }, none))
})

test('date, length and words of the title each exclude', () => {
  assert.ok(passes(medium, { ...none, newer_than: Date.UTC(2026, 4, 2) }))
  assert.ok(!passes(medium, { ...none, newer_than: Date.UTC(2026, 4, 3) }))
  assert.ok(passes(medium, { ...none, min_seconds: 200 }))
  assert.ok(!passes(medium, { ...none, min_seconds: 201 }))
  for (const [words, isWanted] of [
    ['deja VU', true],
    ['remix, live', true],
    ['remix', false],
    ['-live', false],
    ['deja, - koln', false],
    ['-remix', true],
    [' , - ,', true],
  ] as const)
    assert.equal(passes(medium, { ...none, title_has: words }), isWanted, words)
})

test('what a platform does not tell excludes nothing', () => {
  const unknown = { title: null, durationSeconds: null, publishedAt: null }
  assert.ok(passes(unknown, { newer_than: 1, min_seconds: 1, title_has: 'x' }))
})
