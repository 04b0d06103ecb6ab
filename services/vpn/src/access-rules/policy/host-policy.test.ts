import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@hearth/testing'
import { randomPolicy, randomQuestion } from '../../../test/access-policies.ts'
import { Decider } from './decide.ts'
import { closedPolicyOfHost, policyOfHost } from './host-policy.ts'
import { createNetworkTest, tunnelNetworks } from './policy.ts'

const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000)
const isHere = (name: string) => name === 'wg0'

test('the policy of a host decides of its peers as the whole one does, for what is not of other hosts', () => {
  const random = createRandom(seed)
  const counted = { allow: 0, deny: 0 }
  for (let round = 0; round < 300; round += 1) {
    const policy = randomPolicy(random, { left: 'wg0', right: 'wg1' })
    const elsewhere = policyOfHost(policy, (name) => !isHere(name))
    const isElsewhere = createNetworkTest(tunnelNetworks(elsewhere))
    const resolvers = new Set(elsewhere.interfaces.flatMap((one) => one.resolvers))
    const whole = new Decider(policy)
    const parts = [policyOfHost, closedPolicyOfHost].map((cut) => new Decider(cut(policy, isHere)))
    for (let number = 0; number < 40; number += 1) {
      const question = randomQuestion(random, ['tcp', 'udp', 'icmp'])
      const from = policy.peers.get(question.from)
      if (from?.interface !== 'wg0' || isElsewhere(question.to) || resolvers.has(question.to)) continue
      const { action } = whole.decide(question)
      counted[action] += 1
      for (const part of parts)
        assert.equal(part.decide(question).action, action, `seed ${seed}: ${JSON.stringify(question)}`)
    }
  }
  assert.ok(counted.allow > 300 && counted.deny > 300, JSON.stringify(counted))
})

test('nothing of other hosts is in a closed policy', () => {
  const random = createRandom(seed)
  for (let round = 0; round < 100; round += 1) {
    const policy = randomPolicy(random, { left: 'wg0', right: 'wg1' })
    const { interfaces, peers, groups, rules } = closedPolicyOfHost(policy, isHere)
    assert.deepEqual(
      interfaces.map(({ name }) => name),
      ['wg0'],
    )
    const ids = new Set(peers.keys())
    for (const peer of peers.values()) assert.deepEqual([peer.interface, peer.tags], ['wg0', []])
    for (const group of groups.values()) {
      assert.ok(group.peers.size > 0 && group.peers.isSubsetOf(ids), `seed ${seed}`)
      assert.deepEqual(group.tags, [])
    }
    for (const { from, to } of rules)
      for (const one of [from, to])
        if (one.kind === 'peer') assert.ok(ids.has(one.id), `seed ${seed}`)
        else if (one.kind === 'group') assert.ok(groups.has(one.id), `seed ${seed}`)
  }
})
