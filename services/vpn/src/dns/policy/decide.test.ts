import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { nameOf } from '../../../test/dns-messages.ts'
import { clientOf, policyOf, ruleOf } from '../../../test/dns-policies.ts'
import { type Situation, decideSlowly } from '../../../test/dns-reference.ts'
import { Decider } from './decide.ts'
import { explain } from './explain.ts'
import { type Policy, isPausedAt } from './policy.ts'
import { Row, precedence } from './precedence.ts'
import { Reason, Status } from './verdict.ts'

const now = 1_790_000_000_000
const decider = new Decider()

function decide(policy: Policy, name: string, client: number) {
  decider.decide(policy, nameOf(name), client, isPausedAt(policy, now), null)
  const { status, reason, source, row } = decider
  return { status, reason, source, row }
}

/** Each row of the table, as something that can be switched on for the name `a.example`, in the order in which they count. */
const steps: readonly { row: number; status: number; reason: number; add(situation: Draft): void }[] = [
  { row: Row.off, status: Status.allowed, reason: Reason.off, add: (s) => (s.isFiltering = false) },
  { row: Row.off, status: Status.allowed, reason: Reason.off, add: (s) => (s.filtering = false) },
  {
    row: Row.clientRule,
    status: Status.allowed,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('allow a.example', 1)),
  },
  {
    row: Row.clientRule,
    status: Status.blocked,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('block a.example', 1)),
  },
  {
    row: Row.clientRule,
    status: Status.allowed,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('allow *.example', 1)),
  },
  {
    row: Row.clientRule,
    status: Status.blocked,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('block example', 1)),
  },
  {
    row: Row.globalRule,
    status: Status.allowed,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('allow a.example')),
  },
  {
    row: Row.globalRule,
    status: Status.blocked,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('block a.example')),
  },
  {
    row: Row.globalRule,
    status: Status.allowed,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('allow example')),
  },
  {
    row: Row.globalRule,
    status: Status.blocked,
    reason: Reason.rule,
    add: (s) => s.rules.push(ruleOf('block *.example')),
  },
  {
    row: Row.important,
    status: Status.allowed,
    reason: Reason.list,
    add: (s) => s.lists[1]!.push('@@||example^$important'),
  },
  {
    row: Row.important,
    status: Status.blocked,
    reason: Reason.list,
    add: (s) => s.lists[0]!.push('||a.example^$important'),
  },
  { row: Row.exception, status: Status.allowed, reason: Reason.list, add: (s) => s.lists[1]!.push('@@*.example') },
  { row: Row.block, status: Status.blocked, reason: Reason.list, add: (s) => s.lists[0]!.push('|a.example|') },
]

interface Draft {
  isFiltering: boolean
  filtering: boolean
  rules: ReturnType<typeof ruleOf>[]
  lists: string[][]
}

