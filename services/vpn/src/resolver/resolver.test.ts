import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@hearth/testing'
import { ask, askAndEnd, askByTcp, exchange, exchangeAgain, fastest } from '../../test/dns-client.ts'
import {
  addressRecord,
  aliasRecord,
  longRecord,
  makeAnswer,
  makeQuery,
  questionEnd,
  readAnswer,
  RecordType,
  typeOf,
} from '../../test/dns-packets.ts'
import { startUpstream, type TestUpstream } from '../../test/dns-upstream.ts'
import { freeListener, resolverFixture, upstreamAt, type ResolverFixture } from '../../test/resolver-fixture.ts'
import { openLibc } from '../dns/sockets/libc.ts'
import { createResolver } from './create-resolver.ts'
import type { Resolver } from './running-resolver.ts'
import type { ResolverSettings } from '../dns/resolver-files.ts'

type Engine = 'ffi' | 'dgram'

const obstacle = await openLibc().then(
  () => null,
  (error: Error) => error.message,
)

/** A resolver in this process, at a free port. */
interface Running extends AsyncDisposable {
  readonly port: number
  readonly fixture: ResolverFixture
  readonly resolver: Resolver
  readonly warnings: string[]
  change(some: Partial<ResolverSettings>): Promise<void>
}

async function run(
  engine: Engine,
  upstreams: readonly TestUpstream[],
  some: Partial<ResolverSettings> = {},
): Promise<Running> {
  await using cleanup = new AsyncDisposableStack()
  const listener = await freeListener()
  const fixture = cleanup.use(
    await resolverFixture({
      engine,
      listeners: [listener],
      upstreams: upstreams.map(({ port }) => upstreamAt(port)),
      ...some,
    }),
  )
  const warnings: string[] = []
  const resolver = await createResolver({ directory: fixture.directory, warn: (message) => warnings.push(message) })
  cleanup.defer(() => resolver.close())
  assert.equal(resolver.state().engine, engine)
  await eventually(
    () => resolver.state().listeners,
    (listeners) => listeners.every(({ error }) => error === null),
  )
  const kept = cleanup.move()
  return {
    port: listener.port,
    fixture,
    resolver,
    warnings,
    async change(some) {
      await fixture.set(some)
      await resolver.changed('settings')
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const fixed = (address: string) => startUpstream((query) => makeAnswer(query, [addressRecord(address)]))
const silent = () => startUpstream(() => undefined)

/** The same test for both engines. */
function behaviour(name: string, body: (engine: Engine) => Promise<void>): void {
  for (const engine of ['ffi', 'dgram'] as const) {
    const skip = engine === 'ffi' && obstacle !== null ? obstacle : false
    test(`${engine}: ${name}`, { skip, timeout: 60_000 }, () => body(engine))
  }
}

behaviour('a question is forwarded once, then answered from the cache, in the client’s own case', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  await using running = await run(engine, [upstream])
  for (let n = 0; n < 3; n++) {
    const query = makeQuery('WWW.example.COM', RecordType.a, 1232)
    const answer = (await exchange(running.port, query))!
    assert.deepEqual([...answer.subarray(12, questionEnd(query))], [...query.subarray(12, questionEnd(query))])
    assert.deepEqual(readAnswer(answer).addresses, ['192.0.2.1'])
  }
  assert.equal(upstream.seen.length, 1)
})

behaviour('a client that half-closes a TCP connection still gets every answer', async (engine) => {
  await using upstream = await startUpstream(async (query) => {
    await pause(50)
    return makeAnswer(query, [addressRecord('192.0.2.8')])
  })
  await using running = await run(engine, [upstream])
  for (const names of [['one.example'], ['a.example', 'b.example', 'c.example', 'localhost', 'a.example']]) {
    const queries = names.map((name) => makeQuery(name))
    const answers = await askAndEnd(running.port, queries)
    const ids = (messages: readonly Uint8Array[]) => messages.map((m) => m[0]! * 256 + m[1]!).sort((a, b) => a - b)
    assert.deepEqual(ids(answers), ids(queries))
    for (const answer of answers) assert.equal(readAnswer(answer).addresses.length, 1)
  }
})

behaviour('a client that ends after a partial query, or none, is disconnected', async (engine) => {
  await using upstream = await fixed('192.0.2.8')
  await using running = await run(engine, [upstream])
  const query = makeQuery('whole.example')
  assert.deepEqual(await askAndEnd(running.port, []), [])
  assert.equal((await askAndEnd(running.port, [query], 7)).length, 1)
})

behaviour('identical simultaneous questions are forwarded once, and every client gets an answer', async (engine) => {
  const gate = Promise.withResolvers<void>()
  await using upstream = await startUpstream(async (query) => {
    await gate.promise
    return makeAnswer(query, [addressRecord('192.0.2.7')])
  })
  await using running = await run(engine, [upstream])
  const asked = Array.from({ length: 20 }, () => ask(running.port, { name: 'same.example.com' }))
  await eventually(
    () => upstream.seen.length,
    (count) => count > 0,
  )
  await pause(100)
  gate.resolve()
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer?.addresses, ['192.0.2.7'])
  assert.equal(upstream.seen.length, 1)
})

behaviour('many different simultaneous questions each get their own answer', async (engine) => {
  await using upstream = await startUpstream((query, { name }) =>
    makeAnswer(query, [addressRecord(`10.0.0.${/\d+/.exec(name)![0]}`)]),
  )
  await using running = await run(engine, [upstream])
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => ask(running.port, { name: `n${n}.example.com` })),
  )
  for (const [n, answer] of answers.entries()) assert.deepEqual(answer?.addresses, [`10.0.0.${n}`])
})

