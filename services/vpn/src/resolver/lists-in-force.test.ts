import assert from 'node:assert/strict'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { askBundle } from '../../test/ask-bundle.ts'
import { ListsInForce } from './lists-in-force.ts'
import { resolverFile, type ResolverList } from '../dns/resolver-files.ts'

const list: ResolverList = { number: 3, id: 'one', name: 'One', format: 'domains', sha256: '' }

test('closing after lists came into force leaves them on disk, compiled once', async () => {
  await using folder = await temporaryDirectory()
  await mkdir(join(folder.path, 'lists'))
  const names = Array.from({ length: 100_000 }, (_, n) => `n${n}.example`)
  await writeFile(join(folder.path, 'lists/one.txt'), names.join('\n'))
  const lists = new ListsInForce(folder.path, { warn: assert.fail, prepare: () => undefined })
  const { promise: inForce, resolve } = Promise.withResolvers<void>()
  const compiled = lists.compile([list], resolve)
  await inForce
  await lists.kept()
  assert.ok((await stat(join(folder.path, resolverFile.bundle))).size > 0)
  await compiled
  const again = new ListsInForce(folder.path, { warn: assert.fail, prepare: () => undefined })
  assert.deepEqual(askBundle(again.bundle(), 'x.n99999.example').blocks, [3])
})