describe('the precedence table', () => {
  test('for every combination of steps, the first that applies decides: all 16384 combinations', () => {
    for (let set = 0; set < 2 ** steps.length; set++) {
      const draft: Draft = { isFiltering: true, filtering: true, rules: [], lists: [[], []] }
      const chosen = steps.filter((_, k) => ((set >> k) & 1) === 1)
      for (const step of chosen) step.add(draft)
      const policy = policyOf({
        lists: draft.lists,
        clients: [clientOf(1, { filtering: draft.filtering }), clientOf(2)],
        rules: draft.rules,
        settings: { blockingEnabled: draft.isFiltering },
      })
      const { status, reason, row } = decide(policy, 'a.example', 1)
      const first = chosen[0] ?? { row: Row.nothing, status: Status.allowed, reason: Reason.none }
      assert.deepEqual(
        { status, reason, row },
        { status: first.status, reason: first.reason, row: first.row },
        `set ${set}`,
      )
    }
  })

  test('is published completely, in evaluation order', () => {
    assert.deepEqual(
      precedence.map(({ row }) => row),
      [0, 1, 11, 2, 10, 6, 8, 9, 3, 4, 5, 7],
    )
    assert.deepEqual(new Set(precedence.map(({ row }) => row)), new Set(Object.values(Row)))
  })

  test('a rule for d covers d and its subdomains, one for *.d only subdomains', () => {
    const policy = policyOf({ rules: [ruleOf('block d.example'), ruleOf('block *.w.example')] })
    const blocked = (name: string) => decide(policy, name, 0).status === Status.blocked
    assert.ok(blocked('d.example') && blocked('x.d.example') && blocked('y.x.D.Example'))
    assert.ok(!blocked('dd.example') && !blocked('example') && !blocked('xd.example'))
    assert.ok(blocked('x.w.example') && blocked('y.x.w.example') && !blocked('w.example'))
  })

  test('one peer’s rules do not apply to others, and a peer uses only its own lists', () => {
    const policy = policyOf({
      lists: [['||ads.example^'], ['||social.example^']],
      clients: [clientOf(1, { lists: ['list-1', 'gone'] }), clientOf(2), clientOf(3, { lists: [] })],
      rules: [ruleOf('allow ads.example', 2), ruleOf('block news.example', 2)],
    })
    const row = (name: string) => [0, 1, 2, 3].map((client) => decide(policy, name, client).status).join('')
    assert.equal(row('ads.example'), '1000')
    assert.equal(row('social.example'), '1110')
    assert.equal(row('news.example'), '0010')
  })

  test('exactly the special names are denied, unless a rule allows them or filtering is off', () => {
    for (const name of ['use-application-dns.net', 'mask.icloud.com', 'mask-h2.icloud.com']) {
      const special = { status: Status.blocked, reason: Reason.special, source: 0, row: Row.special }
      assert.deepEqual(decide(policyOf({}), name, 0), special)
      assert.deepEqual(decide(policyOf({ lists: [[`@@||${name}^`]] }), name.toUpperCase(), 0), special)
      assert.equal(decide(policyOf({}), `www.${name}`, 0).row, Row.nothing)
      assert.equal(decide(policyOf({ rules: [ruleOf(`allow ${name}`)] }), name, 0).status, Status.allowed)
      assert.equal(decide(policyOf({ settings: { pausedUntil: now + 1 } }), name, 0).row, Row.off)
    }
    assert.equal(decide(policyOf({ settings: { pausedUntil: now } }), 'mask.icloud.com', 0).row, Row.special)
  })
})

const label = fc.constantFrom('a', 'b', 'ads', 'com')
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
const entry = fc
  .tuple(fc.boolean(), fc.constantFrom('||', '|', '*.'), domain, fc.boolean())
  .map(([isAllow, kind, name, isImportant]) => {
    const end = kind === '||' ? '^' : kind === '|' ? '|' : ''
    return `${isAllow ? '@@' : ''}${kind}${name}${end}${isImportant ? '$important' : ''}`
  })
const situation: fc.Arbitrary<Situation> = fc.record({
  isFiltering: fc.integer({ min: 0, max: 9 }).map((k) => k > 0),
  lists: fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 4 }),
  clients: fc
    .array(
      fc.record({
        filtering: fc.integer({ min: 0, max: 9 }).map((k) => k > 0),
        lists: fc.option(fc.subarray(['list-0', 'list-1', 'list-2', 'list-3'])),
      }),
      { maxLength: 3 },
    )
    .map((clients) => clients.map((client, k) => clientOf(k + 1, client))),
  rules: fc
    .array(fc.tuple(fc.constantFrom('block', 'allow'), fc.boolean(), domain, fc.integer({ min: 0, max: 3 })), {
      maxLength: 6,
    })
    .map((rules) =>
      rules.map(([action, isBelow, name, client], k) =>
        ruleOf(`${action} ${isBelow ? '*.' : ''}${name}`, client, k + 1),
      ),
    ),
})