behaviour(
  'when the first upstream is silent the second is queried; when nobody listens there, at once',
  async (engine) => {
    await using quiet = await silent()
    await using second = await fixed('192.0.2.2')
    await using running = await run(engine, [quiet, second])
    assert.deepEqual((await ask(running.port, { name: 'a.example.com' }))?.addresses, ['192.0.2.2'])
    // After three silences it counts as down: no one waits for it any more.
    await Promise.all(['b', 'c', 'd'].map((name) => ask(running.port, { name: `${name}.example.com` })))
    const answered = async (name: string) =>
      assert.deepEqual((await ask(running.port, { name }))?.addresses, ['192.0.2.2'])
    const down = await fastest(5, (n) => answered(`e${n}.example.com`))
    assert.ok(down < 500, 'a server that is down is waited for')
    assert.deepEqual(
      running.resolver.state().upstreams.map(({ isHealthy }) => isHealthy),
      [false, true],
    )

    const nobody = await freeListener()
    await running.change({ upstreams: [upstreamAt(nobody.port), upstreamAt(second.port)] })
    const refused = await fastest(5, (n) => answered(`f${n}.example.com`))
    assert.ok(refused < 600, 'nobody listens there, and still it was waited')
  },
)

behaviour('each query sent to a server counts as at most one failure', async (engine) => {
  const { port: nobody } = await freeListener()
  await using running = await run(engine, [])
  await running.change({ upstreams: [upstreamAt(nobody)] })
  const names = ['a.example', 'b.example', 'c.example']
  const answers = await Promise.all(names.map((name) => ask(running.port, { name })))
  for (const answer of answers) assert.equal(answer?.rcode, 2)
  const [upstream] = running.resolver.state().upstreams
  assert.ok((upstream?.queries ?? 0) > names.length, 'they were sent again')
  assert.equal(upstream?.failures, upstream?.queries)
  // Which of the two is learnt first is the machine's affair.
  assert.match(upstream?.lastError ?? '', /^(out of reach|no answer in time)$/)
})

