import assert from 'node:assert/strict'
import { mkdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { ClientsFile } from './clients-file.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'

const client = (number: number): ResolverClient => {
  const addresses = [`10.8.${number >> 8}.${number & 255}`]
  return { number, id: `p${number}`, name: `peer ${number}`, addresses, filtering: true, lists: null, logging: true }
}

/** A file over clients the test changes. */
async function startFile(delay: number) {
  const folder = await temporaryDirectory('clients')
  const path = join(folder.path, 'clients.json')
  const clients = new Map<number, ResolverClient>()
  const counts = { begun: 0, written: 0 }
  const errors: unknown[] = []
  const file = new ClientsFile({
    path,
    delay,
    clients: () => clients.values(),
    begin() {
      counts.begun += 1
      return () => (counts.written += 1)
    },
    log: { error: (...words: unknown[]) => void errors.push(words) },
  })
  const change = (number: number) => {
    clients.set(number, client(number))
    file.changed()
  }
  const read = async () => JSON.parse(await readFile(path, 'utf8').catch(() => '[]')) as ResolverClient[]
  return {
    path,
    clients,
    counts,
    errors,
    file,
    change,
    read,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

test('many changes are written together, and later ones later', async () => {
  await using fixture = await startFile(100)
  for (let number = 1; number <= 5000; number += 1) fixture.change(number)
  const first = await eventually(fixture.read, (clients) => clients.length === 5000)
  assert.deepEqual(first, [...fixture.clients.values()])
  // The file is in place a moment before its folder is flushed to the disk.
  await eventually(
    () => Promise.resolve(fixture.counts.written),
    (written) => written > 0,
  )
  assert.deepEqual(fixture.counts, { begun: 1, written: 1 })
  fixture.change(6000)
  await eventually(fixture.read, (clients) => clients.length === 5001)
  await fixture.file.close()
})

test('closing writes pending changes at once', async () => {
  await using fixture = await startFile(60_000)
  fixture.change(1)
  assert.deepEqual(await fixture.read(), [])
  await fixture.file.close()
  assert.deepEqual(await fixture.read(), [client(1)])
  fixture.change(2)
  await fixture.file.close()
  assert.deepEqual(await fixture.read(), [client(1), client(2)])
})

test('a failed write is reported and retried later', async () => {
  await using fixture = await startFile(60_000)
  await mkdir(fixture.path)
  fixture.change(1)
  await fixture.file.close()
  assert.equal(fixture.errors.length, 1)
  assert.deepEqual(fixture.counts, { begun: 1, written: 0 })
  await rmdir(fixture.path)
  await fixture.file.close()
  assert.deepEqual(await fixture.read(), [client(1)])
})
