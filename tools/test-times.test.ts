import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { keepTestTimes, readTestTimes } from './test-times.ts'

test('test times are kept between runs, and an unreadable file counts as empty', async () => {
  await using folder = await temporaryDirectory('times')
  const file = join(folder.path, 'cache/times.json')
  assert.deepEqual(readTestTimes(file), {})
  keepTestTimes(file, { a: 1, b: 2 })
  keepTestTimes(file, { b: 3 })
  assert.deepEqual(readTestTimes(file), { a: 1, b: 3 })
})