behaviour('an upstream that was down is used again once it answers', async (engine) => {
  await using first = await silent()
  await using second = await fixed('192.0.2.2')
  await using running = await run(engine, [first, second])
  await Promise.all(['a', 'b', 'c'].map((name) => ask(running.port, { name: `${name}.example.com` })))
  assert.equal(running.resolver.state().upstreams[0]!.isHealthy, false)
  first.answering = (query) => makeAnswer(query, [addressRecord('192.0.2.1')])
  let n = 0
  await eventually(
    () => ask(running.port, { name: `again${n++}.example.com` }),
    (answer) => answer?.addresses[0] === '192.0.2.1',
    { everyMs: 200 },
  )
  assert.equal(running.resolver.state().upstreams[0]!.isHealthy, true)
})

behaviour('a refusing server is skipped; when all refuse, the client gets the refusal', async (engine) => {
  await using refusing = await startUpstream((query) => makeAnswer(query, [], { rcode: 5 }))
  await using failing = await startUpstream((query) => makeAnswer(query, [], { rcode: 2 }))
  await using good = await fixed('192.0.2.3')
  await using running = await run(engine, [refusing, failing, good])
  assert.deepEqual((await ask(running.port, { name: 'a.example.com' }))?.addresses, ['192.0.2.3'])
  await running.change({ upstreams: [upstreamAt(failing.port)] })
  assert.equal((await ask(running.port, { name: 'b.example.com' }))?.rcode, 2)
})

behaviour('without an answer clients get SERVFAIL after seconds, or stale data if enabled', async (engine) => {
  await using upstream = await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1', 1)]))
  await using running = await run(engine, [upstream], { serveStale: true, cacheMinTtl: 0 })
  assert.deepEqual((await ask(running.port, { name: 'known.example.com' }))?.addresses, ['192.0.2.1'])
  upstream.answering = () => undefined
  await pause(1100)
  const since = performance.now()
  const [unknown, known] = await Promise.all([
    ask(running.port, { name: 'unknown.example.com' }),
    ask(running.port, { name: 'known.example.com' }),
  ])
  assert.ok(performance.now() - since < 10_000)
  assert.equal(unknown?.rcode, 2)
  assert.deepEqual(known?.addresses, ['192.0.2.1'])
})

behaviour('stale data is given while an upstream may still answer, and what that says renews it', async (engine) => {
  await using upstream = await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1', 1)]))
  await using running = await run(engine, [upstream], { serveStale: true, cacheMinTtl: 0 })
  const name = 'moved.example.com'
  assert.deepEqual((await ask(running.port, { name }))?.addresses, ['192.0.2.1'])
  const queries = upstream.seen.length
  // Two tries are lost; the third one, which no client waits for any more, is answered.
  upstream.answering = (query) =>
    upstream.seen.length <= queries + 2 ? undefined : makeAnswer(query, [addressRecord('192.0.2.2', 300)])
  await pause(1100)
  assert.deepEqual((await ask(running.port, { name }))?.addresses, ['192.0.2.1'])
  await eventually(
    () => ask(running.port, { name }),
    (answer) => answer?.addresses[0] === '192.0.2.2',
  )
})

behaviour('a name with IPv4 alone gets addresses in the network of a NAT64, by UDP and TCP', async (engine) => {
  await using upstream = await startUpstream((query) =>
    makeAnswer(query, typeOf(query) === RecordType.a ? [addressRecord('192.0.2.1')] : []),
  )
  await using running = await run(engine, [upstream], { dns64Prefix: '64:ff9b::' })
  const name = 'four.example.com'
  const query = () => makeQuery(name, RecordType.aaaa)
  const asked = await Promise.all(Array.from({ length: 20 }, () => exchangeAgain(running.port, query())))
  const byTcp = await askByTcp(running.port, [query(), query()])
  for (const answer of [...asked, ...byTcp]) {
    const address = Buffer.from(answer.subarray(-16)).toString('hex')
    assert.deepEqual([readAnswer(answer).records, address], [1, '0064ff9b0000000000000000c0000201'])
  }
  assert.deepEqual((await ask(running.port, { name }))?.addresses, ['192.0.2.1'])
  await running.change({ dns64Prefix: null })
  await eventually(
    () => ask(running.port, { name, type: RecordType.aaaa }),
    (answer) => answer?.records === 0,
  )
})

