import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { ask, askByTcp, exchange } from '../../test/dns-client.ts'
import { addressRecord, longRecord, makeAnswer, makeQuery, readAnswer, RecordType } from '../../test/dns-packets.ts'
import { startUpstream, type TestUpstream } from '../../test/dns-upstream.ts'
import { freeListener, resolverFixture, upstreamAt } from '../../test/resolver-fixture.ts'
import type { ResolverSettings, ResolverZone } from '../dns/resolver-files.ts'
import { openLibc } from '../dns/sockets/libc.ts'
import { createResolver } from './create-resolver.ts'

type Engine = 'ffi' | 'dgram'

const obstacle = await openLibc().then(
  () => null,
  (error: Error) => error.message,
)

/** The same test for both engines. */
function behaviour(name: string, body: (engine: Engine) => Promise<void>): void {
  for (const engine of ['ffi', 'dgram'] as const) {
    const skip = engine === 'ffi' && obstacle !== null ? obstacle : false
    test(`${engine}: ${name}`, { skip, timeout: 60_000 }, () => body(engine))
  }
}

/** A resolver in this process with a general upstream, and zones with servers by ports. */
async function run(
  engine: Engine,
  general: TestUpstream,
  zones: Readonly<Record<string, readonly number[]>>,
  some: Partial<ResolverSettings> = {},
) {
  await using cleanup = new AsyncDisposableStack()
  const listener = await freeListener()
  const settings = { engine, listeners: [listener], upstreams: [upstreamAt(general.port)], blockPrivateAnswers: true }
  const fixture = cleanup.use(await resolverFixture({ ...settings, ...some }))
  const write = (by: typeof zones) =>
    fixture.write(
      'zones',
      Object.entries(by).map(([name, ports]): ResolverZone => ({
        names: [name],
        servers: ports.map((port) => upstreamAt(port)),
      })),
    )
  await write(zones)
  const resolver = await createResolver({ directory: fixture.directory, warn: () => undefined })
  cleanup.defer(() => resolver.close())
  await eventually(
    () => resolver.state().listeners,
    (listeners) => listeners.every(({ error }) => error === null),
  )
  const kept = cleanup.move()
  return {
    port: listener.port,
    resolver,
    async change(by: typeof zones) {
      await write(by)
      await resolver.changed('zones')
    },
    async ask(name: string, timeoutMs = 5000) {
      const answer = await ask(listener.port, { name, payload: 1232, timeoutMs })
      if (answer === undefined) throw new Error(`no answer for ${name}`)
      return answer
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const fixed = (address: string) => startUpstream((query) => makeAnswer(query, [addressRecord(address)]))
const silent = () => startUpstream(() => undefined)
const refusing = () =>
  startUpstream((query) => {
    const answer = makeAnswer(query, [])
    answer[3] = (answer[3]! & 0xf0) | 5
    return answer
  })
const namesIn = (upstream: TestUpstream) => upstream.seen.map(({ name }) => name.toLowerCase())

behaviour('names of a zone go to its servers alone, by UDP and by TCP, with private addresses', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using corp = await fixed('10.1.2.3')
  await using it = await run(engine, general, { 'corp.example': [corp.port], '10.in-addr.arpa': [corp.port] })
  assert.deepEqual((await it.ask('intra.corp.example')).addresses, ['10.1.2.3'])
  assert.deepEqual((await it.ask('www.example')).addresses, ['192.0.2.1'])
  assert.deepEqual((await it.ask('5.0.1.10.in-addr.arpa')).addresses, ['10.1.2.3'])
  const [byTcp] = await askByTcp(it.port, [makeQuery('tcp.corp.example')])
  assert.deepEqual(readAnswer(byTcp!).addresses, ['10.1.2.3'])
  assert.deepEqual(namesIn(general), ['www.example'])
  assert.equal(corp.seen.length, 3)
  const [state] = it.resolver.state().zoneServers
  assert.deepEqual([state?.queries, state?.failures, state?.failingSince], [2, 0, null])
  assert.equal(it.resolver.state().upstreams.length, 1)
})

behaviour('a server that is silent, refuses or is gone is replaced by the next one of its zone', async (engine) => {
  await using general = await fixed('192.0.2.1')
  const gone = await silent()
  await gone[Symbol.asyncDispose]()
  await using mute = await silent()
  await using refuses = await refusing()
  await using good = await fixed('10.1.2.3')
  await using it = await run(engine, general, {
    'a.example': [mute.port, good.port],
    'b.example': [refuses.port, good.port],
    'c.example': [gone.port, good.port],
  })
  for (const name of ['x.a.example', 'x.b.example', 'x.c.example'])
    assert.deepEqual((await it.ask(name)).addresses, ['10.1.2.3'], name)
  assert.equal(general.seen.length, 0)
  const silentState = it.resolver.state().zoneServers.find(({ label }) => label.endsWith(`:${mute.port}`))
  assert.ok(silentState!.failures >= 1 && silentState!.failingSince! > Date.now() - 60_000)
})

behaviour('without any server of its zone a name has SERVFAIL, and no other server sees it', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using one = await silent()
  await using two = await refusing()
  await using it = await run(engine, general, { 'corp.example': [one.port], 'lab.example': [two.port] })
  assert.equal((await it.ask('x.corp.example', 8000)).rcode, 2)
  assert.equal((await it.ask('x.lab.example')).rcode, 5)
  const [byTcp] = await askByTcp(it.port, [makeQuery('y.corp.example')])
  assert.equal(byTcp![3]! & 15, 2)
  assert.equal(general.seen.length, 0)
})

behaviour('an outdated answer of the zone stands in for its servers', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using corp = await startUpstream((query) => makeAnswer(query, [addressRecord('10.1.2.3', 1)]))
  await using it = await run(engine, general, { 'corp.example': [corp.port] }, { serveStale: true })
  await it.ask('x.corp.example')
  corp.answering = () => undefined
  const asked = corp.seen.length
  const stale = await eventually(
    () => it.ask('x.corp.example'),
    () => corp.seen.length > asked,
  )
  assert.deepEqual(stale.addresses, ['10.1.2.3'])
  assert.equal(general.seen.length, 0)
})

