import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../cli/services.ts'
import { groupTestFiles, longFiles } from './test-groups.ts'

test('short files of a package share a process, long files have their own, and the longest run first', () => {
  const files = [
    'kits/a/src/a.test.ts',
    'kits/b/src/b.test.ts',
    'services/x/src/a/slow.test.ts',
    'services/x/src/b/c.test.ts',
    'services/x/src/d/e.test.ts',
    'services/x/test/f.test.ts',
  ]
  const times = {
    'kits/a/src/a.test.ts': 2000,
    'services/x/src/a/slow.test.ts': 60_000,
    'services/x/src/b/c.test.ts': 5000,
    'services/x/test/f.test.ts': 1000,
  }
  assert.deepEqual(groupTestFiles(files, times), [
    ['services/x/src/a/slow.test.ts'],
    ['services/x/src/b/c.test.ts', 'services/x/src/d/e.test.ts'],
    ['kits/a/src/a.test.ts', 'kits/b/src/b.test.ts'],
    ['services/x/test/f.test.ts'],
  ])
})

test('a file without a recorded time counts as long when it uses a browser or tests a whole service', () => {
  const files = ['services/x/src/a.test.ts', 'services/x/test/b.test.ts', 'services/x/test/c.browser.test.ts']
  assert.deepEqual(
    groupTestFiles(files, {}),
    files.toReversed().map((file) => [file]),
  )
})

test('a slow machine has no more processes than a fast one', () => {
  const files = Array.from({ length: 200 }, (_, index) => `services/x/test/${index}.test.ts`)
  const fast = Object.fromEntries(files.map((file) => [file, 12_800]))
  const slow = Object.fromEntries(files.map((file) => [file, 128_000]))
  assert.deepEqual(groupTestFiles(files, slow), groupTestFiles(files, fast))
  assert.equal(groupTestFiles(files, fast).length, 67)
})

test('a long file in the middle does not end the group of its neighbours, and long files are there', () => {
  const files = ['services/x/test/a.test.ts', 'services/x/test/long.test.ts', 'services/x/test/z.test.ts']
  const groups = groupTestFiles(files, { 'services/x/test/long.test.ts': 90_000 })
  assert.deepEqual(groups, [[files[1]], [files[0], files[2]]])
  for (const file of Object.keys(longFiles)) assert.ok(existsSync(join(root, file)), file)
})

test('files that drive a browser share a process, and with it the browser, for longer than others', () => {
  const files = ['a', 'b', 'c', 'd'].map((name) => `services/x/test/${name}.browser.test.ts`)
  const times = Object.fromEntries(files.map((file) => [file, 45_000]))
  assert.deepEqual(groupTestFiles(files, times), [files.slice(0, 3), files.slice(3)])
})