behaviour('an answer that is used at its end is renewed, and nobody waits for it', async (engine) => {
  await using upstream = await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1', 2)]))
  await using running = await run(engine, [upstream], { prefetch: true, cacheMinTtl: 0 })
  let tries = 0
  // A try in which the last second goes by unused, on a busy machine, says nothing.
  await eventually(
    async () => {
      const name = `popular${tries++}.example.com`
      upstream.answering = (query) => makeAnswer(query, [addressRecord('192.0.2.1', 2)])
      let answer = await ask(running.port, { name })
      upstream.answering = () => undefined
      const queries = upstream.seen.length
      while (answer?.addresses[0] === '192.0.2.1' && upstream.seen.length === queries) {
        await pause(50)
        answer = await ask(running.port, { name })
      }
      return answer?.addresses[0] === '192.0.2.1'
    },
    (isAnswered) => isAnswered,
  )
})

behaviour('answers with another id, question, case or port are ignored', async (engine) => {
  const forged = (query: Uint8Array) => makeAnswer(query, [addressRecord('6.6.6.6')])
  await using upstream = await startUpstream((query, seen) => {
    const otherId = forged(query)
    otherId[1]! ^= 1
    const otherName = forged(query)
    otherName[13] = otherName[13] === 122 ? 121 : 122
    const otherCase = forged(query)
    for (let at = 13; at < questionEnd(query) - 5; at++) if (otherCase[at]! >= 64) otherCase[at]! ^= 32
    const otherType = forged(query)
    otherType[questionEnd(query) - 3]! ^= 1
    const noAnswer = forged(query)
    noAnswer[2]! &= 0x7f
    // The right answer, from a port that was not asked.
    unknown.socket.send(forged(query), seen.port, '127.0.0.1')
    const wrong = [otherId, otherName, otherCase, otherType, noAnswer, new Uint8Array(3), new Uint8Array(0)]
    return [...wrong, makeAnswer(query, [addressRecord('192.0.2.1')]), forged(query)]
  })
  await using unknown = await silent()
  await using running = await run(engine, [upstream])
  for (const name of ['one.example.com', 'two.example.com', 'three.example.com']) {
    assert.deepEqual((await ask(running.port, { name }))?.addresses, ['192.0.2.1'])
    assert.deepEqual((await ask(running.port, { name }))?.addresses, ['192.0.2.1'])
  }
})

behaviour('ids, ports and letter case are unpredictable', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  await using running = await run(engine, [upstream])
  for (let n = 0; n < 64; n++) await ask(running.port, { name: `abcdefghijkl${n}.example.com` })
  const { seen } = upstream
  assert.ok(new Set(seen.map(({ id }) => id)).size > 60)
  assert.ok(new Set(seen.map(({ port }) => port)).size >= 5, 'one port for all')
  assert.ok(new Set(seen.map(({ name }) => name.slice(0, 12))).size > 50)
})

behaviour('ports are replaced regularly at run time', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  await using running = await run(engine, [upstream])
  let n = 0
  await eventually(
    async () => {
      await ask(running.port, { name: `n${n++}.example.com` })
      return new Set(upstream.seen.map(({ port }) => port)).size
    },
    (ports) => ports > 10,
    { seconds: 30 },
  )
})

behaviour(
  'an answer that does not fit is queried by TCP, and cut off only for clients it does not fit',
  async (engine) => {
    await using upstream = await startUpstream((query, { by }) =>
      by === 'udp'
        ? makeAnswer(query, [], { isTruncated: true })
        : makeAnswer(query, [longRecord(600), longRecord(300)]),
    )
    await using running = await run(engine, [upstream])
    const large = await ask(running.port, { name: 'large.example.com', type: RecordType.txt, payload: 1232 })
    assert.deepEqual([large?.isTruncated, large?.records], [false, 2])
    assert.deepEqual(
      upstream.seen.map(({ by }) => by),
      ['udp', 'tcp'],
    )
    const small = await ask(running.port, { name: 'large.example.com', type: RecordType.txt })
    assert.equal(small?.isTruncated, true)
    const [whole] = await askByTcp(running.port, [makeQuery('large.example.com', RecordType.txt)])
    assert.equal(readAnswer(whole!).records, 2)
  },
)

