import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  createHost,
  createNetwork,
  joinHosts,
  tunnelsObstacle,
  uniqueName,
  type NetworkHost,
} from '../../test/network-hosts.ts'
import { createCommandRunner, type RunCommand } from './command.ts'
import type { DevicePeer } from './device.ts'
import { createFirewall, type InterfaceRules } from './firewall.ts'
import { createForwarding } from './forwarding.ts'
import { generateKeyPair } from './keys.ts'
import { createUserspaceDriver } from './userspace-driver.ts'

const obstacle = await tunnelsObstacle()
if (obstacle !== null) console.log(`the firewall is not tested on packets: ${obstacle}`)

const noForwarding = () => Promise.resolve()

/** Forwarding switched on by hand inside a namespace; the test's own process is not in it. */
async function forward(host: NetworkHost): Promise<void> {
  await host.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
}

/** A peer's own host, joined to the server's network, with a running tunnel. */
async function joinTunnel(options: {
  host: NetworkHost
  server: string
  serverKey: string
  address: string
}): Promise<DevicePeer> {
  const { host, server, serverKey, address } = options
  const pair = generateKeyPair()
  const driver = createUserspaceDriver(createCommandRunner(host.prefix))
  const name = uniqueName('wc')
  await driver.ensure({
    name,
    privateKey: pair.privateKey,
    listenPort: 51_820,
    addresses: [`${address}/24`],
    mtu: 1420,
    routes: [],
  })
  await driver.change(name, [
    { kind: 'set', peer: { publicKey: serverKey, presharedKey: null, allowedIps: ['10.8.0.0/24', '203.0.113.0/24'] } },
  ])
  await host.run('wg', 'set', name, 'peer', serverKey, 'endpoint', `${server}:51820`)
  await host.run('ip', 'route', 'add', '203.0.113.0/24', 'dev', name)
  return { publicKey: pair.publicKey, presharedKey: null, allowedIps: [`${address}/32`] }
}

describe('firewall', { skip: obstacle ?? false }, () => {
  test('writes nothing without changes, only elements if only they changed, and everything after a manual change', async () => {
    await using host = await createHost('fire')
    const files: string[] = []
    const run = createCommandRunner(host.prefix)
    const counting: RunCommand = (file, args, options) => {
      if (options?.secretInput !== undefined)
        files.push(options.secretInput.startsWith('add table') ? 'table' : 'elements')
      return run(file, args, options)
    }
    const firewall = createFirewall(counting, noForwarding)
    const rules: InterfaceRules = {
      name: 'wg0',
      subnets: ['10.8.0.0/24'],
      networks: [],
      nat: true,
      forwarding: true,
      isolated: [],
    }
    assert.equal(await firewall.hasDrifted(), false)
    await firewall.apply([rules])
    await firewall.apply([rules])
    assert.deepEqual(files, ['table'])
    await firewall.apply([{ ...rules, isolated: ['10.8.0.2'] }])
    assert.deepEqual(files, ['table', 'elements'])
    assert.equal(await firewall.hasDrifted(), false)
    await host.run('nft', 'delete', 'element', 'inet', 'hearth_vpn', 'isolated4', '{ 10.8.0.2 }')
    assert.equal(await firewall.hasDrifted(), true)
    await firewall.apply([rules])
    assert.deepEqual(files.slice(2), ['elements', 'table'])
    assert.equal(await firewall.hasDrifted(), false)
    await host.run('nft', 'flush', 'ruleset')
    assert.equal(await firewall.hasDrifted(), true)
    await firewall.repair()
    assert.equal(await firewall.hasDrifted(), false)
    await firewall.remove()
    await assert.rejects(run('nft', ['list', 'table', 'inet', 'hearth_vpn']))
    assert.equal(await firewall.hasDrifted(), false)
  })

  test('a refused file leaves the table unchanged and reports why', async () => {
    await using host = await createHost('fire')
    const run = createCommandRunner(host.prefix)
    const breaking: RunCommand = (file, args, options) => {
      const broken = options?.secretInput?.replace('masquerade', 'no-such-verb')
      return run(file, args, broken === undefined ? options : { ...options, secretInput: broken })
    }
    const rules: InterfaceRules = {
      name: 'wg0',
      subnets: ['10.8.0.0/24'],
      nat: false,
      forwarding: true,
      networks: [],
      isolated: ['10.8.0.2'],
    }
    const firewall = createFirewall(breaking, noForwarding)
    await firewall.apply([rules])
    await assert.rejects(firewall.apply([{ ...rules, nat: true }]), /nft.*syntax error/)
    assert.equal(await firewall.hasDrifted(), false)
  })

  test('peers reach each other, the host and the internet as their rules allow', async () => {
    await using server = await createHost('server')
    await using first = await createHost('first')
    await using second = await createHost('second')
    await using world = await createHost('world')
    await using lan = await createNetwork('lan')
    await lan.attach(server, '192.0.2.1/24')
    await lan.attach(first, '192.0.2.2/24')
    await lan.attach(second, '192.0.2.3/24')
    await joinHosts([server, ['203.0.113.1/24']], [world, ['203.0.113.9/24']])
    await forward(server)
    const run = createCommandRunner(server.prefix)
    const driver = createUserspaceDriver(run)
    const pair = generateKeyPair()
    const name = uniqueName('ws')
    await driver.ensure({
      name,
      privateKey: pair.privateKey,
      listenPort: 51_820,
      addresses: ['10.8.0.1/24'],
      mtu: 1420,
      routes: [],
    })
    const access = { server: '192.0.2.1', serverKey: pair.publicKey }
    const peers = [
      await joinTunnel({ ...access, host: first, address: '10.8.0.2' }),
      await joinTunnel({ ...access, host: second, address: '10.8.0.3' }),
    ]
    await driver.change(
      name,
      peers.map((peer) => ({ kind: 'set', peer })),
    )
    const firewall = createFirewall(run, noForwarding)
    const rules: InterfaceRules = {
      name,
      subnets: ['10.8.0.0/24'],
      networks: [],
      nat: true,
      forwarding: true,
      isolated: [],
    }
    void server.start(process.execPath, '--eval', listenerProgram)
    const reach = async () => {
      const [peer, reverse, host, dns, beyond] = await Promise.all([
        first.canReach('10.8.0.3'),
        second.canReach('10.8.0.2'),
        canConnect(first, 8080),
        canConnect(first, 53),
        first.canReach('203.0.113.9'),
      ])
      return { peer, reverse, host, dns, world: beyond }
    }
    await firewall.apply([rules])
    assert.ok(await isListening(server), 'the listener runs')
    assert.ok(await second.canReach('10.8.0.1'), 'the second tunnel works')
    assert.deepEqual(await reach(), { peer: true, reverse: true, host: true, dns: true, world: true })
    await firewall.apply([{ ...rules, isolated: ['10.8.0.2'] }])
    assert.deepEqual(await reach(), { peer: false, reverse: false, host: false, dns: true, world: true })
    await firewall.apply([{ ...rules, nat: false }])
    assert.deepEqual(await reach(), { peer: true, reverse: true, host: true, dns: true, world: false })
    await firewall.apply([{ ...rules, forwarding: false }])
    assert.deepEqual(await reach(), { peer: false, reverse: false, host: true, dns: true, world: false })
  })
})

