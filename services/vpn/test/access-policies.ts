import type { Question } from '../src/access-rules/policy/decide.ts'
import type { Policy, PolicyGroup, PolicyPeer, PolicyRule, Target } from '../src/access-rules/policy/policy.ts'

/** A source of numbers from 0 to below 1. */
type Random = () => number

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** Two interfaces with peers of both families, and rules about them and what lies behind the gateway. */
export function randomPolicy(random: Random, names: { readonly left: string; readonly right: string }): Policy {
  const peers = Array.from({ length: 12 }, (_, index): PolicyPeer => {
    const isLeft = index < 6
    const number = (index % 6) + 2
    const net = isLeft ? 77 : 78
    return {
      id: `p${index}`,
      name: `peer ${index}`,
      interface: isLeft ? names.left : names.right,
      addresses: [`10.${net}.0.${number}`, `fd${net}::${number}`],
      networks: random() < 0.3 ? [`172.${net - 60}.${number}.0/24`, `fd${net}:b:${number}::/48`] : [],
      tags: random() < 0.3 ? ['tagged'] : [],
      isIsolated: false,
    }
  })
  const groups = Array.from({ length: 5 }, (_, index): PolicyGroup => {
    const members = peers.filter(() => random() < 0.35).map(({ id }) => id)
    return { id: `g${index}`, name: `group ${index}`, peers: new Set(members), tags: random() < 0.3 ? ['tagged'] : [] }
  })
  const otherwise = () => pick(random, ['allow', 'deny'] as const)
  const interfaces = [
    { name: names.left, net: 77 },
    { name: names.right, net: 78 },
  ].map(({ name, net }) => ({
    name,
    networks: [`10.${net}.0.0/24`, `fd${net}::/64`],
    addresses: [`10.${net}.0.1`, `fd${net}::1`],
    resolvers: random() < 0.5 ? ['198.51.100.2'] : [],
    forwarding: true,
    otherwise: otherwise(),
  }))
  const ids = { peers: peers.map(({ id }) => id), groups: groups.map(({ id }) => id) }
  return {
    interfaces,
    peers: new Map(peers.map((peer) => [peer.id, peer])),
    groups: new Map(groups.map((group) => [group.id, group])),
    rules: Array.from({ length: Math.floor(random() * 14) }, (_, index) => ({
      ...randomRule(random, ids),
      id: `r${index}`,
      number: index + 1,
    })),
  }
}

function randomRule(random: Random, ids: { peers: string[]; groups: string[] }): Omit<PolicyRule, 'id' | 'number'> {
  const subjects: (() => PolicyRule['from'])[] = [
    () => ({ kind: 'everybody' }),
    () => ({ kind: 'group', id: pick(random, ids.groups) }),
    () => ({ kind: 'group', id: pick(random, ids.groups) }),
    () => ({ kind: 'peer', id: pick(random, ids.peers) }),
  ]
  const networks = [
    '192.168.50.0/24',
    '10.78.0.0/29',
    '198.51.100.2/32',
    'fd78::/125',
    '2001:db8::/32',
    '0.0.0.0/0',
    '::/0',
  ]
  const targets: (() => Target)[] = [
    ...subjects,
    () => ({ kind: 'network', network: pick(random, networks) }),
    () => ({ kind: 'internet' }),
    () => ({ kind: 'gateway' }),
  ]
  const protocol = pick(random, ['any', 'tcp', 'udp', 'icmp'] as const)
  const hasPorts = protocol === 'tcp' || protocol === 'udp'
  const ranges = [
    [80, 80],
    [1000, 2000],
    [1500, 3000],
    [443, 444],
  ] as const
  return {
    from: pick(random, subjects)(),
    to: pick(random, targets)(),
    protocol,
    ports: hasPorts && random() < 0.6 ? ranges.filter(() => random() < 0.5) : [],
    action: pick(random, ['allow', 'deny'] as const),
  }
}

/** Addresses that questions are about, besides those of peers: the gateway, a private network, the internet, and nobody's. */
export const destinations = {
  right: ['10.78.0.2', '10.78.0.3', '10.78.0.4', '10.78.0.5', 'fd78::2', 'fd78::3', 'fd78::4', '10.78.0.99'],
  outside: ['192.168.50.2', '198.51.100.2', '203.0.113.2', '2001:db8::2', 'fd99::2'],
  gateway: ['10.77.0.1', 'fd77::1'],
  /** Behind the third and the fourth peer on the right, in policies where they have networks. */
  behind: ['172.18.4.9', '172.18.5.9', 'fd78:b:4::9'],
}

/** A host in one of the networks behind peers. */
export const hostIn = (network: string): string => network.replace(/\.0\/24$/, '.9').replace(/::\/48$/, '::9')

/** Ports that questions are about. */
export const probedPorts = [53, 80, 443, 1800, 2500]

/** A question of a peer on the left. */
export function randomQuestion(random: Random, protocols: readonly Question['protocol'][]): Question {
  const protocol = pick(random, protocols)
  const to = pick(random, Object.values(destinations).flat())
  return {
    from: `p${Math.floor(random() * 6)}`,
    to,
    protocol,
    port: protocol === 'icmp' ? undefined : pick(random, probedPorts),
  }
}
