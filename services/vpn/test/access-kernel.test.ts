import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createRandom } from '@hearth/testing'
import { Decider } from '../src/access-rules/policy/decide.ts'
import { isOpen } from '../src/access-rules/policy/policy.ts'
import { openAccessTable } from '../src/access-rules/policy/table.ts'
import { createCommandRunner } from '../src/wireguard/command.ts'
import { destinations, hostIn, probedPorts, randomPolicy, randomQuestion } from './access-policies.ts'
import type { Probe } from './access-probe.ts'
import { createHost, hostsObstacle, joinHosts, type NetworkHost } from './network-hosts.ts'

const skip = (await hostsObstacle()) ?? false
const program = join(import.meta.dirname, 'access-probe.ts')
const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000)
const rounds = 8
const probesPerRound = 60

/** A gateway with peers on both sides and the world behind it; all addresses of the right and of the world answer. */
async function openHosts(cleanup: AsyncDisposableStack) {
  const gateway = cleanup.use(await createHost('access'))
  const left = cleanup.use(await createHost('left'))
  const right = cleanup.use(await createHost('right'))
  const world = cleanup.use(await createHost('world'))
  const sources = [2, 3, 4, 5, 6, 7].flatMap((number) => [
    `10.77.0.${number}/24`,
    `fd77::${number}/64`,
    `172.17.${number}.9/32`,
    `fd77:b:${number}::9/128`,
  ])
  const [leftLink] = await joinHosts([gateway, ['10.77.0.1/24', 'fd77::1/64']], [left, sources])
  const targets = [
    ...destinations.right.map((address) => `${address}/${address.includes(':') ? 64 : 24}`),
    ...destinations.behind.map((address) => `${address}/${address.includes(':') ? 128 : 32}`),
  ]
  const [rightLink] = await joinHosts([gateway, ['10.78.0.1/24', 'fd78::1/64']], [right, targets])
  const outside = destinations.outside.map((address) => `${address}/${address.includes(':') ? 64 : 24}`)
  const own = ['192.168.50.1/24', '198.51.100.1/24', '203.0.113.1/24', '2001:db8::1/64', 'fd99::1/64']
  await joinHosts([gateway, own], [world, outside])
  await gateway.run('sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1')
  for (const [host, number] of [
    [left, 77],
    [right, 78],
  ] as const) {
    await host.run('ip', 'route', 'add', 'default', 'via', `10.${number}.0.1`)
    await host.run('ip', '-6', 'route', 'add', 'default', 'via', `fd${number}::1`)
  }
  for (const number of [77, 78]) {
    await gateway.run('ip', 'route', 'add', `172.${number - 60}.0.0/16`, 'via', `10.${number}.0.2`)
    await gateway.run('ip', '-6', 'route', 'add', `fd${number}:b::/32`, 'via', `fd${number}::2`)
    await world.run('ip', 'route', 'add', `172.${number - 60}.0.0/16`, 'via', '192.168.50.1')
    await world.run('ip', '-6', 'route', 'add', `fd${number}:b::/32`, 'via', 'fd99::1')
    await world.run('ip', 'route', 'add', `10.${number}.0.0/24`, 'via', '192.168.50.1')
    await world.run('ip', '-6', 'route', 'add', `fd${number}::/64`, 'via', 'fd99::1')
  }
  await serve(right, [...destinations.right, ...destinations.behind])
  await serve(world, destinations.outside)
  await serve(gateway, destinations.gateway)
  return { gateway, left, names: { left: leftLink, right: rightLink } }
}

async function serve(host: NetworkHost, addresses: readonly string[]): Promise<void> {
  const child = host.start(process.execPath, program, 'serve', addresses.join(), probedPorts.join())
  await Promise.race([
    new Promise((resolve) => child.stdout.once('data', resolve)),
    child.then(({ stderr }) => Promise.reject(new Error(`the answering program ended: ${stderr}`))),
  ])
}

/** Returns which probes are answered. Those without an answer are sent again: the first packet to a new neighbour can be lost. */
async function sendTwice(host: NetworkHost, probes: readonly Probe[]): Promise<boolean[]> {
  const send = async (some: readonly Probe[]) =>
    JSON.parse(await host.run(process.execPath, program, 'send', JSON.stringify(some))) as boolean[]
  const first = await send(probes)
  const silent = probes.flatMap((_, index) => (first[index] === true ? [] : [index]))
  const second = await send(silent.flatMap((index) => probes[index] ?? []))
  const late = new Set(silent.filter((_, at) => second[at] === true))
  return probes.map((_, index) => first[index] === true || late.has(index))
}

describe('the table of access rules in the kernel', () => {
  test(
    'does what the decision says with random packets of random policies, one policy after another',
    { skip },
    async () => {
      await using cleanup = new AsyncDisposableStack()
      const { gateway, left, names } = await openHosts(cleanup)
      const table = openAccessTable('userspace', createCommandRunner(gateway.prefix))
      const random = createRandom(seed)
      const counted = { allow: 0, deny: 0 }
      for (let round = 0; round < rounds; round += 1) {
        const policy = randomPolicy(random, names)
        await table.apply(policy)
        assert.equal(await table.hasDrifted(), false, `seed ${seed}: nft lists what was written`)
        const decider = new Decider(policy)
        const questions = Array.from({ length: probesPerRound }, () => randomQuestion(random, ['tcp', 'udp']))
        const probes = questions.map(({ from, to, protocol, port = 0 }, index): Probe => {
          const isIpv6 = to.includes(':')
          const peer = policy.peers.get(from)
          const behind = peer?.networks.find((network) => network.includes(':') === isIpv6)
          const isBehind = behind !== undefined && index % 2 === 0
          const address = isBehind ? hostIn(behind) : (peer?.addresses[isIpv6 ? 1 : 0] ?? '')
          return { from: address, to, protocol: protocol === 'tcp' ? 'tcp' : 'udp', port }
        })
        const answered = await sendTwice(left, probes)
        for (const [index, question] of questions.entries()) {
          const { action, steps } = decider.decide(question)
          counted[action] += 1
          const what = `seed ${seed}, round ${round}: ${JSON.stringify(probes[index])}\n${steps.join('\n')}`
          assert.equal(answered[index] === true ? 'allow' : 'deny', action, what)
        }
        if (!isOpen(policy)) continue
        assert.ok(!(await gateway.run('nft', 'list', 'tables')).includes('hearth_vpn_access'))
      }
      console.log(`seed ${seed}: ${counted.allow} probes answered, ${counted.deny} not`)
      assert.ok(counted.allow > 50 && counted.deny > 50)
      await table.remove()
      assert.ok(!(await gateway.run('nft', 'list', 'tables')).includes('hearth_vpn_access'))
    },
  )
})
