import assert from 'node:assert/strict'
import { mkdir, open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { askBundle } from '../../test/ask-bundle.ts'
import { openBundle } from '../dns/policy/list-bundle.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import { isBundleOf, readBundleFile, writeBundleFile } from './bundle-file.ts'
import { startCompile } from './compile.ts'

const listOf = (number: number, id: string): ResolverList => ({
  number,
  id,
  name: `List ${number}`,
  format: 'auto',
  sha256: '0'.repeat(64),
})

async function writeTexts(folder: string, texts: Record<string, string>): Promise<void> {
  await mkdir(join(folder, 'lists'), { recursive: true })
  for (const [id, text] of Object.entries(texts)) await writeFile(join(folder, 'lists', `${id}.txt`), text)
}

test('texts are compiled into a bundle in a thread, and names are found in it', async () => {
  await using folder = await temporaryDirectory()
  await writeTexts(folder.path, {
    domains: '# ads\nads.example\nTracker.Example.\n',
    hosts: '127.0.0.1 localhost\n0.0.0.0 exact.example\n0.0.0.0 ads.example\n',
    adblock: '! Title: x\n||both.example^\n@@||fine.both.example^\n*.only.example\n-banner.\n',
  })
  const lists = [listOf(0, 'domains'), listOf(1, 'hosts'), listOf(31, 'adblock'), listOf(4, 'missing')]
  const { memory, reports, durationMs } = await startCompile(lists, folder.path)
  const bundle = openBundle(memory)
  const blocks = (name: string) => askBundle(bundle, name).blocks
  assert.deepEqual(blocks('ads.example'), [0, 1])
  assert.deepEqual(blocks('x.ads.example'), [0])
  assert.deepEqual(blocks('tracker.example'), [0])
  assert.deepEqual(blocks('exact.example'), [1])
  assert.deepEqual(blocks('x.exact.example'), [])
  assert.deepEqual(blocks('a.b.both.example'), [31])
  assert.deepEqual(askBundle(bundle, 'fine.both.example'), {
    blocks: [31],
    allows: [31],
    blocksImportantly: [],
    allowsImportantly: [],
  })
  assert.deepEqual(blocks('only.example'), [])
  assert.deepEqual(blocks('x.only.example'), [31])
  assert.deepEqual(blocks('my-banner.net'), [31])
  assert.deepEqual(blocks('example'), [])
  assert.deepEqual(blocks('localhost'), [])
  assert.equal(bundle.names, 6)
  assert(durationMs > 0)
  assert.deepEqual(
    reports.map(({ id, lines, accepted, comments, entries }) => [id, lines, accepted, comments, entries]),
    [
      ['domains', 3, 2, 1, 2],
      ['hosts', 3, 2, 1, 2],
      ['adblock', 5, 4, 1, 4],
      ['missing', 0, 0, 0, 0],
    ],
  )
})

test('a bundle is restored from its file unchanged, and a damaged file is ignored', async () => {
  await using folder = await temporaryDirectory()
  await writeTexts(folder.path, { one: 'ads.example\n' })
  const bundle = openBundle((await startCompile([listOf(3, 'one')], folder.path)).memory)
  const path = join(folder.path, 'lists.bin')
  assert.equal(readBundleFile(path), undefined)
  await writeBundleFile(path, bundle)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const read = readBundleFile(path)
  assert(read !== undefined)
  assert.deepEqual(askBundle(read, 'x.ads.example').blocks, [3])
  assert.deepEqual(read.lists, bundle.lists)
  const made = bundle.lists.map(({ number, id, name, sha256 }) => ({
    number,
    id,
    name,
    sha256,
    format: 'auto' as const,
  }))
  assert.equal(isBundleOf(read, made), true)
  assert.equal(isBundleOf(read, [{ ...made[0]!, sha256: 'another' }]), false)
  assert.equal(isBundleOf(read, []), false)
  const whole = await readFile(path)
  for (const place of [0, 8, 70, whole.length >> 1, whole.length - 1]) {
    await using file = await open(path, 'r+')
    await file.write(Buffer.of(whole[place]! ^ 4), 0, 1, place)
    assert.equal(readBundleFile(path), undefined, `byte ${place} differs`)
    await file.write(Buffer.of(whole[place]!), 0, 1, place)
  }
  assert(readBundleFile(path) !== undefined)
  for (const length of [whole.length - 4, 100, 3, 0]) {
    await truncate(path, length)
    assert.equal(readBundleFile(path), undefined, `cut off at ${length}`)
  }
})

test('each bundle has new seeds', async () => {
  await using folder = await temporaryDirectory()
  await writeTexts(folder.path, { one: 'ads.example\n' })
  const seeds = async () => openBundle((await startCompile([listOf(0, 'one')], folder.path)).memory).table.seeds
  assert.notDeepEqual(await seeds(), await seeds())
})
