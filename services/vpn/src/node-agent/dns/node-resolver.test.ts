import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { cutNames } from '../../nodes/dns/manifest.ts'
import { NodeResolver } from './node-resolver.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A node whose service sends the files that a test gives. */
async function openNode() {
  const folder = await temporaryDirectory('node-dns')
  const store = new Map<string, string>()
  /** What the download of a file waits for, by its hash; those of them that began. */
  const slow = new Map<string, Promise<void>>()
  const begun: string[] = []
  const calls: string[] = []
  const lines: string[] = []
  const fetched: string[] = []
  const say = (text: unknown) => void lines.push(String(text))
  const signal = new AbortController().signal
  let refusal: Error | Promise<never> | undefined
  const open = () =>
    new NodeResolver({
      directory: folder.path,
      link: {
        async download(path, file, { signal: end }) {
          const hash = path.split('/').at(-1) ?? ''
          const held = slow.get(hash)
          if (held !== undefined) {
            begun.push(store.get(hash) ?? '')
            const ended = once(end, 'abort').then(() => Promise.reject(new Error('ended')))
            await Promise.race([held, ended])
          }
          await writeFile(file, store.get(hash) ?? '')
          if (!store.has(hash)) throw new Error('the file that it sends is not the one that it named')
          fetched.push(store.get(hash) ?? '')
        },
      },
      journal: { waiting: 0, lost: 0, lostAt: null },
      clock: { now: () => Date.now() },
      log: { info: say, warn: say, error: say },
      onChanged: () => undefined,
      start: async () => {
        calls.push('start')
        return {
          attach: () => undefined,
          ready: () => Promise.resolve(),
          restarts: 0,
          state: undefined,
          changed: async (what) => {
            if (refusal instanceof Error) throw refusal
            calls.push(`changed ${what}`)
            await refusal
          },
          changedLists: async () => {
            calls.push('lists')
            return { reports: [], names: 0, durationMs: 0 }
          },
          changedTogether: async () => {
            calls.push('together')
            return { reports: [], names: 0, durationMs: 0 }
          },
          close: async () => void calls.push('close'),
        }
      },
    })
  return {
    path: join(folder.path, 'dns'),
    calls,
    lines,
    fetched,
    store,
    slow,
    begun,
    open,
    signal,
    refuse: (error?: Error | Promise<never>) => void (refusal = error),
    /** The manifest of files with these contents; what is not named is `[]`. */
    manifest(contents: Record<string, string>) {
      const all: Record<string, string> = {
        ...Object.fromEntries(cutNames.map((name) => [`${name}.json`, '[]'])),
        'settings.json': '{}',
        ...contents,
      }
      const files = Object.entries(all).map(([name, text]) => {
        store.set(hashOf(text), text)
        return { name, sha256: hashOf(text), size: Buffer.byteLength(text) }
      })
      return { files }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

test('a node fetches what it does not have, and the resolver hears what changed of it', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.start()
  assert.deepEqual([resolver.received, node.calls], [null, []], 'nothing is answered before there is something')
  await resolver.take('one', node.manifest({ 'lists.json': '[1]', 'lists/a.txt': 'ads.example\n' }), node.signal)
  assert.deepEqual([resolver.received, node.calls], ['one', ['start']])
  assert.equal(await readFile(join(node.path, 'lists/a.txt'), 'utf8'), 'ads.example\n')
  node.fetched.length = 0
  const rules = { 'rules.json': '[7]', 'lists.json': '[1]', 'lists/a.txt': 'ads.example\n' }
  await resolver.take('two', node.manifest(rules), node.signal)
  assert.deepEqual([node.fetched, node.calls], [['[7]'], ['start', 'changed all']], 'a list is not sent again')
  await resolver.take('three', node.manifest({ 'lists.json': '[2]', 'lists/b.txt': 'b.example\n' }), node.signal)
  assert.deepEqual(await readdir(join(node.path, 'lists')), ['b.txt'])
  assert.deepEqual(node.calls.slice(2), ['together'])
  await resolver.take('four', node.manifest(rules), node.signal)
  assert.equal(await readFile(join(node.path, 'lists/a.txt'), 'utf8'), 'ads.example\n', 'a list that comes back')
  await resolver.take('five', { files: [] }, node.signal)
  assert.deepEqual([node.calls.at(-1), resolver.status().status], ['close', 'off'])
})

test('a resolver that is not needed ends, and needs no list again when it is', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('none', { files: [] }, node.signal)
  assert.equal(existsSync(node.path), false)
  const wanted = node.manifest({ 'lists.json': '[1]', 'lists/a.txt': 'ads.example\n' })
  await resolver.take('one', wanted, node.signal)
  await writeFile(join(node.path, 'lists.bin'), 'compiled')
  await resolver.take('two', { files: [] }, node.signal)
  const { status, lists } = resolver.status()
  assert.deepEqual([node.calls, status, lists], [['start', 'close'], 'off', 0])

  const next = node.open()
  await next.start()
  assert.deepEqual([node.calls.length, next.received, next.status().status], [2, 'two', 'off'], 'nor after a restart')
  node.fetched.length = 0
  await next.take('one', wanted, node.signal)
  assert.deepEqual([node.fetched, node.calls.at(-1), next.status().lists], [[], 'start', 1])
  assert.equal(await readFile(join(node.path, 'lists.bin'), 'utf8'), 'compiled')
})

test('a file that is not the one that was named changes nothing, and is tried again', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({ 'rules.json': '[1]' }), node.signal)
  const next = node.manifest({ 'rules.json': '[2]', 'records.json': '[3]' })
  node.store.delete(hashOf('[3]'))
  await assert.rejects(resolver.take('two', next, node.signal), /not the one that it named/)
  assert.deepEqual([resolver.received, await readFile(join(node.path, 'rules.json'), 'utf8')], ['one', '[1]'])
  assert.match(resolver.status().problem ?? '', /not the one that it named/)
  node.store.set(hashOf('[3]'), '[3]')
  await resolver.take('two', next, node.signal)
  assert.deepEqual([resolver.received, resolver.status().problem], ['two', null])
})

