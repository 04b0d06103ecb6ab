import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aRecord, cname, createTestEngine, type TestUpstream } from '../../test/dns-engines.ts'
import { T, soaData } from '../../test/dns-messages.ts'
import { policyOf, recordOf } from '../../test/dns-policies.ts'

const wellKnown = Uint8Array.from([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
const own = Uint8Array.from([0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0])
const soa = { name: 'example', type: T.soa, ttl: 60, data: soaData(60) }
const nothing = { answers: [], authorities: [soa] }

/** Names with IPv4 addresses alone, and what else their answers need. */
function ipv4Only(addresses: Record<string, readonly number[]>, more: Partial<Record<string, TestUpstream>> = {}) {
  const upstream: TestUpstream = (query, group) => {
    const name = query.name!.toLowerCase()
    const said = more[name]
    if (said !== undefined) return said(query, group)
    const address = addresses[name]
    return query.type === T.a && address !== undefined ? { answers: [aRecord(name, address, 3600)] } : nothing
  }
  return upstream
}

const translated = (network: Uint8Array, address: readonly number[]) =>
  Buffer.from([...network, ...address]).toString('hex')

test('a name without IPv6 addresses gets some in the network, also from the cache and for a client that spells it differently', () => {
  const it = createTestEngine({ settings: { dns64: own }, upstream: ipv4Only({ 'a.example': [203, 0, 113, 7] }) })
  for (const name of ['a.example', 'A.Example', 'a.example']) {
    const { rcode, answers, name: repeated, type } = it.ask(name, T.aaaa)
    assert.deepEqual(
      [rcode, repeated, type, answers.map((answer) => [answer.type, answer.data, answer.name.toLowerCase()])],
      [0, name, T.aaaa, [[T.aaaa, translated(own, [203, 0, 113, 7]), 'a.example']]],
    )
    assert.ok(answers[0]!.ttl <= 600, 'it may get a real one')
  }
  assert.deepEqual(
    it.forwarded.map(({ type }) => type),
    [T.aaaa, T.a],
  )
  assert.deepEqual(
    it.ask('a.example', T.a).answers.map(({ data }) => data),
    ['cb007107'],
    'IPv4 stays IPv4',
  )
  assert.equal(it.forwarded.length, 2)
})

test('names with IPv6 addresses, names that do not exist, and everything without the setting stay as they are', () => {
  const six = Array.from({ length: 16 }, (_, k) => k + 1)
  const upstream = ipv4Only(
    { 'a.example': [203, 0, 113, 7] },
    {
      'six.example': ({ type }) => ({ answers: type === T.aaaa ? [aRecord('six.example', six)] : [] }),
      'none.example': () => ({ flags: 0x8183, authorities: [soa] }),
    },
  )
  const it = createTestEngine({ settings: { dns64: own }, upstream })
  assert.deepEqual(
    it.ask('six.example', T.aaaa).answers.map(({ data }) => data),
    [Buffer.from(six).toString('hex')],
  )
  assert.equal(it.ask('none.example', T.aaaa).rcode, 3)
  assert.equal(it.forwarded.length, 2)
  const bare = it.ask('b.example', T.aaaa)
  assert.deepEqual([bare.rcode, bare.answers, bare.authorities.length], [0, [], 1], 'it has no IPv4 address either')
  const off = createTestEngine({ upstream })
  assert.deepEqual([off.ask('a.example', T.aaaa).answers, off.forwarded.length], [[], 1])
})

test('a client that validates itself gets what the upstream said', () => {
  const it = createTestEngine({ settings: { dns64: own }, upstream: ipv4Only({ 'a.example': [203, 0, 113, 7] }) })
  const edns = { size: 1232, do: true }
  assert.deepEqual(it.ask('a.example', T.aaaa, { flags: 0x0110, edns }).answers, [])
  assert.equal(it.ask('a.example', T.aaaa, { flags: 0x0100, edns }).answers.length, 1)
  assert.equal(it.ask('a.example', T.aaaa, { flags: 0x0110 }).answers.length, 1)
})

test('aliases are kept, those of the upstream and local ones', () => {
  const upstream = ipv4Only(
    { 'b.example': [203, 0, 113, 8] },
    {
      'a.example': ({ type }) => ({
        answers: [cname('a.example', 'b.example'), ...(type === T.a ? [aRecord('b.example', [203, 0, 113, 8])] : [])],
        authorities: type === T.a ? [] : [soa],
      }),
    },
  )
  const policy = policyOf({ records: [recordOf('local.example CNAME b.example')] })
  const it = createTestEngine({ settings: { dns64: own }, upstream, policy })
  const address = translated(own, [203, 0, 113, 8])
  for (let round = 0; round < 2; round += 1) {
    const { answers } = it.ask('a.example', T.aaaa)
    assert.deepEqual(
      answers.map(({ name, type }) => [name.toLowerCase(), type]),
      [
        ['a.example', T.cname],
        ['b.example', T.aaaa],
      ],
    )
    assert.equal(answers[1]!.data, address)
    const local = it.ask('local.example', T.aaaa).answers
    assert.deepEqual(
      local.map(({ name, type }) => [name, type]),
      [
        ['local.example', T.cname],
        ['b.example', T.aaaa],
      ],
    )
    assert.equal(local[1]!.data, address)
  }
})

test('private addresses are blocked as before, and never put into the network that is the same everywhere', () => {
  const upstream = ipv4Only({ 'nas.example': [192, 168, 1, 5], 'ipv4only.arpa': [192, 0, 0, 170] })
  const blocking = createTestEngine({ settings: { dns64: own, blockPrivateAnswers: true }, upstream })
  assert.deepEqual(
    blocking.ask('nas.example', T.aaaa).answers.map(({ data }) => data),
    ['0'.repeat(32)],
  )
  const allowing = createTestEngine({ settings: { dns64: own, blockPrivateAnswers: false }, upstream })
  assert.equal(allowing.ask('nas.example', T.aaaa).answers[0]!.data, translated(own, [192, 168, 1, 5]))
  const common = createTestEngine({ settings: { dns64: wellKnown, blockPrivateAnswers: false }, upstream })
  assert.deepEqual(common.ask('nas.example', T.aaaa).answers, [])
  // By this name devices find out the network (RFC 7050).
  assert.equal(common.ask('ipv4only.arpa', T.aaaa).answers[0]!.data, translated(wellKnown, [192, 0, 0, 170]))
})

test('a blocked name stays blocked, and an upstream that fails on the way is a failure', () => {
  const policy = policyOf({ lists: [['||ads.example^']] })
  const it = createTestEngine({
    settings: { dns64: own },
    policy,
    upstream: ({ type }) => (type === T.a ? undefined : nothing),
  })
  assert.deepEqual(
    it.ask('x.ads.example', T.aaaa).answers.map(({ data }) => data),
    ['0'.repeat(32)],
  )
  assert.equal(it.forwarded.length, 0)
  assert.equal(it.ask('a.example', T.aaaa).rcode, 2)
})

test('an outdated translated address is served when no upstream answers', () => {
  const it = createTestEngine({
    settings: { dns64: own, serveStale: true },
    upstream: ipv4Only({ 'a.example': [203, 0, 113, 7] }),
  })
  it.ask('a.example', T.aaaa)
  it.use(() => undefined)
  it.wait(7200)
  assert.equal(it.ask('a.example', T.aaaa).answers[0]!.data, translated(own, [203, 0, 113, 7]))
})

test('an answer that does not fit is truncated, whole over TCP', () => {
  const answers = Array.from({ length: 40 }, (_, k) => aRecord('long.example', [203, 0, 113, k]))
  const it = createTestEngine({
    settings: { dns64: own },
    upstream: ({ type }) => (type === T.a ? { answers } : nothing),
  })
  const cut = it.ask('long.example', T.aaaa)
  assert.deepEqual([(cut.flags & 0x200) !== 0, cut.answers.length], [true, 0])
  it.engine.isStream = true
  assert.equal(it.ask('long.example', T.aaaa).answers.length, 40)
})

test('the second question goes to the servers of the name’s zone', () => {
  const policy = policyOf({ zones: { 'corp.example': 3 } })
  const groups: number[] = []
  const it = createTestEngine({
    settings: { dns64: own },
    policy,
    upstream: ({ type }, group) => {
      groups.push(group)
      return type === T.a ? { answers: [aRecord('x.corp.example', [203, 0, 113, 7])] } : nothing
    },
  })
  assert.equal(it.ask('x.corp.example', T.aaaa).answers.length, 1)
  assert.deepEqual(groups, [3, 3])
})
