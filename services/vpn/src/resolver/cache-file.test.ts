import assert from 'node:assert/strict'
import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { ask } from '../../test/dns-client.ts'
import { addressRecord, makeAnswer } from '../../test/dns-packets.ts'
import { startUpstream } from '../../test/dns-upstream.ts'
import { freeListener, resolverFixture, upstreamAt } from '../../test/resolver-fixture.ts'
import { resolverFile, type ResolverSettings } from '../dns/resolver-files.ts'
import { createResolver } from './create-resolver.ts'

/** A directory in which resolvers run one after the other, and their upstream. */
async function start(some: Partial<ResolverSettings> = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1', 300)])))
  const listener = await freeListener()
  const fixture = cleanup.use(
    await resolverFixture({
      listeners: [listener],
      upstreams: [upstreamAt(upstream.port)],
      keepCache: true,
      cacheSize: 60_000,
      ...some,
    }),
  )
  const path = join(fixture.directory, resolverFile.cache)
  const kept = cleanup.move()
  return {
    upstream,
    fixture,
    path,
    async run() {
      const warnings: string[] = []
      const resolver = await createResolver({ directory: fixture.directory, warn: (message) => warnings.push(message) })
      await eventually(
        () => resolver.state().listeners,
        (listeners) => listeners.every(({ error }) => error === null),
      )
      return { resolver, warnings, [Symbol.asyncDispose]: () => resolver.close() }
    },
    async ask(name: string, type?: number) {
      const answer = await ask(listener.port, { name, payload: 1232, ...(type === undefined ? {} : { type }) })
      if (answer === undefined) throw new Error(`no answer for ${name}`)
      return answer
    },
    isThere: () =>
      stat(path).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const names = Array.from({ length: 600 }, (_, n) => `host-${n}.example`)

for (const engine of ['auto', 'dgram'] as const)
  test(`${engine}: answers are there again after a restart, and their time went on`, { timeout: 60_000 }, async () => {
    await using it = await start({ engine })
    {
      await using _running = await it.run()
      await Promise.all(names.map((name) => it.ask(name)))
    }
    const { mode } = await stat(it.path)
    assert.equal(mode & 0o777, 0o600)
    const asked = it.upstream.seen.length
    await using running = await it.run()
    await eventually(
      () => running.resolver.state().cacheEntries,
      (count) => count === names.length,
    )
    for (const name of names.slice(0, 50)) assert.deepEqual((await it.ask(name)).addresses, ['192.0.2.1'], name)
    assert.equal(it.upstream.seen.length, asked)
    assert.deepEqual(running.warnings, [])
  })

test('what a rule of now blocks is not answered from what was kept', { timeout: 60_000 }, async () => {
  await using it = await start()
  {
    await using _running = await it.run()
    await it.ask('ads.example')
    await it.ask('www.example')
  }
  const rule = { number: 1, action: 'block', domain: 'ads.example', belowOnly: false, client: 0 } as const
  await it.fixture.write('rules', [rule])
  await using running = await it.run()
  await eventually(
    () => running.resolver.state().cacheEntries,
    (count) => count === 2,
  )
  assert.deepEqual((await it.ask('ads.example')).addresses, ['0.0.0.0'])
  assert.deepEqual((await it.ask('www.example')).addresses, ['192.0.2.1'])
  assert.equal(it.upstream.seen.length, 2)
})

test('what was kept of a zone is for its servers alone', { timeout: 60_000 }, async () => {
  await using it = await start()
  await using corp = await startUpstream((query) => makeAnswer(query, [addressRecord('10.0.0.7', 300)]))
  await it.fixture.write('zones', [{ names: ['corp.example'], servers: [upstreamAt(corp.port)] }])
  {
    await using _running = await it.run()
    await it.ask('x.corp.example')
  }
  {
    await using running = await it.run()
    await eventually(
      () => running.resolver.state().cacheEntries,
      (count) => count === 1,
    )
    assert.deepEqual((await it.ask('x.corp.example')).addresses, ['10.0.0.7'])
    assert.equal(corp.seen.length, 1)
  }
  await it.fixture.write('zones', [])
  await using _running = await it.run()
  assert.deepEqual((await it.ask('x.corp.example')).addresses, ['192.0.2.1'])
})

test('a damaged, foreign or cut off file is ignored with one warning', { timeout: 60_000 }, async () => {
  await using it = await start()
  {
    await using _running = await it.run()
    await it.ask('www.example')
  }
  const whole = await readFile(it.path)
  const flipped = Buffer.from(whole)
  flipped[flipped.length - 1]! ^= 1
  for (const [content, expected] of [
    [flipped, /damaged/],
    [whole.subarray(0, whole.length - 5), /damaged/],
    [Buffer.from('SQLite format 3'), /another format/],
    [Buffer.alloc(0), /another format/],
  ] as const) {
    await writeFile(it.path, content)
    await using running = await it.run()
    await eventually(
      () => running.warnings,
      (warnings) => warnings.length > 0,
    )
    assert.match(running.warnings.join(), expected)
    assert.equal(running.warnings.length, 1)
    assert.deepEqual((await it.ask('www.example')).addresses, ['192.0.2.1'])
  }
  await truncate(it.path, 20 << 20)
  await using running = await it.run()
  await eventually(
    () => running.warnings,
    (warnings) => warnings.length > 0,
  )
  assert.match(running.warnings.join(), /too long/)
})

test(
  'nothing is kept when that is switched off, and emptying the cache deletes the file',
  { timeout: 60_000 },
  async () => {
    await using it = await start()
    {
      await using _running = await it.run()
      await it.ask('www.example')
    }
    assert.ok(await it.isThere())
    {
      await using running = await it.run()
      running.resolver.clearCache()
      await eventually(it.isThere, (isThere) => !isThere)
      await it.ask('www.example')
    }
    assert.ok(await it.isThere())
    {
      await using running = await it.run()
      await it.fixture.set({ keepCache: false })
      await running.resolver.changed('settings')
      assert.equal(await it.isThere(), false)
      await it.ask('www.example')
    }
    assert.equal(await it.isThere(), false)
  },
)