test('what was fetched before an error is not fetched again, unless it is damaged or not wanted any more', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({}), node.signal)
  const texts = { 'lists/a.txt': 'a.example\n', 'lists/b.txt': 'b.example\n' }
  const next = node.manifest({ ...texts, 'lists/c.txt': 'c.example\n', 'lists/d.txt': 'd.example\n' })
  node.store.delete(hashOf('c.example\n'))
  const incoming = join(node.path, 'incoming')
  node.fetched.length = 0
  await assert.rejects(resolver.take('two', next, node.signal))
  assert.deepEqual(node.fetched, ['a.example\n', 'b.example\n'])
  const damaged = (await readdir(incoming)).find((name) => name.startsWith('a.txt'))
  await writeFile(join(incoming, damaged ?? ''), 'a.exa')
  node.store.set(hashOf('c.example\n'), 'c.example\n')
  node.store.delete(hashOf('d.example\n'))
  await assert.rejects(node.open().take('two', next, node.signal))
  assert.deepEqual(node.fetched.slice(2), ['a.example\n', 'c.example\n'], 'after a restart, too')

  await resolver.take('three', node.manifest(texts), node.signal)
  assert.deepEqual([node.fetched.length, await readdir(incoming)], [4, []])
  assert.deepEqual((await readdir(join(node.path, 'lists'))).toSorted(), ['a.txt', 'b.txt'])
})