behaviour('TCP answers many simultaneous queries, up to 64 KiB, and garbage closes the connection', async (engine) => {
  await using upstream = await startUpstream((query, { name }) =>
    name.toLowerCase().startsWith('huge')
      ? makeAnswer(
          query,
          Array.from({ length: 30 }, () => longRecord(2000)),
        )
      : makeAnswer(query, [addressRecord('192.0.2.1')]),
  )
  await using running = await run(engine, [upstream])
  const queries = Array.from({ length: 150 }, (_, n) => makeQuery(`n${n}.example.com`))
  const answers = await askByTcp(running.port, queries)
  assert.equal(answers.length, 150)
  const ids = (messages: readonly Uint8Array[]) => new Set(messages.map((message) => message[0]! * 256 + message[1]!))
  assert.deepEqual(ids(answers), ids(queries))
  for (const answer of answers) assert.deepEqual(readAnswer(answer).addresses, ['192.0.2.1'])
  const [huge] = await askByTcp(running.port, [makeQuery('huge.example.com', RecordType.txt)])
  assert.equal(huge!.length, 60_394)
  assert.deepEqual(await askByTcp(running.port, [new Uint8Array(5)]), [])
})

behaviour(
  'rules block by name, by UDP and TCP, from the next query on; what an alias points to is checked',
  async (engine) => {
    await using upstream = await startUpstream((query, { name }) =>
      name.toLowerCase() === 'alias.example.com'
        ? makeAnswer(query, [
            aliasRecord('deep.ads.example'),
            { ...addressRecord('192.0.2.9'), name: 'deep.ads.example' },
          ])
        : makeAnswer(query, [addressRecord('192.0.2.1')]),
    )
    await using running = await run(engine, [upstream])
    assert.deepEqual((await ask(running.port, { name: 'x.ads.example' }))?.addresses, ['192.0.2.1'])
    assert.deepEqual((await ask(running.port, { name: 'alias.example.com' }))?.addresses.at(-1), '192.0.2.9')
    await running.fixture.write('rules', [
      { number: 1, action: 'block', domain: 'ads.example', belowOnly: false, client: 0 },
    ])
    await running.resolver.changed('rules')
    assert.deepEqual((await ask(running.port, { name: 'x.ads.example' }))?.addresses, ['0.0.0.0'])
    assert.deepEqual((await ask(running.port, { name: 'alias.example.com' }))?.addresses, ['0.0.0.0'])
    const [tcp] = await askByTcp(running.port, [makeQuery('x.ads.example')])
    assert.deepEqual(readAnswer(tcp!).addresses, ['0.0.0.0'])
    const explained = await running.resolver.explain({
      domain: 'alias.example.com',
      client: 0,
      resolve: true,
      qtype: 1,
    })
    assert.deepEqual([explained.verdict.status, explained.name], [1, 'deep.ads.example'])
    assert.deepEqual(explained.cnames, ['deep.ads.example'])
  },
)

behaviour('on a tunnel only known clients get answers, over UDP and TCP, within their rate', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  const tunnel = await freeListener('127.0.0.1', 'lo')
  await using running = await run(engine, [upstream], { listeners: [tunnel], clientRateLimit: 50 })
  const client = { number: 7, id: 'p7', name: 'Phone', filtering: true, lists: null, logging: true }
  const known = { name: 'a.example.com', source: '127.0.0.7' }
  const briefly = { ...known, timeoutMs: 400 }
  assert.equal(await ask(tunnel.port, briefly), undefined)
  assert.deepEqual(await askByTcp(tunnel.port, [makeQuery('a.example.com')]), [])
  await running.fixture.write('clients', [{ ...client, addresses: ['127.0.0.7'] }])
  await running.resolver.changed('clients')
  assert.deepEqual((await ask(tunnel.port, known))?.addresses, ['192.0.2.1'])
  assert.equal(await ask(tunnel.port, { ...briefly, source: '127.0.0.8' }), undefined)
  const burst = await Promise.all(Array.from({ length: 150 }, () => ask(tunnel.port, { ...known, timeoutMs: 2000 })))
  const answered = burst.filter((answer) => answer !== undefined).length
  assert.ok(answered >= 40 && answered <= 100, `${answered} of 150 were answered`)
  await pause(1000)
  assert.deepEqual((await ask(tunnel.port, known))?.addresses, ['192.0.2.1'])
})

