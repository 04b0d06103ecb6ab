import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { filesBelow, hashFiles } from './hash-files.ts'

function folderOf(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hash-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

test('a hash stays while the files do and changes with every content, also with one of the same size and date', (t) => {
  const repository = folderOf(t, { 'src/a.ts': 'one', 'src/b/c.ts': 'two' })
  const hash = () => hashFiles(filesBelow(join(repository, 'src')), { repository, name: 'x' })
  const first = hash()
  assert.equal(hash(), first)
  const file = join(repository, 'src/a.ts')
  utimesSync(file, 1, 1)
  assert.equal(hash(), first)
  writeFileSync(file, 'eno')
  utimesSync(file, 1, 1)
  const second = hash()
  assert.notEqual(second, first)
  assert.equal(hash(), second)
  writeFileSync(file, 'one')
  assert.equal(hash(), first)
  writeFileSync(join(repository, 'src/new.ts'), '')
  assert.notEqual(hash(), first)
})

test('two repositories with the same files have the same hash, whatever was kept', (t) => {
  const [one, two] = ['one', 'two'].map(() => folderOf(t, { 'src/a.ts': 'same' })) as [string, string]
  const hash = (repository: string) => hashFiles(filesBelow(join(repository, 'src')), { repository, name: 'x' })
  assert.equal(hash(one), hash(two))
  writeFileSync(join(two, 'node_modules/.cache/hearth-builds/x'), 'damaged')
  assert.equal(hash(two), hash(one))
})

test('files below a folder leave out folders by name, and a folder that is not there has none', (t) => {
  const folder = folderOf(t, { 'ui/a.ts': '', 'ui/dist/b.js': '', 'ui/src/c.ts': '' })
  assert.deepEqual(
    filesBelow(join(folder, 'ui'), ['dist'])
      .map((path) => path.slice(folder.length))
      .toSorted(),
    ['/ui/a.ts', '/ui/src/c.ts'],
  )
  assert.deepEqual(filesBelow(join(folder, 'none')), [])
})
