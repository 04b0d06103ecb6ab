import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { keepTestTimes, longestFirst, readTestTimes } from './test-times.ts'

test('files that take long run first, as they did last time, or as their place says', () => {
  const files = [
    'kits/a.test.ts',
    'kits/slow.test.ts',
    'services/vpn/test/b.test.ts',
    'services/vpn/test/quick.test.ts',
  ]
  const times = { 'kits/slow.test.ts': 60_000, 'services/vpn/test/quick.test.ts': 200 }
  assert.deepEqual(longestFirst(files, times), [
    'kits/slow.test.ts',
    'services/vpn/test/b.test.ts',
    'kits/a.test.ts',
    'services/vpn/test/quick.test.ts',
  ])
})

test('times are kept from run to run, and none are known where nothing can be read', async () => {
  await using folder = await temporaryDirectory('times')
  const file = join(folder.path, 'cache/times.json')
  assert.deepEqual(readTestTimes(file), {})
  keepTestTimes(file, { a: 1, b: 2 })
  keepTestTimes(file, { b: 3 })
  assert.deepEqual(readTestTimes(file), { a: 1, b: 3 })
})
