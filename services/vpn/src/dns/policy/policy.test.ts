import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nameOf } from '../../../test/dns-messages.ts'
import { bundleOf, clientOf, policyOf, ruleOf } from '../../../test/dns-policies.ts'
import { Decider } from './decide.ts'
import { Meaning } from './membership.ts'
import { type Policy, buildPolicy, openPolicy } from './policy.ts'
import { buildRuleTable, openRuleTable } from './rule-table.ts'
import { Reason, Status } from './verdict.ts'

const settings = { blockingEnabled: true, pausedUntil: 0, forwardedZones: [] }
const decider = new Decider()
const decide = (policy: Policy, name: string, client = 0) => {
  decider.decide(policy, nameOf(name), client, false, null)
  return [decider.status, decider.reason, decider.source]
}

describe('a policy', () => {
  test('holds rules for thousands of clients and can be passed between threads', () => {
    const clients = Array.from({ length: 3000 }, (_, k) => clientOf(k + 1, { addresses: [] }))
    const rules = clients.flatMap(({ number }) => [
      ruleOf(`block site${number}.example`, number, number),
      ruleOf(`block common.example`, number, 10_000 + number),
    ])
    const memory = buildPolicy({ bundle: bundleOf([]).memory, clients, rules, settings })
    const policy = openPolicy(structuredClone(memory))
    assert.equal(policy.rules.count, 6000)
    for (let number = 1; number <= 3000; number++) {
      assert.deepEqual(decide(policy, `www.site${number}.example`, number), [Status.blocked, Reason.rule, number])
      assert.deepEqual(decide(policy, 'common.example', number), [Status.blocked, Reason.rule, 10_000 + number])
      assert.equal(decide(policy, `site${number}.example`, (number % 3000) + 1)[0], Status.allowed)
    }
    assert.equal(decide(policy, 'common.example')[0], Status.allowed)
  })

  test('rejects rules and lists that do not belong together', () => {
    const memory = buildPolicy({ bundle: bundleOf([]).memory, clients: [], rules: [], settings })
    const other = bundleOf([], { first: 1, second: 2 }).memory
    assert.throws(() => openPolicy({ ...memory, bundle: other }), /another bundle/)
    assert.throws(() => openRuleTable(new SharedArrayBuffer(32)), /no table of rules/)
    const whole = buildRuleTable([ruleOf('block a.example')], { first: 1, second: 2 })
    const cut = new SharedArrayBuffer(whole.byteLength - 4)
    new Uint8Array(cut).set(new Uint8Array(whole).subarray(0, cut.byteLength))
    assert.throws(() => openRuleTable(cut), /cut off/)
  })

  test('counts patterns as list entries', () => {
    const { bundle, ...rest } = policyOf({
      lists: [['@@||good.example^'], []],
      clients: [clientOf(1, { lists: ['list-0'] })],
    })
    const policy: Policy = {
      ...rest,
      bundle: { ...bundle, patterns: new Int32Array(1) },
      patterns: {
        match(name, length, found) {
          if (Buffer.from(name.subarray(0, length)).includes('track')) found[Meaning.blocks]! |= 2
        },
      },
    }
    assert.deepEqual(decide(policy, 'my-tracker.example'), [Status.blocked, Reason.list, 1])
    assert.deepEqual(decide(policy, 'tracker.good.example'), [Status.allowed, Reason.list, 0])
    assert.deepEqual(decide(policy, 'plain.example'), [Status.allowed, Reason.none, 0])
    assert.deepEqual(decide(policy, 'my-tracker.example', 1), [Status.allowed, Reason.none, 0])
  })
})
