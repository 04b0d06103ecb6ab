import { join } from 'node:path'
import type { Policy, PolicyPeer, PolicyRule } from '../src/access-rules/policy/policy.ts'
import { PolicyCompiler } from '../src/access-rules/policy/ruleset.ts'
import { openAccessTable } from '../src/access-rules/policy/table.ts'
import { createCommandRunner } from '../src/wireguard/command.ts'
import { createHost, hostsObstacle, joinHosts } from '../test/network-hosts.ts'
import { areAllWithin, measure, tableOf } from './scenario/measurement.ts'

/**
 * `npm run bench -- vpn/access [PEERS] [RULES]`: what access rules cost. Packets pass a gateway without rules, with one, and with
 * 500 rules about 50 groups of 10 000 peers; then a peer and a rule come and go. Ends with 1 when a limit is missed.
 */

const streamProgram = join(import.meta.dirname, '../test/stream-server.ts')
const rounds = 3
const groupCount = 50

/** A policy whose rules let the one real peer reach the world at the very end. */
function policyOf(on: string, peerCount: number, ruleCount: number): Policy {
  const peers = Array.from({ length: peerCount }, (_, index): PolicyPeer => {
    const host = index + 2
    const address = `10.64.${host >> 8}.${host & 255}`
    return {
      id: `p${index}`,
      name: `p${index}`,
      interface: on,
      addresses: [address],
      networks: [],
      tags: [],
      isIsolated: false,
    }
  })
  const groups = Array.from({ length: groupCount }, (_, index) => ({
    id: `g${index}`,
    name: `g${index}`,
    peers: new Set(peers.filter((_peer, at) => at % groupCount === index).map(({ id }) => id)),
    tags: [],
  }))
  const rules = Array.from({ length: ruleCount }, (_, index): PolicyRule => {
    const isLast = index === ruleCount - 1
    const ports = [[1000 + index, 1001 + index] as const]
    return {
      id: `r${index}`,
      number: index + 1,
      from: { kind: 'group', id: isLast ? 'g0' : `g${index % groupCount}` },
      to: isLast
        ? { kind: 'network', network: '192.168.64.0/24' }
        : { kind: 'group', id: `g${(index * 7) % groupCount}` },
      ...(isLast ? { protocol: 'any', ports: [] } : { protocol: 'tcp', ports }),
      action: isLast ? 'allow' : 'deny',
    }
  })
  const own = { networks: ['10.64.0.0/16'], addresses: ['10.64.0.1'], resolvers: [], forwarding: true }
  return {
    interfaces: [{ name: on, ...own, otherwise: ruleCount === 0 ? 'allow' : 'deny' }],
    peers: new Map(peers.map((peer) => [peer.id, peer])),
    groups: new Map(groups.map((group) => [group.id, group])),
    rules,
  }
}

/** A gateway with the real peer on one side and the world on the other. */
async function openHosts(cleanup: AsyncDisposableStack) {
  const gateway = cleanup.use(await createHost('access'))
  const peer = cleanup.use(await createHost('peer'))
  const world = cleanup.use(await createHost('world'))
  const [on] = await joinHosts([gateway, ['10.64.0.1/16']], [peer, ['10.64.0.2/16']])
  await joinHosts([gateway, ['192.168.64.1/24']], [world, ['192.168.64.2/24']])
  await gateway.run('sysctl', '-qw', 'net.ipv4.ip_forward=1')
  await peer.run('ip', 'route', 'add', 'default', 'via', '10.64.0.1')
  await world.run('ip', 'route', 'add', 'default', 'via', '192.168.64.1')
  // NAT and isolation need the connection table with or without rules.
  await gateway.run(
    'nft',
    'add table inet conntrack; add chain inet conntrack f { type filter hook forward priority 0; }',
  )
  await gateway.run('nft', 'add rule inet conntrack f ct state invalid counter')
  const child = world.start(process.execPath, streamProgram, 'serve', '192.168.64.2')
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())),
  )
  return {
    gateway,
    on,
    /** Mbit/s of a TCP stream. */
    stream: async () => Number(await peer.run(process.execPath, streamProgram, 'down', '192.168.64.2', port)),
    /** Microseconds there and back, of 20 000 echoes one after another. */
    echo: async () => {
      const said = await peer.run('ping', '-f', '-q', '-c', '20000', '192.168.64.2')
      return Number(/= [\d.]+\/([\d.]+)\//.exec(said)?.[1]) * 1000
    },
  }
}

