import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aRecord, cname, createTestEngine } from '../../test/dns-engines.ts'
import { T, soaData } from '../../test/dns-messages.ts'
import { clientOf, policyOf, recordOf, ruleOf } from '../../test/dns-policies.ts'
import { Reason, Status, Trait } from './policy/verdict.ts'

const ptr = 12
const shown = (records: readonly { name: string; type: number; ttl: number; data: string }[]) =>
  records.map(({ name, type, ttl, data }) => [name, type, ttl, data])

describe('a name with local records', () => {
  const records = [
    recordOf('nas.home.example A 192.168.1.5'),
    recordOf('nas.home.example A 192.168.1.6'),
    recordOf('nas.home.example AAAA fd00::5'),
    recordOf('*.home.example A 192.168.1.9', undefined, 60),
    recordOf('*.lab.home.example A 192.168.1.10'),
    recordOf('box.office.home.arpa A 192.168.1.11'),
  ]

  test('is answered with all its values, whatever the lists say, and asks no upstream', () => {
    const it = createTestEngine({ policy: policyOf({ records, lists: [['||home.example^']] }) })
    const answer = it.ask('NAS.home.Example')
    assert.deepEqual(shown(answer.answers), [
      ['NAS.home.Example', T.a, 300, 'c0a80105'],
      ['NAS.home.Example', T.a, 300, 'c0a80106'],
    ])
    assert.equal(answer.flags & 0x0400, 0x0400, 'it has authority')
    const { entry } = it.engine
    assert.deepEqual([entry.status, entry.reason, entry.rcode, entry.traits], [Status.allowed, Reason.local, 0, 0])
    assert.deepEqual(it.ask('nas.home.example', T.aaaa).answers[0]?.data, `fd00${'0'.repeat(26)}05`)
    assert.equal(it.forwarded.length, 0)
  })

  test('has no data of other types, for a minute', () => {
    const it = createTestEngine({ policy: policyOf({ records }) })
    for (const type of [T.mx, T.https, 43]) {
      const { rcode, answers, authorities } = it.ask('nas.home.example', type, { edns: { size: 1232 } })
      assert.deepEqual([rcode, answers.length, authorities.map(({ type: t, ttl }) => [t, ttl])], [0, 0, [[T.soa, 60]]])
    }
    assert.equal(it.ask('nas.home.example', T.any).answers[0]?.type, T.hinfo)
    assert.equal(it.forwarded.length, 0)
  })

  test('leaves names beside and below it to the upstreams', () => {
    const it = createTestEngine({
      policy: policyOf({ records: records.slice(0, 3) }),
      upstream: ({ name }) => ({ answers: [aRecord(name!, [203, 0, 113, 7])] }),
    })
    for (const name of ['home.example', 'a.nas.home.example', 'tv.home.example'])
      assert.equal(it.ask(name).answers[0]?.data, 'cb007107')
    assert.equal(it.forwarded.length, 3)
  })

  test('comes before a wildcard, and the closest wildcard before others', () => {
    const it = createTestEngine({ policy: policyOf({ records }) })
    assert.deepEqual(shown(it.ask('tv.home.example').answers), [['tv.home.example', T.a, 60, 'c0a80109']])
    assert.equal(it.ask('a.b.tv.home.example').answers[0]?.data, 'c0a80109')
    assert.equal(it.ask('x.lab.home.example').answers[0]?.data, 'c0a8010a')
    assert.equal(it.ask('lab.home.example').answers[0]?.data, 'c0a80109')
    assert.equal(it.ask('nas.home.example', T.mx).answers.length, 0)
    assert.equal(it.ask('home.example').rcode, 2, 'the parent of a wildcard is not covered by it')
  })

  test('may lie in a local zone, whose other names do not exist', () => {
    const it = createTestEngine({ policy: policyOf({ records }) })
    assert.equal(it.ask('box.office.home.arpa').answers[0]?.data, 'c0a8010b')
    assert.deepEqual(
      [it.ask('office.home.arpa').rcode, it.ask('home.arpa').rcode, it.ask('tv.home.arpa').rcode],
      [0, 0, 3],
    )
  })

  test('yields to a rule that blocks it, and not to one that allows it, nor to a pause', () => {
    const clients = [clientOf(1), clientOf(2), clientOf(3, { filtering: false })]
    const rules = [ruleOf('block nas.home.example', 2), ruleOf('allow home.example')]
    const policy = policyOf({ records, clients, rules })
    const it = createTestEngine({ policy })
    for (const [client, data] of [
      [1, 'c0a80105'],
      [2, '00000000'],
      [3, 'c0a80105'],
    ] as const)
      assert.equal(it.ask('nas.home.example', T.a, { client }).answers[0]?.data, data, `client ${client}`)
    const paused = createTestEngine({ policy: policyOf({ records, settings: { pausedUntil: 2 ** 52 } }) })
    assert.equal(paused.ask('nas.home.example').answers[0]?.data, 'c0a80105')
  })

  test('may be another one for the clients of a gateway', () => {
    const at = (gateway: string, text: string) => ({ ...recordOf(text), gateway })
    const clients = ['10.8.0.1', '192.168.7.1', '10.10.0.1', undefined].map((gateway, n) =>
      clientOf(n + 1, gateway === undefined ? {} : { gateway }),
    )
    const own = [
      recordOf('my.vpn A 10.8.0.1'),
      recordOf('my.vpn AAAA fd08::1'),
      recordOf('way.vpn CNAME my.vpn'),
      at('10.8.0.1', 'my.vpn A 10.8.0.1'),
      at('192.168.7.1', 'my.vpn A 192.168.7.1'),
    ]
    const it = createTestEngine({ policy: policyOf({ records: own, clients }) })
    const answered = (client: number, type: number, name = 'my.vpn') =>
      it.ask(name, type, { client }).answers.map(({ data }) => data)
    for (const [client, data] of [
      [1, '0a080001'],
      [2, 'c0a80701'],
      [3, '0a080001'],
      [4, '0a080001'],
      [0, '0a080001'],
    ] as const)
      assert.deepEqual(answered(client, T.a), [data], `client ${client}`)
    assert.deepEqual(answered(2, T.a, 'way.vpn'), ['my.vpn', 'c0a80701'], 'also behind an alias')
    assert.deepEqual([answered(2, T.aaaa).length, answered(3, T.aaaa).length], [0, 1], 'with all its types')
  })

  test('is cut for a datagram and whole over TCP', () => {
    const many = Array.from({ length: 90 }, (_, n) => recordOf(`many.example A 10.0.0.${n}`))
    const it = createTestEngine({ policy: policyOf({ records: many }) })
    const cut = it.ask('many.example')
    assert.deepEqual([cut.flags & 0x0200, cut.answers.length], [0x0200, 0])
    it.engine.isStream = true
    assert.equal(it.ask('many.example', T.a, { edns: { size: 1232 } }).answers.length, 90)
  })

  test('has a reverse name like any other', () => {
    const policy = policyOf({ records: [recordOf('5.1.168.192.in-addr.arpa PTR nas.home.example')] })
    const it = createTestEngine({ policy })
    assert.equal(it.ask('5.1.168.192.in-addr.arpa', ptr).answers[0]?.data, 'nas.home.example')
    assert.deepEqual(
      [it.ask('6.1.168.192.in-addr.arpa', ptr).rcode, it.ask('1.168.192.in-addr.arpa', ptr).rcode],
      [3, 0],
    )
  })
})