test('a small change does not wait for the newer text of a list, but for the text of a new one', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({ 'lists.json': '[1]', 'lists/a.txt': 'old.example\n' }), node.signal)
  const next = node.manifest({ 'rules.json': '[2]', 'lists.json': '[2]', 'lists/a.txt': 'a.example\n' })
  node.store.delete(hashOf('a.example\n'))
  await assert.rejects(resolver.take('two', next, node.signal))
  assert.deepEqual([node.calls, resolver.received], [['start', 'changed all'], null])
  assert.equal(await readFile(join(node.path, 'rules.json'), 'utf8'), '[2]')
  assert.equal(await readFile(join(node.path, 'lists.json'), 'utf8'), '[1]')
  await resolver.retry()
  assert.match(resolver.status().problem ?? '', /not the one that it named/)
  node.store.set(hashOf('a.example\n'), 'a.example\n')
  await resolver.take('two', next, node.signal)
  assert.deepEqual([node.calls.at(-1), resolver.received, resolver.status().problem], ['lists', 'two', null])

  const texts = { 'lists/a.txt': 'a.example\n', 'lists/b.txt': 'b.example\n' }
  const more = node.manifest({ ...texts, 'rules.json': '[3]', 'lists.json': '[3]' })
  node.store.delete(hashOf('b.example\n'))
  await assert.rejects(resolver.take('three', more, node.signal))
  assert.deepEqual([node.calls.length, resolver.received], [3, 'two'])
  node.store.set(hashOf('b.example\n'), 'b.example\n')
  await resolver.take('three', more, node.signal)
  assert.equal(node.calls.at(-1), 'together')
})

test('a list goes on being fetched when something newer names it, too, and ends when that does not', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({ 'lists.json': '[1]', 'lists/a.txt': 'old.example\n' }), node.signal)
  const { promise: isHere, resolve: arrive } = Promise.withResolvers<void>()
  node.slow.set(hashOf('a.example\n'), isHere)
  const list = { 'lists.json': '[2]', 'lists/a.txt': 'a.example\n' }
  const takeUntilBegun = async (revision: string, contents: Record<string, string>, begun: number) => {
    const newer = new AbortController()
    const taken = resolver.take(revision, node.manifest(contents), newer.signal)
    await eventually(
      () => node.begun.length,
      (count) => count >= begun,
      { what: 'the list is being fetched' },
    )
    return { taken, newer }
  }
  const first = await takeUntilBegun('two', list, 1)
  first.newer.abort()
  await assert.rejects(first.taken)

  const second = resolver.take('three', node.manifest({ ...list, 'rules.json': '[3]' }), node.signal)
  await eventually(
    () => readFile(join(node.path, 'rules.json'), 'utf8'),
    (text) => text === '[3]',
    { what: 'the small change, before the list' },
  )
  arrive()
  await second
  assert.deepEqual([node.begun, resolver.received], [['a.example\n'], 'three'])

  node.slow.set(hashOf('b.example\n'), new Promise(() => undefined))
  const third = await takeUntilBegun('four', { ...list, 'lists/a.txt': 'b.example\n' }, 2)
  third.newer.abort()
  await assert.rejects(third.taken)
  await resolver.take('five', node.manifest({ ...list, 'rules.json': '[5]' }), node.signal)
  assert.deepEqual(await readdir(join(node.path, 'incoming')), [], 'nothing is left of it')
  await resolver.close()
})

test('what was put in its place before an error comes into force with the rest', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({ 'rules.json': '[1]' }), node.signal)
  const manifest = join(node.path, 'manifest.json')
  await rm(manifest)
  await mkdir(join(manifest, 'in-the-way'), { recursive: true })
  const next = node.manifest({ 'rules.json': '[2]', 'lists.json': '[1]' })
  await assert.rejects(resolver.take('two', next, node.signal))
  await resolver.retry()
  assert.deepEqual([node.calls, resolver.received], [['start'], null], 'it is asked for again, whatever it is by then')
  assert.match(resolver.status().problem ?? '', /manifest\.json/)
  await rm(manifest, { recursive: true })
  await resolver.take('two', next, node.signal)
  assert.deepEqual([resolver.received, resolver.status().problem], ['two', null])
  assert.deepEqual(node.calls, ['start', 'together'])
})

test('a node that is interrupted while it puts files in their places has rules before clients, and does not start without the rest', async () => {
  await using node = await openNode()
  const wanted = node.manifest({ 'lists.json': '[1]', 'lists/a.txt': 'ads.example\n' })
  const present = async () => (await readdir(node.path)).filter((name) => name.endsWith('.json')).toSorted()
  // A folder in the place of a file ends it there.
  for (const [last, before] of [
    ['profiles.json', ['lists.json', 'profiles.json', 'records.json', 'rules.json', 'zones.json']],
    [
      'clients.json',
      ['clients.json', 'lists.json', 'names.json', 'profiles.json', 'records.json', 'rules.json', 'zones.json'],
    ],
  ] as const) {
    await mkdir(join(node.path, last, 'in-the-way'), { recursive: true })
    await assert.rejects(node.open().take('one', wanted, node.signal))
    assert.deepEqual(await present(), before)
    assert.ok(existsSync(join(node.path, 'lists/a.txt')))
    const next = node.open()
    await next.start()
    assert.deepEqual([node.calls, next.received], [[], null])
    await rm(join(node.path, last), { recursive: true })
  }
  await node.open().take('one', wanted, node.signal)
  assert.deepEqual(node.calls, ['start'])
})

