import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, endings, formatMs, formatPace } from './traffic-figures.ts'

test('every request is counted in one status group', () => {
  const status = { '1xx': 1, '2xx': 20, '3xx': 3, '4xx': 4, '5xx': 5 }
  assert.deepEqual(
    endings.map(({ kind }) => countOf({ status }, kind)),
    [21, 3, 4, 5],
  )
})

test('durations and rates have the significant digits', () => {
  assert.deepEqual([0, 0.02, 0.84, 85.4, 1234].map(formatMs), ['0 ms', '<0.1 ms', '0.8 ms', '85 ms', '1.2 s'])
  assert.deepEqual([0, 0.254, 9.51, 123.4].map(formatPace), ['0/s', '0.25/s', '9.5/s', '123/s'])
})
