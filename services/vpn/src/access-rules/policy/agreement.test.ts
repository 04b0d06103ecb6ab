import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@hearth/testing'
import { hostIn, randomPolicy, randomQuestion } from '../../../test/access-policies.ts'
import { Decider, type Question } from './decide.ts'
import { createNetworkTest, type Policy, type PolicyPeer } from './policy.ts'
import { PolicyCompiler } from './ruleset.ts'
import type { NamedSet, Ruleset } from './ruleset-parts.ts'

const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000)
const numbers = { icmp: [1, 58], tcp: [6, 6], udp: [17, 17] }

test('the compiled rules do what the decision says, for 10 000 random questions', () => {
  const random = createRandom(seed)
  const counted = { allow: 0, deny: 0 }
  for (let round = 0; round < 200; round += 1) {
    const policy = randomPolicy(random, { left: 'wg0', right: 'wg1' })
    const [decider, ruleset] = [new Decider(policy), new PolicyCompiler().compile(policy, 'a')]
    for (let number = 0; number < 50; number += 1) {
      const question = randomQuestion(random, ['tcp', 'udp', 'icmp'])
      const { action, steps } = decider.decide(question)
      const passed = passes(ruleset, policy, question) ? 'allow' : 'deny'
      assert.equal(passed, action, `seed ${seed}: ${JSON.stringify(question)}\n${steps.join('\n')}`)
      counted[action] += 1
    }
  }
  assert.ok(counted.allow > 1000 && counted.deny > 1000, JSON.stringify(counted))
})

test('rules that change one after another compile to the same as each by itself', () => {
  const random = createRandom(seed)
  for (let round = 0; round < 60; round += 1) {
    const compiler = new PolicyCompiler()
    let policy = randomPolicy(random, { left: 'wg0', right: 'wg1' })
    for (let step = 0; step < 8; step += 1) {
      const { rules, interfaces } = randomPolicy(random, { left: 'wg0', right: 'wg1' })
      // Mostly one rule comes, goes or is another one; now and then peers and groups are others too.
      const kept = policy.rules.filter(() => random() < 0.8)
      const next = { ...policy, interfaces, rules: [...kept, ...rules.slice(0, 1)] }
      policy = random() < 0.1 ? randomPolicy(random, { left: 'wg0', right: 'wg1' }) : next
      const [after, alone] = [compiler, new PolicyCompiler()].map((each) => each.compile(policy, 'a'))
      assert.deepEqual(shown(after), shown(alone), `seed ${seed}, step ${step}`)
    }
  }
})

test('a change of one rule leaves the elements of all that it does not speak of as they are', () => {
  const random = createRandom(seed)
  const policy = randomPolicy(random, { left: 'wg0', right: 'wg1' })
  const compiler = new PolicyCompiler()
  const from = { kind: 'group', id: 'g0' } as const
  const to = { kind: 'network', network: '203.0.113.0/24' } as const
  const rule = { id: 'new', number: 99, from, to, protocol: 'any', ports: [], action: 'deny' } as const
  const others = {
    id: 'old',
    number: 98,
    from,
    to: { kind: 'group', id: 'g1' },
    protocol: 'any',
    ports: [],
    action: 'deny',
  } as const
  const before = compiler.compile({ ...policy, rules: [others] }, 'a')
  const after = compiler.compile({ ...policy, rules: [others, rule] }, 'b')
  for (const name of ['networks4', 'local4', 'gg1_4', 'from6', 'from6_nets'])
    assert.equal(after.sets.get(name)?.elements, before.sets.get(name)?.elements, name)
})

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1)

/** A ruleset whose sets have whatever order. */
const shown = (ruleset: Ruleset | undefined) => ({
  chains: new Map([...(ruleset?.chains ?? [])].toSorted(byName)),
  sets: [...(ruleset?.sets ?? [])]
    .map(([name, { elements, ...set }]) => [name, { ...set, elements: [...elements].toSorted(byName) }] as const)
    .toSorted(byName),
})

/** True when the first packet of a connection is let through: follows the chains as the kernel does, without its memory. */
function passes(ruleset: Ruleset, policy: Policy, question: Question): boolean {
  const peer = policy.peers.get(question.from)
  assert.ok(peer !== undefined)
  const isIpv6 = question.to.includes(':')
  const own = peer.addresses[isIpv6 ? 1 : 0] ?? ''
  const sources = [own, ...peer.networks.filter((text) => text.includes(':') === isIpv6).map(hostIn)]
  const verdicts = new Set(sources.map((source) => isLetThrough(ruleset, policy, { peer, source, question })))
  assert.equal(verdicts.size, 1, `hosts behind ${peer.name} are judged as it is`)
  return verdicts.has(true)
}

