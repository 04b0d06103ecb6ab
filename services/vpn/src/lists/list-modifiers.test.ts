import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Decider } from '../dns/policy/decide.ts'
import { explain } from '../dns/policy/explain.ts'
import { modifierNames } from '../dns/policy/modifier-names.ts'
import { buildPolicy, openPolicy, type Policy } from '../dns/policy/policy.ts'
import { Reason, Status } from '../dns/policy/verdict.ts'
import { clientOf } from '../../test/dns-policies.ts'
import { nameOf } from '../../test/dns-messages.ts'
import { compileLists } from './compile-lists.ts'

const clients = [
  clientOf(1, { name: 'Ada’s phone' }),
  clientOf(2, { name: 'nas, upstairs' }),
  clientOf(3, { lists: ['list-1'] }),
]

/** A policy with these lists in Adblock's syntax, list k with the id `list-k`. */
function policyWith(...texts: readonly string[]): Policy {
  const lists = texts.map((_, number) => ({
    number,
    id: `list-${number}`,
    name: `List ${number}`,
    format: 'adblock' as const,
    sha256: '',
  }))
  const { bundle } = compileLists(lists, ({ number }) => new TextEncoder().encode(texts[number]))
  const settings = { blockingEnabled: true, pausedUntil: 0, forwardedZones: [] }
  return openPolicy(buildPolicy({ bundle: bundle.memory, clients, rules: [], settings }))
}

const reportOf = (text: string) =>
  compileLists([{ number: 0, id: 'one', name: 'one', format: 'adblock', sha256: '' }], () =>
    new TextEncoder().encode(text),
  ).reports[0]!

/** Decision and its modifiers; explain must return the same. */
function decide(policy: Policy, domain: string, { type = 1, client = 1 } = {}): string {
  const decider = new Decider()
  decider.type = type
  decider.decide(policy, nameOf(domain), client, false, null)
  const explained = explain(policy, { domain, client, type, now: 0 })
  assert.deepEqual(
    explained.verdict,
    { status: decider.status, reason: decider.reason, source: decider.source },
    domain,
  )
  const deciding = explained.matches.filter(({ isDeciding }) => isDeciding)
  assert.equal(deciding.length, decider.reason === Reason.none ? 0 : 1, `${domain}: ${JSON.stringify(explained)}`)
  const modifiers = modifierNames(decider.traits)
  assert.deepEqual(deciding[0]?.modifiers ?? [], modifiers)
  return [decider.status === Status.blocked ? 'blocked' : 'allowed', ...modifiers].join(' ')
}

const [A, AAAA, HTTPS] = [1, 28, 65]