behaviour('an answer that fits no datagram is taken from the same server by TCP', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using corp = await startUpstream((query, { by }) => {
    const answer = makeAnswer(query, by === 'tcp' ? [longRecord(200)] : [])
    if (by === 'udp') answer[2]! |= 2
    return answer
  })
  await using it = await run(engine, general, { 'corp.example': [corp.port] })
  const answer = await exchange(it.port, makeQuery('big.corp.example', RecordType.txt, 1232))
  assert.equal(answer![7], 1)
  assert.deepEqual([...new Set(corp.seen.map(({ by }) => by))], ['udp', 'tcp'])
  assert.equal(general.seen.length, 0)
})

behaviour('a change holds for the next query, and for those under way', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using old = await silent()
  await using corp = await fixed('10.1.2.3')
  await using it = await run(engine, general, {})
  assert.deepEqual((await it.ask('x.corp.example')).addresses, ['192.0.2.1'])
  await it.change({ 'corp.example': [corp.port] })
  assert.deepEqual((await it.ask('x.corp.example')).addresses, ['10.1.2.3'])
  await it.change({ 'corp.example': [old.port] })
  const waiting = it.ask('y.corp.example')
  await eventually(
    () => old.seen.length,
    (seen) => seen > 0,
  )
  await it.change({ 'corp.example': [corp.port] })
  assert.deepEqual((await waiting).addresses, ['10.1.2.3'])
  await it.change({})
  assert.deepEqual((await it.ask('y.corp.example')).addresses, ['192.0.2.1'])
  assert.deepEqual(namesIn(general), ['x.corp.example', 'y.corp.example'])
  assert.equal(it.resolver.state().zoneServers.length, 0)
})

behaviour('what is known of servers stays when zones around them change', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using corp = await fixed('10.1.2.3')
  await using lab = await fixed('10.1.2.4')
  await using it = await run(engine, general, { 'corp.example': [corp.port] })
  await it.ask('x.corp.example')
  await it.ask('x.example')
  await it.change({ 'a.example': [lab.port], 'corp.example': [lab.port, corp.port] })
  const queriesOf = (port: number) =>
    [...it.resolver.state().upstreams, ...it.resolver.state().zoneServers].find(({ label }) =>
      label.endsWith(`:${port}`),
    )?.queries
  assert.deepEqual(
    [general, corp, lab].map(({ port }) => queriesOf(port)),
    [1, 1, 0],
  )
})

behaviour('among 1,000 zones the right one is found, and 100 changes lose no query', async (engine) => {
  await using general = await fixed('192.0.2.1')
  await using corp = await fixed('10.1.2.3')
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`zone-${n}.example`, [corp.port]]))
  await using it = await run(engine, general, many)
  assert.deepEqual((await it.ask('a.zone-999.example')).addresses, ['10.1.2.3'])
  const state = { isOver: false }
  let asked = 0
  const asking = (async () => {
    while (!state.isOver) {
      const name = asked % 2 === 0 ? `n${asked}.zone-${asked % 1000}.example` : `n${asked}.other.example`
      assert.deepEqual((await it.ask(name)).addresses, [asked % 2 === 0 ? '10.1.2.3' : '192.0.2.1'], name)
      asked += 1
    }
  })()
  for (let n = 0; n < 100; n++) await it.change({ ...many, [`added-${n}.example`]: [corp.port] })
  state.isOver = true
  await asking
  assert.ok(asked > 20)
})
