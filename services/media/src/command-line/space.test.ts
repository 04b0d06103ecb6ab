import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBytes } from './space.ts'

test('a size is bytes, or a number with its unit', () => {
  assert.deepEqual(['0', '5000', '500M', '20g', '1.5K'].map(readBytes), [
    0,
    5000,
    500 * 1024 ** 2,
    20 * 1024 ** 3,
    1536,
  ])
  for (const text of ['', '-1', '20 GB', '1e3', 'G', '9999999999T'])
    assert.throws(() => readBytes(text), /--preview: .* is no number of bytes/, text)
})
