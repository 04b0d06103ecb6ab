import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aRecord, cname, createTestEngine } from '../../test/dns-engines.ts'
import { T, decodeMessage, encodeMessage } from '../../test/dns-messages.ts'
import { clientOf, policyOf, ruleOf } from '../../test/dns-policies.ts'
import { Outcome } from './outcome.ts'
import { Reason, Status, Trait } from './policy/verdict.ts'
import { wireName } from './wire/wire-name.ts'

const publicAddress = [203, 0, 113, 7]
const edns = { size: 4096 }
const ads = policyOf({ lists: [['||ads.example^']] })
const https = 65

describe('a blocked name', () => {
  const answersOf = (settings: Parameters<typeof createTestEngine>[0]) =>
    [T.a, T.aaaa, https, T.mx, T.any].map((type) => {
      const { rcode, answers, authorities } = createTestEngine({ policy: ads, ...settings }).ask('x.ads.example', type)
      return [rcode, answers.map(({ data, ttl }) => [data, ttl]), authorities.map(({ type, ttl }) => [type, ttl])]
    })
  const soa = [[T.soa, 10]]

  test('has no address by default', () => {
    const rest = [0, [], soa]
    assert.deepEqual(answersOf({}), [[0, [['00000000', 10]], []], [0, [['0'.repeat(32), 10]], []], rest, rest, rest])
  })

  test('does not exist, is refused, or has an address of choice', () => {
    assert.deepEqual(
      answersOf({ settings: { blockMode: 'nxdomain', blockTtl: 60 } }),
      Array.from({ length: 5 }, () => [3, [], [[T.soa, 60]]]),
    )
    assert.deepEqual(
      answersOf({ settings: { blockMode: 'refused' } }),
      Array.from({ length: 5 }, () => [5, [], []]),
    )
    const custom = answersOf({ settings: { blockMode: 'custom_ip', customIpv4: Uint8Array.of(192, 0, 2, 1) } })
    assert.deepEqual(custom, [[0, [['c0000201', 10]], []], ...Array.from({ length: 4 }, () => [0, [], soa])])
  })

  test('carries an extended DNS error for EDNS clients', () => {
    const policy = policyOf({ lists: [['||ads.example^']], rules: [ruleOf('block rule.example')] })
    const it = createTestEngine({ policy })
    assert.deepEqual(it.ask('ads.example', T.a, { edns }).edns?.errors, [{ code: 15, text: 'List 0' }])
    assert.deepEqual(it.ask('rule.example', T.a, { edns }).edns?.errors, [{ code: 15, text: 'custom rule' }])
    const special = it.ask('use-application-dns.net', T.a, { edns })
    assert.deepEqual([special.rcode, special.edns?.errors[0]?.code, special.authorities.length], [3, 15, 1])
    assert.equal(it.ask('ads.example').edns, undefined)
    assert.equal(it.forwarded.length, 0)
  })

  test('is recorded in the log entry', () => {
    const policy = policyOf({ lists: [[], ['||ads.example^']], clients: [clientOf(9, { logging: false })] })
    const { engine, ask } = createTestEngine({ policy, settings: { blockMode: 'nxdomain' } })
    ask('X.Ads.Example', https, { client: 9 })
    const { entry } = engine
    assert.deepEqual(
      [entry.status, entry.reason, entry.source, entry.rcode, entry.type, entry.client, entry.at, entry.traits],
      [Status.blocked, Reason.list, 1, 3, https, 9, engine.now, 0],
    )
    assert.deepEqual(Buffer.from(entry.name.subarray(0, entry.nameLength)), Buffer.from(wireName('x.ads.example')!))
    assert.equal(engine.isLogged, false)
    engine.isStream = true
    ask('ok.example')
    assert.deepEqual([entry.status, entry.reason, entry.client, entry.traits], [0, 0, 0, Trait.tcp | Trait.failed])
    assert.equal(engine.isLogged, true)
  })
})

