import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPart } from './cut.ts'

test('a part is written as two times, and a name if it has one', () => {
  assert.deepEqual(readPart('62.5-1:30'), { name: '', start: 62.5, end: 90 })
  assert.deepEqual(readPart('1:01:02-1:01:03.25=The - end=1'), { name: 'The - end=1', start: 3662, end: 3663.25 })
  for (const text of ['', '1', '1-', '-2', 'a-b', '1:2:3:4-5', '1--2', '1:-2'])
    assert.throws(() => readPart(text), /--part: .* is not written as 1:02.5-1:30/, text)
})