describe('decisions', () => {
  test('match a slow reference implementation, and so do explanations', () => {
    fc.assert(
      fc.property(
        situation,
        fc.array(domain, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 4 }),
        (given, names, client) => {
          const policy = policyOf({ ...given, settings: { blockingEnabled: given.isFiltering } })
          for (const name of names) {
            const expected = decideSlowly(given, name, client)
            assert.deepEqual(decide(policy, name, client), expected)
            const explained = explain(policy, { domain: name, client, now })
            assert.deepEqual({ ...explained.verdict, row: explained.row }, expected)
            const deciding = explained.matches.filter(({ isDeciding }) => isDeciding)
            const isNamed = expected.reason === Reason.rule || expected.reason === Reason.list
            assert.deepEqual(
              deciding.map(({ kind, source }) => [kind, source]),
              isNamed ? [[expected.reason === Reason.rule ? 'rule' : 'list', expected.source]] : [],
            )
            // Whatever decides stands before all that it outdoes.
            if (isNamed) assert.equal(explained.matches[0], deciding[0])
          }
        },
      ),
      { numRuns: 3000 },
    )
  })
})

describe('explanations', () => {
  const policy = policyOf({
    lists: [
      ['||tracker.example^', '|www.shop.example|'],
      ['@@*.cdn.tracker.example', '||tracker.example^$important'],
    ],
    clients: [clientOf(1), clientOf(2, { lists: ['list-0'] })],
    rules: [ruleOf('allow shop.example', 0, 7), ruleOf('block *.shop.example', 1, 8)],
  })

  test('list all matches in order of precedence, as written in the lists', () => {
    const { verdict, matches } = explain(policy, { domain: 'a.cdn.tracker.example', client: 1, now })
    assert.deepEqual(verdict, { status: Status.blocked, reason: Reason.list, source: 1 })
    assert.deepEqual(
      matches.map(({ source, action, text, important, isDeciding }) => [source, action, text, important, isDeciding]),
      [
        [1, 'block', '||tracker.example^', true, true],
        [1, 'allow', '*.cdn.tracker.example', false, false],
        [0, 'block', '||tracker.example^', false, false],
      ],
    )
    const shop = explain(policy, { domain: 'WWW.shop.example.', client: 1, now })
    assert.deepEqual(
      shop.matches.map(({ scope, text }) => [scope, text]),
      [
        ['client', '*.shop.example'],
        ['global', '||shop.example^'],
        [null, '|www.shop.example|'],
      ],
    )
    assert.equal(shop.verdict.source, 8)
  })

  test('follow the names an answer points to, unless the queried one was allowed itself', () => {
    const targets = ['edge.example', 'x.tracker.example', 'never.example']
    const cloaked = explain(policy, { domain: 'metrics.example', client: 2, now }, { targets, addresses: [] })
    assert.equal(cloaked.name, 'x.tracker.example')
    assert.deepEqual(cloaked.verdict, { status: Status.blocked, reason: Reason.list, source: 0 })
    const allowed = explain(policy, { domain: 'shop.example', client: 2, now }, { targets, addresses: [] })
    assert.deepEqual([allowed.verdict.status, allowed.verdict.reason, allowed.name], [0, Reason.rule, 'shop.example'])
  })

  test('say when filtering is off, and what would match', () => {
    const paused = policyOf({ lists: [['||ads.example^']], settings: { pausedUntil: now + 1000 } })
    const { verdict, matches } = explain(paused, { domain: 'ads.example', client: 0, now })
    assert.deepEqual(verdict, { status: Status.allowed, reason: Reason.off, source: 0 })
    assert.deepEqual(
      matches.map(({ text, isDeciding }) => [text, isDeciding]),
      [['||ads.example^', false]],
    )
    assert.throws(() => explain(paused, { domain: 'a..b', client: 0, now }), RangeError)
  })
})
