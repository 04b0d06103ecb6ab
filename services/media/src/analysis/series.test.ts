import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueAt } from './series.ts'

test('values are interpolated linearly, and are zero beyond the end', () => {
  const values = Float64Array.of(0, 10, 20)
  assert.equal(valueAt(values, 1.5), 15)
  assert.equal(valueAt(values, 7), 0)
})