describe('an answer', () => {
  test('has the id, case and RD bit of the query, and only resolver flags', () => {
    const it = createTestEngine({
      upstream: ({ name }) => ({ flags: 0x85b0, answers: [aRecord(name!, publicAddress)] }),
    })
    for (const name of ['WwW.eXample', 'www.EXAMPLE']) {
      const answer = it.ask(name, T.a, { id: 0xbeef, flags: 0x0100 })
      assert.deepEqual(
        [answer.id, answer.name, answer.flags, answer.answers[0]!.data],
        [0xbeef, name, 0x8180, 'cb007107'],
      )
      assert.equal(it.ask(name, T.a, { flags: 0 }).flags, 0x8080)
    }
    assert.equal(it.forwarded.length, 1)
  })

  test('sets AD only if settings and client request it', () => {
    const upstream = () => ({ flags: 0x81a0, answers: [aRecord('a.example', publicAddress)] })
    for (const [dnssec, flags, edns, expected] of [
      [true, 0x0120, undefined, 0x81a0],
      [true, 0x0100, { size: 1232, do: true }, 0x81a0],
      [true, 0x0100, undefined, 0x8180],
      [false, 0x0120, { size: 1232, do: true }, 0x8180],
    ] as const) {
      const it = createTestEngine({ upstream, settings: { dnssec } })
      assert.equal(it.ask('a.example', T.a, { flags, edns }).flags, expected)
      assert.equal(it.ask('a.example', T.a, { flags, edns }).flags, expected, 'from the cache')
      assert.equal((it.forwarded[0]!.flags & 0x20) !== 0, dnssec)
    }
  })

  test('is queried without anything that names the client, under a drawn case', () => {
    const it = createTestEngine({ upstream: () => ({ answers: [] }) })
    const query = encodeMessage({ name: 'a-rather-long-name.with-many-letters.example', type: T.aaaa, edns })
    // A client subnet: option 8.
    const withSubnet = Uint8Array.from([...query.subarray(0, -2), 0, 11, 0, 8, 0, 7, 0, 1, 24, 0, 10, 0, 0])
    it.send(withSubnet)
    it.send(withSubnet)
    const [first, second] = it.forwarded
    assert.deepEqual(
      [first!.type, first!.flags, first!.edns],
      [T.aaaa, 0x0100, { size: 1232, do: false, rcode: 0, errors: [] }],
    )
    assert.notEqual(first!.name, second!.name)
    assert.equal(first!.name!.toLowerCase(), 'a-rather-long-name.with-many-letters.example')
  })

  test('that is too long for the client is truncated over UDP and complete over TCP', () => {
    const answers = Array.from({ length: 60 }, (_, k) => aRecord('long.example', [203, 0, 113, k]))
    const it = createTestEngine({ upstream: () => ({ answers }) })
    for (const [size, isCut] of [
      [0, true],
      [512, true],
      [65_535, true],
    ] as const) {
      const { flags, answers, edns } = it.ask('long.example', T.a, size === 0 ? {} : { edns: { size } })
      assert.deepEqual([(flags & 0x200) !== 0, answers.length, edns?.size], [isCut, 0, size === 0 ? undefined : 1232])
    }
    it.engine.isStream = true
    assert.equal(it.ask('long.example').answers.length, 60)
    assert.equal(it.forwarded.length, 1)
    const fitting = createTestEngine({ upstream: () => ({ answers: answers.slice(0, 40) }) })
    assert.equal(fitting.ask('long.example', T.a, { edns }).answers.length, 40)
    assert.equal(fitting.ask('long.example').answers.length, 0)
    assert.equal(fitting.ask('long.example', T.a, { edns: { size: 1232 } }).answers.length, 40)
  })

  test('never exceeds the client’s size, including OPT', () => {
    let size = 0
    const txt = () => ({ name: 'a.example', type: T.txt, ttl: 60, data: new Uint8Array(size) })
    const it = createTestEngine({ cacheSize: 0, upstream: () => ({ answers: [txt()] }) })
    for (const [limit, edns] of [
      [512, undefined],
      [1232, { size: 4096 }],
    ] as const) {
      const around = 12 + 15 + 21 + (edns === undefined ? 0 : 11)
      let isWhole = 0
      for (size = limit - around - 20; size < limit; size++) {
        const { flags, answers } = it.ask('a.example', T.txt, { edns })
        assert.ok(around + size <= limit ? true : (flags & 0x200) !== 0 && answers.length === 0, `${size} bytes`)
        isWhole += answers.length
      }
      assert.ok(isWhole > 10)
    }
  })

  test('to ANY is a single HINFO record (RFC 8482)', () => {
    const { ask, forwarded } = createTestEngine()
    const { answers } = ask('a.example', T.any)
    assert.deepEqual(answers, [{ name: 'a.example', type: T.hinfo, class: 1, ttl: 3600, data: '075246433834383200' }])
    assert.equal(forwarded.length, 0)
  })

  test('passes on an upstream’s refusal, but not its OPT record', () => {
    const opt = { name: '', type: T.opt, ttl: 0, data: new Uint8Array(0) }
    const glue = aRecord('ns.example', [203, 0, 113, 1])
    const it = createTestEngine({
      upstream: () => ({ answers: [aRecord('a.example', publicAddress)], additionals: [glue, opt] }),
    })
    for (let k = 0; k < 2; k++) {
      const { additionals, edns } = it.ask('a.example')
      assert.deepEqual([additionals.length, edns], [1, undefined])
    }
    it.use(() => ({ flags: 0x8185 }))
    assert.equal(it.ask('refused.example').rcode, 5)
    it.use(() => ({ flags: 0x8182 }))
    const failed = it.ask('failed.example', T.a, { edns })
    assert.deepEqual([failed.rcode, failed.edns?.errors, it.engine.entry.traits], [2, [], 0])
    it.use(() => undefined)
    assert.deepEqual(it.ask('failed.example', T.a, { edns }).edns?.errors, [{ code: 22, text: '' }])
    assert.equal(it.engine.entry.traits, Trait.failed)
    // OPT with a cookie and the error "signatures do not fit" (6), with its own text.
    const data = Uint8Array.from([0, 10, 0, 1, 7, 0, 15, 0, 5, 0, 6, 98, 97, 100])
    it.use(() => ({ flags: 0x8182, additionals: [{ name: '', type: T.opt, ttl: 0, data }] }))
    assert.deepEqual(it.ask('bogus.example', T.a, { edns }).edns?.errors, [{ code: 6, text: '' }])
  })
})

