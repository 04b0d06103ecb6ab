import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { createAuthority, type TestAuthority } from '../../../test/certificates.ts'
import { ask, fastest } from '../../../test/dns-client.ts'
import { addressRecord, longRecord, makeAnswer, makeQuery, nameOf, readAnswer } from '../../../test/dns-packets.ts'
import { startHttpsUpstream, startTlsUpstream, type SecureUpstream } from '../../../test/dns-secure-upstreams.ts'
import { startUpstream } from '../../../test/dns-upstream.ts'
import { freeListener, resolverFixture, upstreamAt } from '../../../test/resolver-fixture.ts'
import { testUpstream } from '../../resolver/test-upstream.ts'
import { createResolver } from '../../resolver/create-resolver.ts'
import { createRelay } from './relay.ts'
import { parseUpstream } from './upstream-text.ts'

const host = 'dns.test.example'
const numbered = (query: Uint8Array) =>
  makeAnswer(query, [addressRecord(`10.0.0.${/\d+/.exec(nameOf(query))?.[0] ?? 0}`)])

const protocols = {
  tls: {
    start: startTlsUpstream,
    text: ({ port }: { port: number }, name = host) => `tls://127.0.0.1:${port}#${name}`,
  },
  https: {
    start: startHttpsUpstream,
    text: ({ port }: { port: number }, name = host) => `https://${name}:${port}/dns-query#127.0.0.1`,
  },
} as const

/** The same test for both protocols, against a real server with a certificate of the test's own authority. */
function both(
  name: string,
  body: (fixture: {
    authority: TestAuthority
    server: SecureUpstream
    text: (name?: string) => string
    protocol: 'tls' | 'https'
  }) => Promise<void>,
): void {
  for (const protocol of ['tls', 'https'] as const) {
    test(`${protocol}: ${name}`, { timeout: 60_000 }, async () => {
      await using authority = await createAuthority()
      await using server = await protocols[protocol].start(authority, host, numbered)
      await body({ authority, server, protocol, text: (name) => protocols[protocol].text(server, name) })
    })
  }
}

both(
  'many questions share a connection, and each gets its answer under its id',
  async ({ authority, server, text }) => {
    const relay = await createRelay(parseUpstream(text()), { ca: authority.ca })
    try {
      const queries = Array.from({ length: 100 }, (_, n) => makeQuery(`n${n}.example.com`))
      // Ids are the client's to choose, also all the same.
      for (const query of queries) query.set([0x12, 0x34])
      const answers = await Promise.all(queries.map((query) => relay.query(query, 5000)))
      for (const [n, answer] of answers.entries()) {
        assert.deepEqual([...answer.subarray(0, 2)], [0x12, 0x34])
        assert.deepEqual(readAnswer(answer).addresses, [`10.0.0.${n}`])
      }
      assert.equal(server.connections, 1)
    } finally {
      relay.close()
    }
  },
)

both(
  'a server that closed is connected to again, and nothing is lost',
  async ({ authority, server, text, protocol }) => {
    const relay = await createRelay(parseUpstream(text()), { ca: authority.ca })
    try {
      await relay.query(makeQuery('n1.example.com'), 5000)
      for (let times = 1; times <= 3; times++) {
        server.hangUp()
        const answer = await eventually(
          () => relay.query(makeQuery(`n${times}.example.com`), 3000),
          () => true,
          { everyMs: 20 },
        )
        assert.deepEqual(readAnswer(answer).addresses, [`10.0.0.${times}`])
      }
      assert.ok(server.connections >= 4)
      if (protocol === 'tls') assert.ok(server.resumed >= 1, 'no session was taken up again')
    } finally {
      relay.close()
    }
  },
)

both(
  'a certificate of another name, or of an unknown authority, is not believed',
  async ({ authority, server, text }) => {
    const other = await createRelay(parseUpstream(text('other.test.example')), { ca: authority.ca })
    await assert.rejects(other.query(makeQuery('a.example.com'), 3000), /altnames|Hostname/i)
    other.close()
    const unknown = await createRelay(parseUpstream(text()))
    await assert.rejects(unknown.query(makeQuery('a.example.com'), 3000), /certificate|signed/i)
    unknown.close()
    assert.equal(server.queries.length, 0)
  },
)

