import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupTestFiles } from './test-groups.ts'

test('short files of a folder share a process, long files have their own, and the longest run first', () => {
  const files = ['kits/a/src/a.test.ts', 'kits/a/src/b.test.ts', 'kits/a/src/slow.test.ts', 'kits/b/src/c.test.ts']
  const times = { 'kits/a/src/a.test.ts': 2000, 'kits/a/src/slow.test.ts': 60_000, 'kits/b/src/c.test.ts': 5000 }
  assert.deepEqual(groupTestFiles(files, times), [
    ['kits/a/src/slow.test.ts'],
    ['kits/b/src/c.test.ts'],
    ['kits/a/src/a.test.ts', 'kits/a/src/b.test.ts'],
  ])
})

test('a file without a recorded time counts as long when it uses a browser or tests a whole service', () => {
  const files = ['services/x/src/a.test.ts', 'services/x/test/b.test.ts', 'services/x/test/c.browser.test.ts']
  assert.deepEqual(
    groupTestFiles(files, {}),
    files.toReversed().map((file) => [file]),
  )
})