describe('a malformed or unusual query', () => {
  const { send } = createTestEngine()
  const rcodeOf = (message: Uint8Array) => send(message)?.rcode
  const query = { name: 'a.example', type: T.a }

  test('gets the response code of a resolver', () => {
    assert.equal(rcodeOf(encodeMessage({ ...query, flags: 0x2900 })), 4, 'UPDATE')
    assert.equal(rcodeOf(encodeMessage({})), 1, 'no question')
    assert.equal(rcodeOf(encodeMessage({ ...query, type: 252 })), 5, 'AXFR')
    const soa = { name: 'a.example', type: T.soa, ttl: 0, data: new Uint8Array(22) }
    assert.equal(rcodeOf(encodeMessage({ ...query, type: 251, authorities: [soa] })), 5, 'IXFR')
    assert.equal(rcodeOf(encodeMessage({ ...query, class: 3 })), 5, 'CHAOS')
    assert.equal(rcodeOf(encodeMessage({ ...query, answers: [soa] })), 1, 'answers in a query')
    assert.equal(rcodeOf(encodeMessage({ ...query, type: T.opt })), 1)
    assert.equal(rcodeOf(encodeMessage({ ...query, type: 254 })), 4)
    const bad = send(encodeMessage({ ...query, edns: { size: 1232, version: 1 } }))!
    assert.deepEqual([bad.rcode, bad.edns?.rcode], [0, 1], 'BADVERS')
    const twice = encodeMessage({
      ...query,
      additionals: [{ name: '', type: T.opt, ttl: 0, data: new Uint8Array(0) }],
      edns,
    })
    assert.equal(rcodeOf(twice), 1, 'two OPT')
    assert.equal(rcodeOf(encodeMessage({ ...query, edns }).slice(0, -3)), 1, 'cut off')
  })

  test('gets no answer if it is not a query', () => {
    assert.equal(send(new Uint8Array(11)), undefined)
    assert.equal(send(encodeMessage({ ...query, flags: 0x8100 })), undefined)
  })

  test('is refused if its name is compressed, circular or too long', () => {
    const header = [...encodeMessage({}).subarray(0, 4), 0, 1, 0, 0, 0, 0, 0, 0]
    const end = [0, 1, 0, 1]
    for (const name of [
      [0xc0, 12],
      [1, 97, 0xc0, 12],
      [0xc0, 14, 0xc0, 12],
      [0xc0, 0],
      [...Array.from({ length: 126 }, () => [1, 97]).flat(), 2, 97, 98, 0],
      [64, ...Array(64).fill(97), 0],
      [...Array.from({ length: 128 }, () => [1, 97]).flat(), 0],
      [5, 97],
    ]) {
      assert.equal(rcodeOf(Uint8Array.from([...header, ...name, ...end])), 1, JSON.stringify(name))
    }
    const longest = [...Array.from({ length: 127 }, () => [1, 97]).flat(), 0]
    assert.equal(rcodeOf(Uint8Array.from([...header, ...longest, ...end])), 2, '255 bytes are a name')
  })
})

