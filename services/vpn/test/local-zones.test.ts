import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordType, makeQuery } from './dns-packets.ts'
import { askByTcp, exchange } from './dns-client.ts'
import { decodeMessage, type ReadMessage } from './dns-messages.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startResolverFixture, type ResolverContent } from './loopback-resolver.ts'
import { Reason, Status } from '../src/dns/policy/verdict.ts'
import { localZones } from '../src/dns/policy/local-zones.data.ts'

const Type = { ...RecordType, soa: 6, ptr: 12, ds: 43, any: 255 }

/** A resolver process whose upstream answers every name. */
async function start(content: Omit<ResolverContent, 'upstreamPort'> = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await startFakeNameserver())
  const fixture = cleanup.use(await startResolverFixture({ ...content, upstreamPort: upstream.port }))
  const kept = cleanup.move()
  return {
    upstream,
    fixture,
    async ask(name: string, type: number = Type.a): Promise<ReadMessage> {
      const answer = await exchange(fixture.port, makeQuery(name, type, 1232))
      if (answer === undefined) throw new Error(`no answer for ${name}`)
      return decodeMessage(answer)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Response code, records of the answer and of the authority section. */
const seen = ({ rcode, answers, authorities }: ReadMessage) => [
  rcode,
  answers.map(({ type, data }) => [type, data]),
  authorities.map(({ name, type, ttl }) => [name.toLowerCase(), type, ttl]),
]

const randomCase = (name: string): string =>
  name.replaceAll(/./g, (letter, at: number) => (at % 2 === 0 ? letter.toUpperCase() : letter))

test('no name of a local zone reaches an upstream, in any case and of any type', async () => {
  await using it = await start()
  for (const { domain } of localZones) {
    const soa = [domain, Type.soa, 10_800]
    for (const type of [Type.a, Type.aaaa, Type.ptr, Type.txt]) {
      if (domain === 'localhost' || /^1\.0\.0|^127\./.test(domain)) continue
      assert.deepEqual(seen(await it.ask(domain, type)), [0, [], [soa]], `${domain} ${type}`)
      const below = `device.${domain}`
      for (const name of [below, randomCase(`a.${below}`)])
        assert.deepEqual(seen(await it.ask(name, type)), [3, [], [soa]], `${name} ${type}`)
    }
  }
  assert.equal(it.upstream.total(), 0)
  assert.deepEqual((await it.ask('notlocal.arpa.example')).rcode, 0)
  assert.deepEqual((await it.ask('mytest')).rcode, 0)
  assert.deepEqual((await it.ask('8.8.8.8.in-addr.arpa', Type.ptr)).rcode, 0)
  assert.deepEqual((await it.ask('1.0.63.100.in-addr.arpa', Type.ptr)).rcode, 0)
  assert.equal(it.upstream.total(), 4)
})

test('localhost and the loopback addresses resolve', async () => {
  await using it = await start()
  const localhost = 'localhost'
  const soa = [['localhost', Type.soa, 10_800]]
  for (const name of ['localhost', 'LocalHost', 'x.y.LOCALHOST']) {
    assert.deepEqual(seen(await it.ask(name)), [0, [[1, '7f000001']], []])
    assert.deepEqual(seen(await it.ask(name, Type.aaaa)), [0, [[28, `${'0'.repeat(30)}01`]], []])
    assert.deepEqual(seen(await it.ask(name, Type.txt)), [0, [], soa])
  }
  for (const name of ['1.0.0.127.in-addr.arpa', `1.${'0.'.repeat(31)}IP6.arpa`]) {
    assert.deepEqual(seen(await it.ask(name, Type.ptr)), [0, [[Type.ptr, localhost]], []], name)
    assert.equal((await it.ask(name, Type.a)).rcode, 0)
  }
  assert.equal((await it.ask('0.127.in-addr.arpa', Type.ptr)).rcode, 0, 'a name on the way to one that exists')
  assert.equal((await it.ask('2.0.0.127.in-addr.arpa', Type.ptr)).rcode, 3)
  assert.deepEqual(seen(await it.ask('home.arpa', Type.ns)), [0, [[Type.ns, localhost]], []])
  assert.deepEqual((await it.ask('home.arpa', Type.soa)).answers[0]?.ttl, 10_800)
  assert.equal(it.upstream.total(), 0)
})

test('the zone above is queried for the proof that a zone is not signed', async () => {
  await using it = await start()
  await it.ask('home.arpa', Type.ds)
  await it.ask('a.home.arpa', Type.ds)
  assert.deepEqual([it.upstream.asked('home.arpa'), it.upstream.total()], [1, 1])
})

test('TCP gives the same answer', async () => {
  await using it = await start()
  const [answer] = await askByTcp(it.fixture.port, [makeQuery('printer.home.arpa')])
  assert.deepEqual(seen(decodeMessage(answer!)), [3, [], [['home.arpa', Type.soa, 10_800]]])
  assert.equal(it.upstream.total(), 0)
})

test('a forwarded zone is sent to the upstream, and what lies beside it is not', async () => {
  await using it = await start({ settings: { forwardedZones: ['home.arpa', '1.168.192.in-addr.arpa'] } })
  assert.equal((await it.ask('NAS.Home.Arpa')).answers.length, 1)
  assert.equal((await it.ask('5.1.168.192.in-addr.arpa', Type.ptr)).rcode, 0)
  assert.equal(it.upstream.total(), 2)
  assert.equal((await it.ask('5.2.168.192.in-addr.arpa', Type.ptr)).rcode, 3)
  assert.equal((await it.ask('nas.local')).rcode, 3)
  assert.equal(it.upstream.total(), 2)
})

test('rules take precedence, and local names stay local while filtering is off', async () => {
  const rule = (number: number, action: 'allow' | 'block', domain: string) => ({
    number,
    action,
    domain,
    belowOnly: false,
    client: 0,
  })
  await using it = await start({ rules: [rule(1, 'allow', 'printer.local'), rule(2, 'block', 'ads.test')] })
  assert.equal((await it.ask('printer.local')).rcode, 0)
  assert.equal(it.upstream.asked('printer.local'), 1)
  assert.deepEqual(seen(await it.ask('ads.test')), [0, [[1, '00000000']], []])
  await using off = await start({ settings: { blockingEnabled: false } })
  assert.equal((await off.ask('printer.local')).rcode, 3)
  assert.equal(off.upstream.total(), 0)
})

test('the explanation says what the answer is, and queries no upstream', async () => {
  await using it = await start({ settings: { forwardedZones: ['test'] } })
  const names = localZones.flatMap(({ domain }) => [domain, `a.${domain}`, randomCase(`x.y.${domain}`)])
  for (const domain of [...names, 'example.com', 'home.arpa.example']) {
    const before = it.upstream.total()
    const { rcode } = await it.ask(domain)
    const isLocal = it.upstream.total() === before
    const { verdict } = await it.fixture.resolver.explain({ domain, client: 0, resolve: true, qtype: 1 })
    const expected = isLocal ? Reason.local : Reason.none
    assert.deepEqual([verdict.status, verdict.reason], [Status.allowed, expected], `${domain} ${rcode}`)
    if (isLocal) assert.equal(it.upstream.total(), before, domain)
  }
})