async function main(peerCount: number, ruleCount: number): Promise<boolean> {
  const obstacle = await hostsObstacle()
  if (obstacle !== null) throw new Error(`this benchmark makes hosts: ${obstacle}`)
  await using cleanup = new AsyncDisposableStack()
  const { gateway, on, stream, echo } = await openHosts(cleanup)
  const table = openAccessTable('userspace', createCommandRunner(gateway.prefix))
  const policies = {
    none: policyOf(on, peerCount, 0),
    one: policyOf(on, groupCount, 1),
    all: policyOf(on, peerCount, ruleCount),
  }
  const found = { none: [], one: [], all: [] } as Record<keyof typeof policies, { rate: number; echo: number }[]>
  for (let round = 0; round < rounds; round += 1)
    for (const name of ['none', 'one', 'all'] as const) {
      await table.apply(policies[name])
      // Packets do not share the processors with the listing that follows a change.
      await table.hasDrifted()
      found[name].push({ rate: await stream(), echo: await echo() })
    }
  const rate = (name: keyof typeof found) => Math.max(...found[name].map((each) => each.rate))
  const wait = (name: keyof typeof found) => Math.min(...found[name].map((each) => each.echo))
  const timed = async (policy: Policy) => {
    const begin = performance.now()
    await table.apply(policy)
    return performance.now() - begin
  }
  const { peers, rules } = policies.all
  const options = { rounds, times: 4, limit: 2000 }
  const withPeer = new Map([
    ...peers,
    ['new', { ...peers.get('p0'), id: 'new', addresses: ['10.64.200.1'] } as PolicyPeer],
  ])
  const group = policies.all.groups.get('g0')
  const groups = new Map([
    ...policies.all.groups,
    ['g0', { ...group, peers: new Set([...(group?.peers ?? []), 'new']) } as never],
  ])
  const withNew = { ...policies.all, peers: withPeer, groups } as Policy
  const changes = [
    await measure('a peer comes into a group or goes', options, (number) =>
      timed(number % 2 === 0 ? withNew : policies.all),
    ),
    await measure('a rule comes or goes', options, (number) =>
      timed(number % 2 === 0 ? { ...policies.all, rules: rules.slice(1) } : policies.all),
    ),
  ]
  // A table that knows nothing of the last ruleset compiles all of it, as every change once did.
  const compiled = { kept: [] as number[], anew: [] as number[] }
  const kept = new PolicyCompiler()
  for (let number = 0; number < 2 * rounds; number += 1) {
    const policy = number % 2 === 0 ? policies.all : { ...policies.all, rules: rules.slice(1) }
    for (const [name, compiler] of [
      ['kept', kept],
      ['anew', new PolicyCompiler()],
    ] as const) {
      const start = performance.now()
      compiler.compile(policy, 'a')
      if (number > 0) compiled[name].push(performance.now() - start)
    }
  }
  const [quick, slow] = [Math.min(...compiled.kept), Math.min(...compiled.anew)]
  const begin = performance.now()
  const hasDrifted = await table.hasDrifted()
  const ratio = (one: number, other: number) => (one / other).toFixed(2)
  const notes = [
    `a TCP stream, Mbit/s, best of ${rounds}: ${Math.round(rate('none'))} without rules, ${Math.round(rate('one'))} with one, ${Math.round(rate('all'))} with ${ruleCount} and ${peerCount} peers: ${ratio(rate('all'), rate('none'))} of none, ${ratio(rate('all'), rate('one'))} of one`,
    `an echo, µs there and back, best of ${rounds}: ${wait('none')} without rules, ${wait('one')} with one, ${wait('all')} with all: ${ratio(wait('all'), wait('none'))} of none, ${ratio(wait('all'), wait('one'))} of one`,
    `compiling after a change of one rule, ms: ${quick.toFixed(1)}, all anew ${slow.toFixed(1)}: ${ratio(quick, slow)}`,
    `check of the table${hasDrifted ? ', which has drifted' : ''}: ${Math.round(performance.now() - begin)} ms`,
  ]
  process.stdout.write(`${tableOf(changes)}\n${notes.join('\n')}\n`)
  return areAllWithin(changes) && !hasDrifted && rate('all') > rate('one') * 0.85 && quick < slow / 4
}

const isGood = await main(Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 500))
process.exit(isGood ? 0 : 1)