describe('names an answer points to', () => {
  const policy = policyOf({
    lists: [['||tracker.example^']],
    clients: [clientOf(1), clientOf(2, { filtering: false }), clientOf(3, { lists: [] }), clientOf(4)],
    rules: [ruleOf('allow shop.example', 4)],
  })
  const answers = [
    cname('shop.example', 'edge.example'),
    cname('edge.example', 'x.Tracker.example'),
    aRecord('x.tracker.example', publicAddress),
  ]

  test('are blocked for the clients that block them, fresh and from the cache', () => {
    for (const client of [1, 2, 3, 4]) {
      const it = createTestEngine({ policy, upstream: () => ({ answers }) })
      for (const from of ['upstream', 'cache']) {
        const isBlocked = client === 1
        const reply = it.ask('shop.example', T.a, { client, edns })
        assert.equal(reply.answers.length, isBlocked ? 1 : 3, `client ${client} from ${from}`)
        assert.deepEqual(reply.edns?.errors, isBlocked ? [{ code: 15, text: 'List 0' }] : [])
        assert.equal((it.engine.entry.traits & Trait.cname) !== 0, isBlocked)
        assert.equal(it.engine.entry.status, isBlocked ? Status.blocked : Status.allowed)
      }
      assert.equal(it.forwarded.length, 1)
    }
  })

  test('follow a rule change with the next query, without clearing the cache', () => {
    const it = createTestEngine({ policy, upstream: () => ({ answers }) })
    assert.equal(it.ask('shop.example', T.a, { client: 3 }).answers.length, 3)
    it.engine.use(policyOf({ rules: [ruleOf('block edge.example')] }))
    assert.equal(it.ask('shop.example', T.a, { client: 3 }).answers.length, 1)
    assert.deepEqual([it.engine.entry.reason, it.engine.entry.traits], [Reason.rule, Trait.cached | Trait.cname])
    it.engine.use(policyOf({}))
    assert.equal(it.ask('shop.example', T.a, { client: 3 }).answers.length, 3)
    assert.equal(it.forwarded.length, 1)
  })

  test('are checked in HTTPS records too', () => {
    const data = Uint8Array.from([0, 1, ...wireName('tracker.example')!])
    const it = createTestEngine({
      policy,
      upstream: () => ({ answers: [{ name: 'a.example', type: https, ttl: 60, data }] }),
    })
    assert.deepEqual([it.ask('a.example', https).answers.length, it.engine.entry.traits], [0, Trait.cname])
  })

  test('that cannot be parsed turn the answer into SERVFAIL', () => {
    // A CNAME whose target points at itself: behind header, question (15) and the record's head (10 + 11).
    const data = Uint8Array.from([0xc0, 12 + 15 + 21])
    const it = createTestEngine({
      upstream: () => ({ answers: [{ name: 'a.example', type: T.cname, ttl: 60, data }] }),
    })
    assert.equal(it.ask('a.example').rcode, 2)
    assert.equal(it.ask('a.example').rcode, 2)
  })
})