/** Listens on the host's ports for names and for something else. */
const listenerProgram = `for (const port of [53, 8080]) require('node:net').createServer((socket) => socket.end()).listen(port)`

async function canConnect(host: NetworkHost, port: number): Promise<boolean> {
  const program = `const s = require('node:net').connect(${port}, '10.8.0.1'); s.setTimeout(700, () => process.exit(1)); s.on('error', () => process.exit(1)); s.on('connect', () => process.exit(0))`
  const { failed } = await host.start(process.execPath, '--eval', program)
  return !failed
}

async function isListening(server: NetworkHost): Promise<boolean> {
  const deadline = performance.now() + 5000
  while (performance.now() < deadline) if (await canConnect(server, 8080)) return true
  return false
}

describe('forwarding', () => {
  test('is enabled for the required families, and links keep accepting router advertisements', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'hearth-sysctl-'))
    t.after(() => rm(folder, { recursive: true }))
    for (const path of ['ipv4', 'ipv6/conf/all', 'ipv6/conf/eth0']) await mkdir(join(folder, path), { recursive: true })
    const set = (name: string, value: string) => writeFile(join(folder, name), value)
    const get = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim()
    await set('ipv4/ip_forward', '0\n')
    await set('ipv6/conf/all/forwarding', '0\n')
    await set('ipv6/conf/eth0/accept_ra', '1\n')
    const raise = createForwarding(folder)
    const rules: InterfaceRules = {
      name: 'wg0',
      subnets: ['10.8.0.0/24'],
      networks: [],
      nat: false,
      forwarding: false,
      isolated: [],
    }
    await raise([rules])
    assert.equal(await get('ipv4/ip_forward'), '0')
    await raise([{ ...rules, forwarding: true }])
    assert.equal(await get('ipv4/ip_forward'), '1')
    assert.equal(await get('ipv6/conf/all/forwarding'), '0')
    await raise([{ ...rules, subnets: ['fd13::/64'], nat: true }])
    assert.equal(await get('ipv6/conf/all/forwarding'), '1')
    assert.equal(await get('ipv6/conf/eth0/accept_ra'), '2')
    await assert.rejects(
      createForwarding(join(folder, 'nowhere'))([{ ...rules, nat: true }]),
      /set net\.ipv4\.ip_forward = 1/,
    )
  })
})