test('a start works from the disk; what is damaged there is fetched again', async () => {
  await using node = await openNode()
  const first = node.open()
  const wanted = node.manifest({ 'rules.json': '[1]', 'lists/a.txt': 'ads.example\n' })
  await first.take('one', wanted, node.signal)
  const second = node.open()
  await second.start()
  assert.deepEqual([second.received, second.status().lists, node.calls], ['one', 1, ['start', 'start']])

  await writeFile(join(node.path, 'lists/a.txt'), 'ads.exa')
  const third = node.open()
  await third.start()
  assert.equal(third.received, null)
  assert.match(node.lines.at(-1) ?? '', /fetched again: lists\/a\.txt$/)
  node.fetched.length = 0
  await third.take('one', wanted, node.signal)
  assert.deepEqual([node.fetched, node.calls.at(-1)], [['ads.example\n'], 'lists'])

  await writeFile(join(node.path, 'manifest.json'), '{"revision":')
  const fourth = node.open()
  await fourth.start()
  node.fetched.length = 0
  await fourth.take('one', wanted, node.signal)
  assert.deepEqual([fourth.received, node.fetched], ['one', []])
})

test('a resolver that does not take a change gets it later', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({}), node.signal)
  node.refuse(new Error('the resolver did not answer'))
  await resolver.take('two', node.manifest({ 'rules.json': '[2]' }), node.signal)
  assert.deepEqual([resolver.received, resolver.status().problem], ['two', 'the resolver did not answer'])
  node.refuse()
  await resolver.retry()
  assert.deepEqual([node.calls.at(-1), resolver.status().problem], ['changed all', null])
})

test('the end does not wait for a change that the resolver is taking over, and starts none again', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({}), node.signal)
  const { promise, reject } = Promise.withResolvers<never>()
  node.refuse(promise)
  const taking = resolver.take('two', node.manifest({ 'rules.json': '[2]' }), node.signal)
  await eventually(
    () => node.calls.at(-1),
    (call) => call === 'changed all',
  )
  await resolver.close()
  reject(new Error('the service ends'))
  await taking
  await resolver.retry()
  assert.deepEqual(node.calls, ['start', 'changed all', 'close'])
  assert.equal(node.lines.filter((line) => line.includes('did not take a change')).length, 0)
})

test('what this version does not understand, or what would leave its folder, is not taken over', async () => {
  await using node = await openNode()
  const resolver = node.open()
  await resolver.take('one', node.manifest({}), node.signal)
  const file = { sha256: hashOf('x'), size: 1 }
  const large = { ...file, size: 64 << 20 }
  const hostile: readonly object[] = [
    { files: [{ ...file, name: '../node.json' }] },
    { files: [{ ...file, name: 'lists/../../node.json' }] },
    { files: [{ ...file, name: 'private-dns.json' }] },
    { files: [{ ...file, name: 'rules.json', sha256: '../x' }] },
    { files: [{ ...file, name: 'rules.json', size: 2 ** 40 }] },
    { files: Array.from({ length: 9 }, (_, n) => ({ ...large, name: `lists/${n}.txt` })) },
    { files: Array.from({ length: 2 }, () => Object.assign({ name: 'rules.json' }, file)) },
    {},
  ]
  for (const [index, manifest] of hostile.entries()) {
    await resolver.take(`h${index}`, manifest, node.signal)
    assert.equal(resolver.received, `h${index}`, 'it is not asked for again and again')
    assert.match(resolver.status().problem ?? '', /update Hearth on the node/)
  }
  assert.deepEqual(node.calls, ['start'])
})