describe('compressed answers', () => {
  // www.shop.example: 4 + 5 + 8 + 1 = 18 bytes from 12 on, so records start at 34. First a CNAME to cdn.shop.example.
  const answer = [
    [0xc0, 12, 0, T.cname, 0, 1, 0, 0, 0, 60, 0, 6, 3, 99, 100, 110, 0xc0, 16],
    [0xc0, 46, 0, T.a, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 9],
  ].flat()
  const query = encodeMessage({ name: 'WWW.shop.example', type: T.a })

  test('stay intact from upstream to client and cache, and are parsed', () => {
    const { engine } = createTestEngine()
    const u = new Uint8Array(300)
    assert.equal(engine.handleQuery(query, 0, query.length, 0), Outcome.forward)
    const end = engine.writeUpstream(u, 0, 5) - 11
    const message = Uint8Array.from([...u.subarray(0, end), ...answer])
    message.set([0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0], 2)
    assert.ok(engine.accept(message, 0, message.length, u, 0))
    const length = engine.finish({
      query,
      queryAt: 0,
      queryLength: query.length,
      client: 0,
      answer: message,
      answerAt: 0,
      answerLength: message.length,
    })
    const expected = [
      ['WWW.shop.example', T.cname, 'cdn.shop.example'],
      ['cdn.shop.example', T.a, 'cb007109'],
    ]
    const summary = (n: number) =>
      decodeMessage(engine.out.slice(0, n)).answers.map(({ name, type, data }) => [name, type, data])
    assert.deepEqual(summary(length), expected)
    assert.deepEqual(summary(engine.handleQuery(query, 0, query.length, 0)), expected)
    engine.use(policyOf({ lists: [['||cdn.shop.example^']] }))
    assert.deepEqual(summary(engine.handleQuery(query, 0, query.length, 0)), [['WWW.shop.example', T.a, '00000000']])
  })
})

describe('private addresses in answers', () => {
  const hint = Uint8Array.from([0, 1, 0, 0, 4, 0, 4, 192, 168, 1, 1])
  const cases: [string, number, Parameters<typeof aRecord>[1] | Uint8Array][] = [
    ['10/8', T.a, [10, 1, 2, 3]],
    ['172.16/12', T.a, [172, 31, 0, 1]],
    ['loopback', T.a, [127, 0, 0, 1]],
    ['this host', T.a, [0, 0, 0, 0]],
    ['metadata', T.a, [169, 254, 169, 254]],
    ['shared', T.a, [100, 64, 0, 1]],
    ['::1', T.aaaa, [...Array(15).fill(0), 1]],
    ['fd00::/8', T.aaaa, [0xfd, ...Array(15).fill(1)]],
    ['fe80::/10', T.aaaa, [0xfe, 0x80, ...Array(14).fill(1)]],
    ['mapped', T.aaaa, [...Array(10).fill(0), 255, 255, 192, 168, 0, 1]],
    ['NAT64', T.aaaa, [0, 0x64, 0xff, 0x9b, ...Array(8).fill(0), 10, 0, 0, 1]],
    ['hint', https, hint],
  ]

  test('are removed, except for allowed domains', () => {
    for (const [what, type, given] of cases) {
      const record = { name: 'nas.example', type, ttl: 60, data: Uint8Array.from(given) }
      const it = createTestEngine({ upstream: () => ({ answers: [record] }) })
      for (let k = 0; k < 2; k++) {
        const { answers } = it.ask('nas.example', type)
        assert.notDeepEqual(
          answers.map(({ ttl }) => ttl),
          [60],
          what,
        )
        assert.deepEqual([it.engine.entry.status, it.engine.entry.reason], [Status.blocked, Reason.privateAnswer], what)
      }
      it.engine.configure({ ...it.settings, privateAnswersAllowed: [wireName('example')!] })
      assert.equal(it.ask('nas.example', type).answers[0]!.ttl, 60, what)
      it.engine.configure({ ...it.settings, privateAnswersAllowed: [wireName('as.example')!] })
      assert.equal(it.ask('nas.example', type).answers[0]?.ttl === 60, false, 'only whole labels')
      it.engine.configure({ ...it.settings, blockPrivateAnswers: false })
      assert.equal(it.ask('nas.example', type).answers[0]!.ttl, 60, what)
      assert.equal(it.forwarded.length, 1)
    }
  })

  test('are distinguished from public ones', () => {
    for (const address of [
      [9, 255, 255, 255],
      [11, 0, 0, 0],
      [172, 32, 0, 1],
      [172, 15, 0, 1],
      [100, 128, 0, 1],
      [192, 167, 0, 1],
      [0x20, 1, 0x0d, 0xb8, ...Array(12).fill(0)],
    ]) {
      const it = createTestEngine({ upstream: () => ({ answers: [aRecord('a.example', address, 60)] }) })
      assert.equal(it.ask('a.example', address.length === 4 ? T.a : T.aaaa).answers[0]!.ttl, 60, address.join('.'))
    }
  })
})

