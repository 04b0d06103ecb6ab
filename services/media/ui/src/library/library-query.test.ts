import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camelotKeys, isNarrowed, queryOf, rangeOf, rangeText, tempoText, type LibraryFilter } from './library-query.ts'

const nothing: LibraryFilter = {
  search: '',
  type: '',
  platform: '',
  tags: '',
  collection: '',
  bpm: '',
  keys: '',
  length: '',
  sort: '',
}

test('what is not set is not sent', () => {
  assert.deepEqual(queryOf(nothing), {})
  assert.deepEqual(queryOf({ ...nothing, search: 'night', bpm: '120-', length: '-119' }), {
    q: 'night',
    bpm_from: 120,
    length_to: 119,
  })
})

test('orders are those of the API', () => {
  assert.deepEqual(queryOf({ ...nothing, sort: 'oldest' }), { sort: 'added', order: 'asc' })
  assert.deepEqual(queryOf({ ...nothing, sort: '-bpm' }), { sort: 'bpm', order: 'desc' })
  assert.deepEqual(queryOf({ ...nothing, sort: 'title' }), { sort: 'title' })
})

test('ranges are written and read, and odd ones narrow nothing', () => {
  assert.deepEqual(rangeOf(rangeText(90, undefined)), { from: 90, to: undefined })
  assert.deepEqual(rangeOf('fast-1e9'), { from: undefined, to: undefined })
  assert.equal(rangeText(undefined, undefined), '')
  assert.deepEqual(['120-125', '120-120', '-90', '140-'].map(tempoText), [
    '120 to 125 BPM',
    '120 BPM',
    'up to 90 BPM',
    'from 140 BPM',
  ])
})

test('a sort hides nothing', () => {
  assert.equal(isNarrowed({ ...nothing, sort: 'title' }), false)
  assert.equal(isNarrowed({ ...nothing, tags: 'peak' }), true)
})

test('the wheel has 24 keys', () => assert.deepEqual([camelotKeys[0], camelotKeys[23]], ['1A', '12B']))