function isLetThrough(
  ruleset: Ruleset,
  policy: Policy,
  { peer, source, question }: { peer: PolicyPeer; source: string; question: Question },
): boolean {
  const isIpv6 = question.to.includes(':')
  const packet = {
    saddr: source,
    daddr: question.to,
    interface: peer.interface,
    l4proto: numbers[question.protocol][isIpv6 ? 1 : 0] ?? 0,
    port: question.port,
  }
  const isToGateway = policy.interfaces.some(({ addresses }) => addresses.includes(question.to))
  if (isToGateway && !ruleset.chains.has('gateway4')) return true
  const verdict = follow(ruleset, `${isToGateway ? 'gateway' : 'judge'}${isIpv6 ? 6 : 4}`, packet)
  assert.ok(verdict !== undefined, 'every packet is decided')
  return verdict === 'accept'
}

type Packet = { saddr: string; daddr: string; interface: string; l4proto: number; port: number | undefined }
type Verdict = 'accept' | 'drop' | undefined

function follow(ruleset: Ruleset, chain: string, packet: Packet): Verdict {
  const lines = ruleset.chains.get(chain)
  assert.ok(lines !== undefined, `there is a chain ${chain}`)
  for (const line of lines) {
    const rest = matched(ruleset, line, packet)
    if (rest === undefined) continue
    const [verb, target = ''] = rest.split(' ')
    if (verb === 'accept' || verb === 'drop') return verb
    const verdict = follow(ruleset, target, packet)
    if (verb === 'goto' || verdict !== undefined) return verdict
  }
  return undefined
}

/** The verdict of a line that matches, in words of nft; undefined when it does not, or is about memory alone. */
function matched(ruleset: Ruleset, line: string, packet: Packet): string | undefined {
  if (line.includes('@let_') || line.includes('@cut_')) return undefined
  let rest = line.replaceAll(/ct original ip6? /g, '')
  const take = (pattern: RegExp) => {
    const found = pattern.exec(rest)
    if (found !== null) rest = rest.slice(found[0].length)
    return found?.[1]
  }
  for (let part = 0; part < 10; part += 1) {
    if (rest.startsWith('saddr vmap @'))
      return verdictOf(ruleset.sets.get(rest.slice('saddr vmap @'.length)), packet.saddr)
    const list = take(/^daddr (!= @\w+|@\w+|\{[^}]*\}|\S+) /)
    if (list !== undefined) {
      if (!isIn(ruleset, list, packet.daddr)) return undefined
      continue
    }
    const source = take(/^saddr (@\w+|\{[^}]*\}|\S+) /)
    if (source !== undefined) {
      if (!isIn(ruleset, source, packet.saddr)) return undefined
      continue
    }
    const protocol = take(/^meta l4proto (\{[^}]*\}|\d+) /)
    if (protocol !== undefined) {
      if (!(protocol.match(/\d+/g) ?? []).map(Number).includes(packet.l4proto)) return undefined
      continue
    }
    const ports = take(/^ct original proto-dst (\{[^}]*\}|\d+) /)
    if (ports !== undefined) {
      const ranges = ports.match(/\d+(-\d+)?/g) ?? []
      const isPort = ranges.some((range) => {
        const [first = 0, last = first] = range.split('-').map(Number)
        return packet.port !== undefined && packet.port >= first && packet.port <= last
      })
      if (!isPort) return undefined
      continue
    }
    const dns = take(/^((?:udp|tcp) dport \d+) /)
    if (dns !== undefined) {
      const number = dns.startsWith('udp') ? 17 : 6
      if (packet.l4proto !== number || !dns.endsWith(` ${packet.port}`)) return undefined
      continue
    }
    const direction = take(/^ct direction (\w+) /)
    if (direction === 'reply') return undefined
    const link = take(/^iifname @(\w+) /)
    if (link !== undefined) {
      if (ruleset.sets.get(link)?.elements.has(`"${packet.interface}"`) !== true) return undefined
      continue
    }
    if (direction === undefined) return rest
  }
  return undefined
}

/** The verdict of a map for an address, or for the network that it is in. */
function verdictOf(map: NamedSet | undefined, address: string): string | undefined {
  for (const [element, verdict] of map?.elements ?? [])
    if (element === address || (element.includes('/') && createNetworkTest([element])(address))) return verdict
  return undefined
}

function isIn(ruleset: Ruleset, list: string, address: string): boolean {
  if (list.startsWith('!= ')) return !isIn(ruleset, list.slice(3), address)
  const texts = list.startsWith('@')
    ? [...(ruleset.sets.get(list.slice(1))?.elements.keys() ?? [])]
    : list.replaceAll(/[{}\s]/g, '').split(',')
  const ofFamily = texts.filter((text) => text.includes(':') === address.includes(':'))
  return createNetworkTest(
    ofFamily.map((text) => (text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`)),
  )(address)
}