describe('modifiers of list rules', () => {
  test('$dnstype applies to the named types, or to all others', () => {
    const policy = policyWith('||only.example^$dnstype=AAAA|HTTPS\n||not.example^$dnstype=~A\n')
    assert.equal(decide(policy, 'x.only.example', { type: AAAA }), 'blocked dnstype')
    assert.equal(decide(policy, 'only.example', { type: HTTPS }), 'blocked dnstype')
    assert.equal(decide(policy, 'only.example', { type: A }), 'allowed')
    assert.equal(decide(policy, 'not.example', { type: A }), 'allowed')
    assert.equal(decide(policy, 'not.example', { type: 16 }), 'blocked dnstype')
    assert.equal(decide(policy, 'other.example', { type: AAAA }), 'allowed')
  })

  test('$denyallow excludes names and their subdomains', () => {
    const policy = policyWith('||top^$denyallow=good.top|also.good.example\n*$denyallow=example|top\n')
    assert.equal(decide(policy, 'bad.top'), 'blocked denyallow')
    assert.equal(decide(policy, 'good.top'), 'allowed')
    assert.equal(decide(policy, 'www.good.top'), 'allowed')
    assert.equal(decide(policy, 'notgood.top'), 'blocked denyallow')
    assert.equal(decide(policy, 'anything.net'), 'blocked denyallow')
    assert.equal(decide(policy, 'www.example'), 'allowed')
  })

  test('$client matches peers by name, address and network only', () => {
    const policy = policyWith(
      String.raw`||name.example^$client=Ada’s phone
||quoted.example^$client='nas\, upstairs'
||address.example^$client=10.0.0.2
||network.example^$client=10.0.0.0/31
||six.example^$client=fd00::2
||but.example^$client=~10.0.0.1|~'nas\, upstairs'
`,
    )
    for (const [domain, expected] of [
      ['name', [1]],
      ['quoted', [2]],
      ['address', [2]],
      ['network', [1]],
      ['six', [2]],
      ['but', [3, 99]],
    ] as const)
      for (const client of [1, 2, 3, 99]) {
        const isMeant = (expected as readonly number[]).includes(client) && client !== 3
        const isExpected = client === 3 ? false : isMeant
        assert.equal(
          decide(policy, `${domain}.example`, { client }),
          isExpected ? 'blocked client' : 'allowed',
          `${domain} ${client}`,
        )
      }
  })

  test('$ctag: peers have no tags, so a rule for a tag never applies and one against a tag always does', () => {
    const policy = policyWith('||tagged.example^$ctag=device_phone\n||untagged.example^$ctag=~device_phone|~os_ios\n')
    assert.equal(decide(policy, 'tagged.example'), 'allowed')
    assert.equal(decide(policy, 'untagged.example'), 'blocked client')
    assert.deepEqual(reportOf('||a.example^$ctag=device_toaster\n').unsupported, { 'unknown tag in ctag': 1 })
  })

  test('exceptions, $important and patterns keep their order with modifiers', () => {
    const policy = policyWith(
      [
        '||shop.example^',
        '@@||shop.example^$dnstype=AAAA',
        '||shop.example^$important,dnstype=HTTPS',
        'banner*.example$dnstype=A',
        '/^track[0-9]+\\.example$/$denyallow=track7.example',
      ].join('\n'),
    )
    assert.equal(decide(policy, 'shop.example', { type: A }), 'blocked')
    assert.equal(decide(policy, 'shop.example', { type: AAAA }), 'allowed dnstype')
    assert.equal(decide(policy, 'shop.example', { type: HTTPS }), 'blocked dnstype')
    assert.equal(decide(policy, 'banner12.example', { type: A }), 'blocked dnstype')
    assert.equal(decide(policy, 'banner12.example', { type: AAAA }), 'allowed')
    assert.equal(decide(policy, 'track12.example'), 'blocked denyallow')
    assert.equal(decide(policy, 'track7.example'), 'allowed')
  })

  test('a peer uses only its own lists', () => {
    const policy = policyWith('||one.example^$dnstype=A\n', '||two.example^$dnstype=A\n')
    assert.equal(decide(policy, 'one.example', { client: 3 }), 'allowed')
    assert.equal(decide(policy, 'two.example', { client: 3 }), 'blocked dnstype')
  })

  test('$badfilter disables the rule with the same modifiers in any order', () => {
    const policy = policyWith(
      [
        '||a.example^$dnstype=A,denyallow=x.a.example',
        '||a.example^$denyallow=x.a.example,badfilter,dnstype=A',
        '||b.example^$dnstype=A',
        '||b.example^$badfilter',
      ].join('\n'),
    )
    assert.equal(decide(policy, 'a.example'), 'allowed')
    assert.equal(decide(policy, 'b.example'), 'blocked dnstype')
  })

  test('$dnsrewrite precedes blocks and exceptions, and its own exceptions disable it', () => {
    const policy = policyWith(
      [
        '||nas.example^$dnsrewrite=192.0.2.7',
        '||gone.example^$dnsrewrite=NXDOMAIN',
        '@@||gone.example^',
        '||both.example^$dnsrewrite=NOERROR;A;192.0.2.8',
        '@@||x.both.example^$dnsrewrite',
        '@@||y.both.example^$dnsrewrite=192.0.2.8',
        '@@||z.both.example^$dnsrewrite=192.0.2.9',
      ].join('\n'),
    )
    assert.equal(decide(policy, 'nas.example'), 'allowed dnsrewrite')
    assert.equal(decide(policy, 'gone.example'), 'blocked dnsrewrite')
    assert.equal(decide(policy, 'x.both.example'), 'allowed')
    assert.equal(decide(policy, 'y.both.example'), 'allowed')
    assert.equal(decide(policy, 'z.both.example'), 'allowed dnsrewrite')
  })

  test('an unsupported modifier drops the whole rule, with a reason', () => {
    const text = [
      '||a.example^$dnstype=NOTYPE',
      '||b.example^$denyallow=x..y',
      '||c.example^$dnsrewrite=other.example',
      '||d.example^$dnsrewrite=NOERROR;TXT;hello',
      '||e.example^$dnsrewrite',
      '||f.example^$client=',
      '||g.example^$third-party',
      '||h.example^$whatever',
    ].join('\n')
    assert.deepEqual(reportOf(text).unsupported, {
      'unknown type in dnstype': 1,
      'wrong value of denyallow': 1,
      'dnsrewrite to a name': 1,
      'dnsrewrite to another type': 1,
      'empty dnsrewrite': 1,
      'wrong value of client': 1,
      'modifier third-party': 1,
      'unknown modifier': 1,
    })
  })

  test('addresses in an answer are checked against address rules', () => {
    const policy = policyWith(
      '||192.0.2.1^\n@@||192.0.2.2^\n||192.0.2.2^\n||[2001:db8::1]^$dnstype=AAAA\n|192.0.2.3^$client=10.0.0.2\n',
    )
    const answered = (client: number, ...addresses: string[]) => {
      const { verdict, matches } = explain(
        policy,
        { domain: 'www.example', client, now: 0 },
        { targets: [], addresses },
      )
      return `${verdict.status === Status.blocked ? 'blocked' : 'allowed'} ${matches.find((m) => m.isDeciding)?.text ?? ''}`
    }
    assert.equal(answered(1, '192.0.2.9', '192.0.2.1'), 'blocked ||192.0.2.1^')
    assert.equal(answered(1, '192.0.2.2', '192.0.2.3').slice(0, 7), 'allowed')
    assert.equal(answered(2, '192.0.2.3'), 'blocked |192.0.2.3^$client=10.0.0.2')
    assert.equal(answered(1, '2001:db8::1'), 'blocked ||[2001:db8::1]^$dnstype=AAAA')
  })
})