describe('a local CNAME record', () => {
  const records = [
    recordOf('www.home.example CNAME nas.home.example'),
    recordOf('nas.home.example A 192.168.1.5'),
    recordOf('blog.home.example CNAME pages.host.example'),
    recordOf('old.home.example CNAME blog.home.example'),
    recordOf('loop.home.example CNAME pool.home.example'),
    recordOf('pool.home.example CNAME loop.home.example'),
    recordOf('printer.home.example CNAME printer.local'),
  ]
  const policy = policyOf({ records, lists: [['||ads.example^']] })
  const hosted = { policy, upstream: () => ({ answers: [aRecord('pages.host.example', [203, 0, 113, 7], 90)] }) }

  test('leads to other local records', () => {
    const it = createTestEngine({ policy })
    assert.deepEqual(shown(it.ask('www.home.example').answers), [
      ['www.home.example', T.cname, 300, 'nas.home.example'],
      ['nas.home.example', T.a, 300, 'c0a80105'],
    ])
    assert.deepEqual(shown(it.ask('www.home.example', T.cname).answers), [
      ['www.home.example', T.cname, 300, 'nas.home.example'],
    ])
    const none = it.ask('www.home.example', T.mx)
    assert.deepEqual([none.rcode, none.answers.length, none.authorities[0]?.name], [0, 1, 'nas.home.example'])
  })

  test('leads to a public name, which an upstream is asked for once', () => {
    const it = createTestEngine(hosted)
    const expected = [
      ['old.home.example', T.cname, 300, 'blog.home.example'],
      ['blog.home.example', T.cname, 300, 'pages.host.example'],
      ['pages.host.example', T.a, 90, 'cb007107'],
    ]
    assert.deepEqual(shown(it.ask('old.home.example').answers), expected)
    assert.equal(it.engine.entry.traits, 0)
    assert.deepEqual(shown(it.ask('old.home.example', T.a, { edns: { size: 1232 } }).answers), expected)
    assert.deepEqual([it.engine.entry.traits, it.engine.entry.reason], [Trait.cached, Reason.local])
    assert.deepEqual(
      it.forwarded.map(({ name }) => name?.toLowerCase()),
      ['pages.host.example'],
    )
    assert.equal(it.ask('pages.host.example').answers.length, 1, 'the same answer, for the name itself')
    assert.equal(it.forwarded.length, 1)
  })

  test('hands on that its target does not exist', () => {
    const soa = { name: 'host.example', type: T.soa, ttl: 60, data: soaData(60) }
    const it = createTestEngine({ policy, upstream: () => ({ flags: 0x8183, authorities: [soa] }) })
    for (let round = 0; round < 2; round++) {
      const { rcode, answers, authorities } = it.ask('blog.home.example')
      assert.deepEqual([rcode, answers.length, authorities[0]?.name], [3, 1, 'host.example'])
    }
    assert.equal(it.ask('printer.home.example').rcode, 3, 'a name of a local zone')
    assert.equal(it.forwarded.length, 1)
  })

  test('does not lead past rules, lists and the protection against rebinding', () => {
    const blocked = policyOf({
      records: [...records, recordOf('way.home.example CNAME x.ads.example')],
      lists: [['||ads.example^']],
      rules: [ruleOf('block pages.host.example')],
    })
    const it = createTestEngine({ policy: blocked })
    for (const name of ['way.home.example', 'old.home.example']) {
      assert.equal(it.ask(name).answers[0]?.data, '00000000')
      assert.deepEqual([it.engine.entry.status, it.engine.entry.traits], [Status.blocked, Trait.cname])
    }
    const cloaked = createTestEngine({
      policy,
      upstream: () => ({ answers: [cname('pages.host.example', 'ads.example')] }),
    })
    for (let round = 0; round < 2; round++) assert.equal(cloaked.ask('blog.home.example').answers[0]?.data, '00000000')
    const rebinding = createTestEngine({
      policy,
      upstream: () => ({ answers: [aRecord('pages.host.example', [10, 0, 0, 1])] }),
    })
    for (let round = 0; round < 2; round++) {
      assert.equal(rebinding.ask('blog.home.example').answers[0]?.data, '00000000')
      assert.equal(rebinding.engine.entry.reason, Reason.privateAnswer)
    }
  })

  test('in a loop, or to nobody who answers, is a server failure', () => {
    const it = createTestEngine({ policy })
    assert.deepEqual([it.ask('loop.home.example').rcode, it.ask('blog.home.example').rcode], [2, 2])
  })

  test('is cut for a datagram when names without compression do not fit', () => {
    const target = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example`
    const upstream = () => ({
      answers: Array.from({ length: 7 }, (_, n) => aRecord(`${n}.${target}`, [203, 0, 113, n])),
    })
    const it = createTestEngine({ policy: policyOf({ records: [recordOf(`w.example CNAME ${target}`)] }), upstream })
    assert.equal(it.ask('w.example', T.a, { edns: { size: 1232 } }).flags & 0x0200, 0x0200)
    it.engine.isStream = true
    assert.equal(it.ask('w.example', T.a).answers.length, 8)
  })
})