describe('answers of upstreams', () => {
  const { engine } = createTestEngine()
  const query = encodeMessage({ name: 'some-name.example', type: T.a })
  const forward = (id: number) => {
    assert.equal(engine.handleQuery(query, 0, query.length, 0), Outcome.forward)
    const u = new Uint8Array(300)
    return u.slice(0, engine.writeUpstream(u, 0, id))
  }
  const asAnswer = (sent: Uint8Array) => Uint8Array.from(sent, (byte, k) => (k === 2 ? 0x81 : byte))

  test('must repeat the id and question byte for byte', () => {
    const sent = forward(0xabcd)
    const good = asAnswer(sent)
    assert.ok(engine.accept(good, 0, good.length, sent, 0))
    for (let at = 0; at < 12 + 19 + 4; at++) {
      if (at === 3 || (at >= 6 && at < 12)) continue
      const forged = good.slice()
      forged[at]! ^= at === 2 ? 0x80 : 0x20
      assert.equal(engine.accept(forged, 0, forged.length, sent, 0), false, `byte ${at}`)
    }
    for (let n = 0; n < 35; n++) assert.equal(engine.accept(good, 0, n, sent, 0), false)
  })

  test('are shared by identical questions', () => {
    const hashes = (...[name, type, more]: Parameters<ReturnType<typeof createTestEngine>['ask']>) => {
      const query = encodeMessage({ ...more, name, type: type ?? T.a })
      assert.equal(engine.handleQuery(query, 0, query.length, 0), Outcome.forward)
      return `${engine.questionHash1} ${engine.questionHash2}`
    }
    const plain = hashes('a.example')
    assert.equal(hashes('A.eXample', T.a, { id: 7, edns }), plain)
    const others = [
      hashes('b.example'),
      hashes('a.example', T.aaaa),
      hashes('a.example', T.a, { edns: { size: 512, do: true } }),
      hashes('a.example', T.a, { flags: 0x0110 }),
    ]
    assert.equal(new Set([plain, ...others]).size, 5)
  })

  test('never reach a client that queried something else', () => {
    const sent = forward(1)
    const answer = asAnswer(sent)
    const other = encodeMessage({ name: 'other.example', type: T.a })
    const length = engine.finish({
      query: other,
      queryAt: 0,
      queryLength: other.length,
      client: 0,
      answer,
      answerAt: 0,
      answerLength: answer.length,
    })
    assert.ok(length > 0)
    assert.equal(engine.out[3]! & 15, 2)
    // Types 65 and 97 differ as the letters A and a do.
    const [asked, answered] = [65, 97].map((type) =>
      encodeMessage({ name: 'a.example', type, flags: type === 65 ? 0x100 : 0x8180 }),
    )
    const whole = { query: asked!, queryAt: 0, queryLength: asked!.length, client: 0 }
    engine.finish({ ...whole, answer: answered!, answerAt: 0, answerLength: answered!.length })
    assert.equal(engine.out[3]! & 15, 2)
  })
})