behaviour('listeners follow the settings; one that cannot be opened is reported and retried', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  await using running = await run(engine, [upstream])
  const second = await freeListener()
  const first = running.fixture.settings.listeners[0]!
  await running.change({ listeners: [first, second] })
  await eventually(
    () => ask(second.port, { name: 'a.example.com', timeoutMs: 300 }),
    (answer) => answer !== undefined,
  )
  await running.change({ listeners: [second] })
  assert.deepEqual((await ask(second.port, { name: 'b.example.com' }))?.addresses, ['192.0.2.1'])
  assert.equal(await ask(first.port, { name: 'b.example.com', timeoutMs: 300 }), undefined)

  const taken = await silent()
  await running.change({ listeners: [second, { address: '127.0.0.1', port: taken.port, device: null }] })
  await eventually(
    () => running.resolver.state().listeners[1]?.error,
    (error) => error?.includes('EADDRINUSE') === true,
  )
  await taken[Symbol.asyncDispose]()
  const opened = await eventually(
    () => ask(taken.port, { name: 'c.example.com', timeoutMs: 300 }),
    (answer) => answer !== undefined,
  )
  assert.deepEqual(opened?.addresses, ['192.0.2.1'])
  await eventually(
    () => running.resolver.state().listeners[1]?.error,
    (error) => error === null,
  )
})

behaviour('upstreams can be replaced while queries wait, without losing any', async (engine) => {
  await using quiet = await silent()
  await using good = await fixed('192.0.2.5')
  await using running = await run(engine, [quiet])
  const waiting = Array.from({ length: 30 }, (_, n) => ask(running.port, { name: `n${n}.example.com` }))
  await eventually(
    () => quiet.seen.length,
    (count) => count >= 30,
  )
  await running.change({ upstreams: [upstreamAt(good.port)] })
  for (const answer of await Promise.all(waiting)) assert.deepEqual(answer?.addresses, ['192.0.2.5'])
})

behaviour('a data thread that exits is replaced, with its listeners', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  await using running = await run(engine, [upstream])
  assert.deepEqual((await ask(running.port, { name: 'a.example.com' }))?.addresses, ['192.0.2.1'])
  for (let times = 1; times <= 2; times++) {
    running.resolver.data.replace()
    await eventually(
      () => running.resolver.data.replacements,
      (count) => count === times,
    )
    await eventually(
      () => ask(running.port, { name: 'b.example.com', timeoutMs: 100 }),
      (answer) => answer?.addresses[0] === '192.0.2.1',
      { everyMs: 10 },
    )
  }
  assert.ok(running.warnings.some((warning) => warning.includes('data thread')))
})

behaviour('IPv6 works for clients and upstreams', async (engine) => {
  await using upstream = await fixed('192.0.2.1')
  const listener = await freeListener('::1')
  await using running = await run(engine, [upstream], { listeners: [listener] })
  const answer = await ask(listener.port, { name: 'a.example.com', address: '::1' })
  assert.deepEqual(answer?.addresses, ['192.0.2.1'])
  const [tcp] = await askByTcp(listener.port, [makeQuery('a.example.com')], '::1')
  assert.deepEqual(readAnswer(tcp!).addresses, ['192.0.2.1'])
  assert.equal(running.resolver.state().listeners[0]!.error, null)
})