both('a server that is silent is given up in time, and its connection with it', async ({ authority, server, text }) => {
  const relay = await createRelay(parseUpstream(text()), { ca: authority.ca })
  try {
    server.answering = () => undefined
    await assert.rejects(relay.query(makeQuery('a.example.com'), 500), /no answer in time/)
    server.answering = numbered
    assert.deepEqual(readAnswer(await relay.query(makeQuery('n5.example.com'), 3000)).addresses, ['10.0.0.5'])
    assert.equal(server.connections, 2)
  } finally {
    relay.close()
  }
})

both(
  'the resolver queries by it, goes on to the next when it cannot, and says why',
  async ({ authority, server, text }) => {
    await using plain = await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.2')]))
    const listener = await freeListener()
    const upstreams = [parseUpstream(text()), upstreamAt(plain.port)]
    await using fixture = await resolverFixture({ listeners: [listener], upstreams })
    const resolver = await createResolver({ directory: fixture.directory, warn: () => undefined, ca: authority.ca })
    try {
      // As clients do, which ask again when the socket was not open yet.
      const first = await eventually(
        () => ask(listener.port, { name: 'n7.example.com', timeoutMs: 5000 }),
        (answer) => answer !== undefined,
        { what: 'a first answer', seconds: 30 },
      )
      assert.deepEqual(first?.addresses, ['10.0.0.7'])
      assert.equal(plain.seen.length, 0)
      server.answering = (query) => makeAnswer(query, [longRecord(3000)])
      assert.equal((await ask(listener.port, { name: 'long.example.com', type: 16, payload: 1232 }))?.isTruncated, true)
      await fixture.set({ upstreams: [parseUpstream(text('other.test.example')), upstreamAt(plain.port)] })
      await resolver.changed('settings')
      const passed = await fastest(5, async (n) =>
        assert.deepEqual((await ask(listener.port, { name: `o${n}.example.com` }))?.addresses, ['192.0.2.2']),
      )
      assert.ok(passed < 700, 'it waited for a server that cannot be queried')
      assert.match(resolver.state().upstreams[0]?.lastError ?? '', /altnames|Hostname/i)
    } finally {
      await resolver.close()
    }
  },
)

test('https: ids are 0 on the way', async () => {
  await using authority = await createAuthority()
  await using server = await startHttpsUpstream(authority, host, numbered)
  const relay = await createRelay(parseUpstream(protocols.https.text(server)), { ca: authority.ca })
  await relay.query(makeQuery('n1.example.com'), 3000)
  relay.close()
  assert.deepEqual([...server.queries[0]!.subarray(0, 2)], [0, 0])
})

test('an upstream can be tried once: how long it took, or why it did not answer', async () => {
  await using authority = await createAuthority()
  await using server = await startTlsUpstream(authority, host, (query) => makeAnswer(query, []))
  await using plain = await startUpstream((query) => makeAnswer(query, []))
  const nobody = await freeListener()
  const text = protocols.tls.text(server)
  assert.ok((await testUpstream(text, { ca: authority.ca })) > 0)
  assert.ok((await testUpstream(`udp://127.0.0.1:${plain.port}`)) > 0)
  assert.ok((await testUpstream(`tcp://127.0.0.1:${plain.port}`)) > 0)
  await assert.rejects(testUpstream(text), /certificate|signed/i)
  await assert.rejects(testUpstream(`udp://127.0.0.1:${nobody.port}`), /REFUSED/)
  await assert.rejects(testUpstream(`tcp://127.0.0.1:${nobody.port}`), /REFUSED/)
  plain.answering = (query) => makeAnswer(query, [], { rcode: 5 })
  await assert.rejects(testUpstream(`udp://127.0.0.1:${plain.port}`), /refuses/)
})
