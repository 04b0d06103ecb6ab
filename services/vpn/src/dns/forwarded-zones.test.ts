import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { aRecord, cname, createTestEngine, type TestUpstream } from '../../test/dns-engines.ts'
import { T } from '../../test/dns-messages.ts'
import { policyOf, recordOf, ruleOf } from '../../test/dns-policies.ts'
import { Reason, Status } from './policy/verdict.ts'

/** An upstream whose answers say which group was asked. */
const byGroup: TestUpstream = ({ name }, group) => ({ answers: [aRecord(name ?? '', [10, 9, 0, group])] })
const groupOf = (data: string | undefined) =>
  data?.startsWith('0a0900') === true ? Number(`0x${data.slice(6)}`) : data

describe('a forwarded zone', () => {
  const zones = { 'corp.example': 1, 'lab.corp.example': 2, '10.in-addr.arpa': 3, 'home.arpa': 4 }

  test('takes its own name and all below it, the longest zone first, and no others', () => {
    const it = createTestEngine({
      policy: policyOf({ zones }),
      settings: { blockPrivateAnswers: false },
      upstream: byGroup,
    })
    for (const [name, group] of [
      ['corp.example', 1],
      ['CORP.example', 1],
      ['a.b.corp.example', 1],
      ['lab.corp.example', 2],
      ['x.lab.corp.example', 2],
      ['example', 0],
      ['notcorp.example', 0],
      ['corp.example.org', 0],
      ['5.1.2.10.in-addr.arpa', 3],
      ['nas.home.arpa', 4],
    ] as const)
      assert.equal(groupOf(it.ask(name).answers[0]?.data), group, name)
    assert.equal(it.ask('5.1.168.192.in-addr.arpa', 12).rcode, 3, 'other local zones stay local')
  })

  test('may answer with private addresses, and its aliases too', () => {
    const policy = policyOf({ zones, records: [recordOf('www.home.example CNAME intra.corp.example')] })
    const it = createTestEngine({
      policy,
      upstream: ({ name }, group) => ({
        answers: [cname(name!, 'host.corp.example'), aRecord('host.corp.example', [192, 168, 0, group])],
      }),
    })
    assert.equal(it.ask('intra.corp.example').answers.at(-1)?.data, 'c0a80001')
    assert.equal(it.ask('www.home.example').answers.at(-1)?.data, 'c0a80001')
    const public_ = it.ask('www.public.example')
    assert.equal(public_.answers[0]?.data, '00000000')
    assert.equal(it.engine.entry.reason, Reason.privateAnswer)
  })

  test('comes after rules, local records and lists', () => {
    const policy = policyOf({
      zones,
      records: [recordOf('nas.corp.example A 192.0.2.5'), recordOf('box.office.home.arpa A 192.0.2.6')],
      rules: [ruleOf('block secret.corp.example'), ruleOf('allow ads.corp.example')],
      lists: [['||ads.corp.example^', '||track.corp.example^']],
    })
    const it = createTestEngine({ policy, upstream: byGroup })
    assert.equal(it.ask('nas.corp.example').answers[0]?.data, 'c0000205')
    assert.equal(it.ask('secret.corp.example').answers[0]?.data, '00000000')
    assert.equal(it.ask('track.corp.example').answers[0]?.data, '00000000')
    assert.equal(it.forwarded.length, 0)
    assert.equal(groupOf(it.ask('ads.corp.example').answers[0]?.data), 1)
    // A name that exists only because of a record below it is the zone's.
    assert.equal(groupOf(it.ask('office.home.arpa').answers[0]?.data), 4)
    assert.equal(it.ask('box.office.home.arpa').answers[0]?.data, 'c0000206')
  })

  test('is forwarded while filtering is off or paused, too', () => {
    for (const settings of [{ blockingEnabled: false }, { pausedUntil: 2 ** 52 }]) {
      const it = createTestEngine({ policy: policyOf({ zones, settings }), upstream: byGroup })
      assert.equal(groupOf(it.ask('nas.home.arpa').answers[0]?.data), 4)
      assert.equal(groupOf(it.ask('a.example').answers[0]?.data), 0)
    }
  })

  test('has answers of its own in the cache: before, after and while it has other servers', () => {
    const it = createTestEngine({ policy: policyOf({}), settings: { blockPrivateAnswers: false }, upstream: byGroup })
    const use = (some: Record<string, number>) => it.engine.use(policyOf({ zones: some }))
    const ask = () => groupOf(it.ask('host.corp.example').answers[0]?.data)
    assert.equal(ask(), 0)
    use({ 'corp.example': 1 })
    assert.equal(ask(), 1)
    use({ 'corp.example': 2 })
    assert.equal(ask(), 2)
    use({})
    assert.deepEqual([ask(), it.forwarded.length], [0, 3])
    use({ 'corp.example': 2 })
    assert.deepEqual([ask(), it.forwarded.length], [2, 3])
  })

  test('has SERVFAIL when no server answers, and its own outdated answer where that is allowed', () => {
    const it = createTestEngine({ policy: policyOf({ zones }), upstream: byGroup })
    it.ask('a.corp.example')
    it.use(() => undefined)
    assert.equal(it.ask('b.corp.example').rcode, 2)
    it.wait(400)
    assert.equal(groupOf(it.ask('a.corp.example').answers[0]?.data), 1)
    it.engine.use(policyOf({}))
    assert.equal(it.ask('a.corp.example').rcode, 2, 'not for others')
  })
})

test('the group of a query that was written for an upstream is that of its name, letters in whatever case', () => {
  const labels = fc.constantFrom('a', 'corp', 'example', 'lab', 'x-1')
  const domain = fc.array(labels, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('.'))
  fc.assert(
    fc.property(fc.uniqueArray(domain, { maxLength: 8 }), domain, (zones, name) => {
      const policy = policyOf({ zones: Object.fromEntries(zones.map((zone, n) => [zone, n + 1])) })
      const it = createTestEngine({ policy, upstream: byGroup, settings: { blockPrivateAnswers: false } })
      const within = zones.filter((zone) => name === zone || name.endsWith(`.${zone}`))
      const longest = within.toSorted((one, other) => other.length - one.length)[0]
      const expected = longest === undefined ? 0 : zones.indexOf(longest) + 1
      assert.equal(groupOf(it.ask(name).answers[0]?.data), expected, name)
      const u = new Uint8Array(400)
      it.engine.writeUpstream(u, 0, 1)
      const { route } = it.engine
      route.find(policy, u, 0)
      assert.deepEqual([route.group, route.scope], [expected, 100 * expected])
      assert.equal(it.engine.entry.status, Status.allowed)
    }),
  )
})

test('a reverse zone of an IPv6 network is found among names of 34 labels', () => {
  const zone = '8.b.d.0.1.0.0.2.ip6.arpa'
  const whole = `${'0.'.repeat(24)}${zone}`
  const it = createTestEngine({ policy: policyOf({ zones: { [zone]: 1, [whole]: 2 } }), upstream: byGroup })
  assert.deepEqual(
    [`1.${'0.'.repeat(23)}${zone}`, whole].map((name) => groupOf(it.ask(name, T.a).answers[0]?.data)),
    [1, 2],
  )
})
