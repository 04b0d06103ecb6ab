import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '@hearth/runtime'
import { createHost, tunnelsObstacle, uniqueName } from '../../test/network-hosts.ts'
import { createCommandRunner } from './command.ts'
import { DeviceError, type DevicePeer, type WireGuardDriver } from './device.ts'
import type { DesiredDevice, Drift } from './drift.ts'
import { createFirewall, createSimulatedFirewall, type Firewall } from './firewall.ts'
import { generateKeyPair, generatePresharedKey, publicKeyOf } from './keys.ts'
import { createSimulatedDriver } from './simulated-driver.ts'
import { TunnelChanges, Tunnels } from './tunnels.ts'
import { lockedChanges } from '../../test/locked-changes.ts'
import { createUserspaceDriver } from './userspace-driver.ts'

const obstacle = await tunnelsObstacle()
if (obstacle !== null) console.log(`tunnels on real devices are not tested: ${obstacle}`)

test('another host that runs the interface hears of a change that leaves the device here as it is, as of a limit', async () => {
  const told: string[] = []
  const elsewhere = { has: () => false, changed: (name: string) => told.push(name) }
  const changes = new TunnelChanges({ elsewhere } as unknown as ConstructorParameters<typeof TunnelChanges>[0])
  await changes.apply('wg0', [])
  assert.deepEqual(told, ['wg0'])
})

/** One place to run the controller: a driver, a firewall, and a way to change both behind its back. */
interface Bench {
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  readonly name: string
  readonly run: ReturnType<typeof createCommandRunner>
  /** Resources to remove after the test, last created first. */
  readonly cleanup: AsyncDisposableStack
}

function cleanupAfter(t: TestContext): AsyncDisposableStack {
  const cleanup = new AsyncDisposableStack()
  t.after(() => cleanup.disposeAsync())
  return cleanup
}

async function realFixture(t: TestContext): Promise<Bench> {
  const cleanup = cleanupAfter(t)
  const host = cleanup.use(await createHost('tunnel'))
  const run = createCommandRunner(host.prefix)
  return {
    driver: createUserspaceDriver(run),
    cleanup,
    firewall: createFirewall(run, () => Promise.resolve()),
    name: uniqueName('wg'),
    run,
  }
}

async function simulatedFixture(t: TestContext): Promise<Bench> {
  const cleanup = cleanupAfter(t)
  const directory = await mkdtemp(join(tmpdir(), 'hearth-tunnels-'))
  cleanup.defer(() => rm(directory, { recursive: true }))
  const run = createCommandRunner()
  return {
    driver: createSimulatedDriver(directory),
    cleanup,
    firewall: createSimulatedFirewall(),
    name: uniqueName('wg'),
    run,
  }
}

function peer(number: number): DevicePeer {
  return {
    publicKey: generateKeyPair().publicKey,
    presharedKey: number % 2 === 0 ? generatePresharedKey() : null,
    allowedIps: [`10.8.${number >> 8}.${number & 255}/32`, `fd13:13:13::${(number + 16).toString(16)}/128`],
  }
}

function wanted(name: string, peers: readonly DevicePeer[]): DesiredDevice {
  const config = {
    name,
    privateKey: generateKeyPair().privateKey,
    listenPort: 51_820,
    addresses: ['10.8.0.1/16'],
    mtu: 1420,
    routes: [],
  }
  const rules = { name, subnets: ['10.8.0.0/16'], networks: [], nat: true, forwarding: true, isolated: [] }
  return { config, peers, rules, running: true }
}

/** A controller with a database of one interface, closed at the end of the test. */
function controller(bench: Bench, device: DesiredDevice) {
  const database = { device }
  const drifts: Drift[] = []
  const tunnels = new Tunnels({
    driver: bench.driver,
    firewall: bench.firewall,
    desired: () => Promise.resolve([database.device]),
    log: createLog({ name: 'test', level: 'silent' }),
    onDrift: (drift) => void drifts.push(drift),
  })
  bench.cleanup.defer(() => tunnels.close())
  return { tunnels, database, drifts }
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 5000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within 5 s: ${what}`)
    await pause(5)
  }
}

async function heldPeers(tunnels: Tunnels, name: string): Promise<DevicePeer[]> {
  const state = await tunnels.read(name)
  assert.ok(state !== undefined)
  return [...state.peers.values()].map(({ publicKey, presharedKey, allowedIps }) => ({
    publicKey,
    presharedKey,
    allowedIps,
  }))
}

/** The driver, but its nth change fails half-way: part of it is done. */
function failing(driver: WireGuardDriver, nth: number): WireGuardDriver {
  let count = 0
  return {
    ...driver,
    async change(name, changes) {
      count += 1
      if (count !== nth) return driver.change(name, changes)
      await driver.change(name, changes.slice(0, Math.ceil(changes.length / 2)))
      throw new DeviceError('the device refused the change')
    },
  }
}

const benches = [
  { label: 'simulated', make: simulatedFixture, skip: false as const },
  { label: 'userspace', make: realFixture, skip: obstacle ?? (false as const) },
]

for (const { label, make, skip } of benches) {
  describe(`tunnels (${label})`, { skip }, () => {
    test('create, change and remove an interface', async (t) => {
      const bench = await make(t)
      const { name } = bench
      const [first, second, third] = [peer(2), peer(3), peer(4)]
      const device = wanted(name, [first, second])
      const { tunnels } = controller(bench, device)
      assert.equal(tunnels.state(name).status, 'down')
      await lockedChanges(tunnels).bring(device)
      assert.equal(tunnels.state(name).status, 'up')
      await lockedChanges(tunnels).apply(name, [
        { kind: 'set', peer: third },
        { kind: 'remove', publicKey: first.publicKey },
      ])
      assert.deepEqual(new Set(await heldPeers(tunnels, name)), new Set([second, third]))
      await lockedChanges(tunnels).take(name, publicKeyOf(device.config.privateKey))
      assert.equal(await tunnels.read(name), undefined)
      assert.equal(tunnels.state(name).status, 'down')
    })

    test('an address is never taken from a peer outside the change', async (t) => {
      const bench = await make(t)
      const [first, thief] = [peer(2), { ...peer(3), allowedIps: ['10.8.0.2/32'] }]
      const device = wanted(bench.name, [first])
      const { tunnels } = controller(bench, device)
      await lockedChanges(tunnels).bring(device)
      await assert.rejects(
        lockedChanges(tunnels).apply(bench.name, [{ kind: 'set', peer: thief }]),
        /10\.8\.0\.2\/32 belongs to another peer/,
      )
      assert.deepEqual(await heldPeers(tunnels, bench.name), [first])
    })

    test('two peers swap their addresses in one change', async (t) => {
      const bench = await make(t)
      const [first, second] = [peer(2), peer(3)]
      const device = wanted(bench.name, [first, second])
      const { tunnels } = controller(bench, device)
      await lockedChanges(tunnels).bring(device)
      const swapped = [
        { ...first, allowedIps: second.allowedIps },
        { ...second, allowedIps: first.allowedIps },
      ]
      await lockedChanges(tunnels).apply(
        bench.name,
        swapped.map((peer) => ({ kind: 'set', peer })),
      )
      assert.deepEqual(new Set(await heldPeers(tunnels, bench.name)), new Set(swapped))
    })

    test('routes come and go with a change of peers, and are put back when that fails', async (t) => {
      const bench = await make(t)
      const [first, second] = [peer(2), peer(3)]
      const device = wanted(bench.name, [first])
      const withRoutes = (routes: string[]) => ({ ...device.config, routes })
      const { tunnels } = controller({ ...bench, driver: failing(bench.driver, 3) }, device)
      await lockedChanges(tunnels).bring(device)
      const networks = ['10.20.0.0/16', 'fd20::/48']
      const behind = { ...first, allowedIps: [...first.allowedIps, ...networks] }
      const grow = { add: networks, remove: [] }
      await lockedChanges(tunnels).apply(bench.name, [{ kind: 'set', peer: behind }], { routes: grow })
      assert.deepEqual(await bench.driver.differences(withRoutes(networks)), [])
      const shrink = { add: ['10.30.0.5/32'], remove: networks }
      const changes = [{ kind: 'remove', publicKey: first.publicKey } as const, { kind: 'set', peer: second } as const]
      await assert.rejects(lockedChanges(tunnels).apply(bench.name, changes, { routes: shrink }), DeviceError)
      assert.deepEqual(await bench.driver.differences(withRoutes(networks)), [])
      await lockedChanges(tunnels).bring(device)
      assert.deepEqual(await bench.driver.differences(device.config), [], 'a repair takes away what is not wanted')
    })

    test('a change that fails halfway leaves the peers as they were', async (t) => {
      const bench = await make(t)
      const [first, second, third] = [peer(2), peer(3), peer(4)]
      const device = wanted(bench.name, [first, second])
      const { tunnels } = controller({ ...bench, driver: failing(bench.driver, 2) }, device)
      await lockedChanges(tunnels).bring(device)
      const failure = await lockedChanges(tunnels)
        .apply(bench.name, [
          { kind: 'remove', publicKey: first.publicKey },
          { kind: 'set', peer: third },
          { kind: 'set', peer: { ...second, presharedKey: generatePresharedKey() } },
        ])
        .catch((error: unknown) => error)
      assert.ok(failure instanceof DeviceError)
      assert.deepEqual(new Set(await heldPeers(tunnels, bench.name)), new Set([first, second]))
    })

    test('a peer removed outside is restored and reported once', async (t) => {
      const bench = await make(t)
      const [first, second] = [peer(2), peer(3)]
      const device = wanted(bench.name, [first, second])
      const { tunnels, drifts } = controller(bench, device)
      await lockedChanges(tunnels).bring(device)
      tunnels.watch(20)
      await bench.driver.change(bench.name, [{ kind: 'remove', publicKey: first.publicKey }])
      await until(() => drifts.length > 0, 'drift is reported')
      assert.deepEqual(drifts[0], {
        interface: bench.name,
        device: [],
        missing: [first.publicKey],
        changed: [],
        extra: [],
        failure: null,
      })
      assert.deepEqual(new Set(await heldPeers(tunnels, bench.name)), new Set([first, second]))
      await pause(100)
      assert.equal(drifts.length, 1)
    })

    test('a second controller adopts running devices without touching them', async (t) => {
      const bench = await make(t)
      const device = wanted(bench.name, [peer(2), peer(3)])
      const before = controller(bench, device)
      await lockedChanges(before.tunnels).bring(device)
      await before.tunnels.close()
      const changes: string[] = []
      const watched: WireGuardDriver = {
        ...bench.driver,
        ensure: (config) => (changes.push(`ensure ${config.name}`), bench.driver.ensure(config)),
        change: (name, list) => (changes.push(...list.map(({ kind }) => kind)), bench.driver.change(name, list)),
      }
      const { tunnels } = controller({ ...bench, driver: watched }, device)
      await tunnels.reconcileAll()
      assert.equal(tunnels.state(bench.name).status, 'up')
      assert.deepEqual(
        changes.filter((change) => change !== `ensure ${bench.name}`),
        [],
      )
    })

    test('a change is confirmed before a large device is read back, and repaired if it did not apply', async (t) => {
      const bench = await make(t)
      const [first, second] = [peer(2), peer(3)]
      const device = wanted(bench.name, [first])
      const slow = forgetful(bench.driver)
      const { tunnels, database, drifts } = controller({ ...bench, driver: slow.driver }, device)
      await lockedChanges(tunnels).bring(device)
      database.device = { ...device, peers: [first, second] }
      slow.forgetNext()
      const readings = slow.readings()
      await lockedChanges(tunnels).apply(bench.name, [{ kind: 'set', peer: second }])
      assert.equal(slow.readings(), readings)
      await until(() => drifts.length > 0, 'the loss is noticed')
      assert.deepEqual(drifts[0]?.missing, [second.publicKey])
      assert.deepEqual(new Set(await heldPeers(tunnels, bench.name)), new Set([first, second]))
    })

    test('a change and its database row are one step for the drift check', async (t) => {
      const bench = await make(t)
      const [first, second] = [peer(2), peer(3)]
      const device = wanted(bench.name, [first])
      const { tunnels, database, drifts } = controller(bench, device)
      await lockedChanges(tunnels).bring(device)
      tunnels.watch(1)
      await tunnels.withLock(bench.name, async (changes) => {
        await changes.apply(bench.name, [{ kind: 'set', peer: second }])
        await pause(100)
        database.device = { ...device, peers: [first, second] }
      })
      await pause(50)
      assert.deepEqual(drifts, [])
      assert.equal((await heldPeers(tunnels, bench.name)).length, 2)
    })

    test('a stopped device is removed, one of the same name with another key stays', async (t) => {
      const bench = await make(t)
      const device = wanted(bench.name, [peer(2)])
      const stopped = { ...device, running: false }
      const { tunnels, database } = controller(bench, stopped)
      await bench.driver.ensure({ ...device.config, privateKey: generateKeyPair().privateKey })
      await tunnels.reconcileAll()
      assert.ok((await tunnels.read(bench.name)) !== undefined)
      await bench.driver.ensure(device.config)
      await tunnels.reconcileAll()
      assert.equal(await tunnels.read(bench.name), undefined)
      database.device = device
      await tunnels.reconcileAll()
      assert.equal(tunnels.state(bench.name).status, 'up')
    })

    test('a device with another key stays when the interface of its name is stopped, or taken down', async (t) => {
      const bench = await make(t)
      const device = wanted(bench.name, [peer(2)])
      const theirs = generateKeyPair()
      const { tunnels, database } = controller(bench, device)
      const replaceDevice = async () => {
        await bench.driver.remove(bench.name)
        await bench.driver.ensure({ ...device.config, privateKey: theirs.privateKey })
      }
      const heldKey = async () => (await bench.driver.read(bench.name))?.publicKey
      await lockedChanges(tunnels).bring(device)
      // Somebody makes a device of their own while the rules of the interface are in force.
      await replaceDevice()
      database.device = { ...device, running: false }
      await tunnels.reconcile(bench.name)
      assert.deepEqual([await heldKey(), tunnels.state(bench.name).status], [theirs.publicKey, 'down'])
      const { rules } = await tunnels.withLock(bench.name, async (changes) => ({ rules: changes.rules(bench.name) }))
      assert.equal(rules, null)
      await lockedChanges(tunnels).take(bench.name, publicKeyOf(device.config.privateKey))
      assert.equal(await heldKey(), theirs.publicKey)
      await lockedChanges(tunnels).take(bench.name, theirs.publicKey)
      assert.equal(await heldKey(), undefined)
    })

    test('an irreparable difference is reported once and shown in the state', async (t) => {
      const bench = await make(t)
      const first = peer(2)
      const device = wanted(bench.name, [first])
      let isBroken = false
      const driver: WireGuardDriver = {
        ...bench.driver,
        change: (name, changes) =>
          isBroken ? Promise.reject(new DeviceError('the device is broken')) : bench.driver.change(name, changes),
      }
      const { tunnels, drifts } = controller({ ...bench, driver }, device)
      await lockedChanges(tunnels).bring(device)
      isBroken = true
      await bench.driver.change(bench.name, [{ kind: 'remove', publicKey: first.publicKey }])
      tunnels.watch(5)
      await until(() => tunnels.state(bench.name).status === 'error', 'the state says error')
      await pause(100)
      assert.equal(drifts.length, 1)
      assert.deepEqual(tunnels.state(bench.name), { status: 'error', reason: 'the device is broken' })
      isBroken = false
      await until(() => tunnels.state(bench.name).status === 'up', 'it recovers')
      assert.deepEqual(await heldPeers(tunnels, bench.name), [first])
    })

    test('many simultaneous changes all apply, and excess ones are refused', async (t) => {
      const bench = await make(t)
      const device = wanted(bench.name, [])
      const { tunnels } = controller(bench, device)
      await lockedChanges(tunnels).bring(device)
      const peers = Array.from({ length: 50 }, (_, index) => peer(index + 2))
      await Promise.all(peers.map((peer) => lockedChanges(tunnels).apply(bench.name, [{ kind: 'set', peer }])))
      assert.equal((await heldPeers(tunnels, bench.name)).length, 50)
      const remove = () =>
        lockedChanges(tunnels).apply(bench.name, [{ kind: 'remove', publicKey: peers[0]!.publicKey }])
      const results = await Promise.allSettled(Array.from({ length: 1100 }, remove))
      const refused = results.filter((result) => result.status === 'rejected')
      assert.ok(refused.length > 0 && refused.length < 200)
      for (const { reason } of refused) assert.ok(reason instanceof DeviceError)
    })
  })
}

/** A driver whose readings take long, and that can lose a change without saying so. */
function forgetful(driver: WireGuardDriver) {
  let isForgetting = false
  let readings = 0
  const slow: WireGuardDriver = {
    ...driver,
    async read(name) {
      readings += 1
      await pause(25)
      return driver.read(name)
    },
    async change(name, changes) {
      if (!isForgetting) return driver.change(name, changes)
      isForgetting = false
    },
  }
  return { driver: slow, forgetNext: () => void (isForgetting = true), readings: () => readings }
}

describe('tunnels and the host', { skip: obstacle ?? false }, () => {
  test('a manually changed firewall is restored and reported', async (t) => {
    const bench = await realFixture(t)
    const device = wanted(bench.name, [peer(2)])
    const { tunnels, drifts } = controller(bench, device)
    await lockedChanges(tunnels).bring(device)
    tunnels.watch(20)
    await bench.run('nft', ['flush', 'table', 'inet', 'hearth_vpn'])
    await until(() => drifts.length > 0, 'drift is reported')
    assert.deepEqual(drifts, [
      { interface: null, device: ['firewall changed'], missing: [], changed: [], extra: [], failure: null },
    ])
    assert.match(await bench.run('nft', ['list', 'table', 'inet', 'hearth_vpn']), /masquerade/)
  })

  test('a tunnel whose process died is restored with its peers', async (t) => {
    const bench = await realFixture(t)
    const device = wanted(bench.name, [peer(2), peer(3)])
    const { tunnels, drifts } = controller(bench, device)
    await lockedChanges(tunnels).bring(device)
    tunnels.watch(20)
    await bench.run('ip', ['link', 'delete', 'dev', bench.name])
    await until(() => drifts.some(({ failure }) => failure === null), 'it is repaired')
    assert.ok(drifts.at(-1)?.device.includes('device missing'))
    assert.equal((await heldPeers(tunnels, bench.name)).length, 2)
  })

  test('after a restart the rules of all interfaces are replaced in one step', async (t) => {
    const bench = await realFixture(t)
    const [first, second] = [wanted(bench.name, [peer(2)]), wanted(uniqueName('wg'), [peer(3)])]
    const devices = [first, { ...second, config: { ...second.config, listenPort: 51_821 } }]
    const listings: string[] = []
    const run: typeof bench.run = async (...command) => {
      const result = await bench.run(...command)
      if (command[0] === 'nft' && command[1][0] === '-f')
        listings.push(await bench.run('nft', ['list', 'set', 'inet', 'hearth_vpn', 'tunnels']))
      return result
    }
    const firewall = createFirewall(run, () => Promise.resolve())
    const log = createLog({ name: 'test', level: 'silent' })
    const tunnels = new Tunnels({ driver: bench.driver, firewall, desired: () => Promise.resolve(devices), log })
    bench.cleanup.defer(() => tunnels.close())
    await tunnels.reconcileAll()
    for (const { config } of devices) assert.equal(tunnels.state(config.name).status, 'up')
    assert.equal(listings.length, 1)
    for (const { config } of devices) assert.ok(listings[0]?.includes(config.name))
  })

  test('isolation applies before the peer is added, and is reverted when the peer is refused', async (t) => {
    const bench = await realFixture(t)
    const device = wanted(bench.name, [])
    const isolatedNow = () => bench.run('nft', ['list', 'set', 'inet', 'hearth_vpn', 'isolated4'])
    const seen: string[] = []
    let isRefusing = false
    const driver: WireGuardDriver = {
      ...bench.driver,
      async change(name, changes) {
        seen.push(await isolatedNow())
        if (isRefusing) throw new DeviceError('refused')
        await bench.driver.change(name, changes)
      },
    }
    const { tunnels } = controller({ ...bench, driver }, device)
    await lockedChanges(tunnels).bring(device)
    await lockedChanges(tunnels).apply(bench.name, [{ kind: 'set', peer: peer(2) }], {
      newRules: { ...device.rules, isolated: ['10.8.0.2'] },
    })
    assert.match(seen[0] ?? '', /10\.8\.0\.2/)
    isRefusing = true
    const newRules = { ...device.rules, isolated: ['10.8.0.2', '10.8.0.3'] }
    const refused = lockedChanges(tunnels).apply(bench.name, [{ kind: 'set', peer: peer(3) }], { newRules })
    await assert.rejects(refused, /refused/)
    assert.match(await isolatedNow(), /10\.8\.0\.2/)
    assert.doesNotMatch(await isolatedNow(), /10\.8\.0\.3/)
  })

  test('kill -9 of the creating process leaves a tunnel running, and the next one adopts it', async (t) => {
    const cleanup = cleanupAfter(t)
    const host = cleanup.use(await createHost('killed'))
    const name = uniqueName('wg')
    const device = wanted(name, [peer(2), peer(3)])
    const running = host.start(process.execPath, '--input-type=module', '--eval', bringProgram(device))
    await once(running.stdout, 'data')
    process.kill(running.pid!, 'SIGKILL')
    await running
    const run = createCommandRunner(host.prefix)
    const changes: string[] = []
    const driver = createUserspaceDriver(run)
    const watched: WireGuardDriver = {
      ...driver,
      ensure: (config) => (changes.push('ensure'), driver.ensure(config)),
      change: (of, list) => (changes.push('change'), driver.change(of, list)),
    }
    const firewall = createFirewall(run, () => Promise.resolve())
    const { tunnels } = controller({ driver: watched, firewall, name, run, cleanup }, device)
    assert.equal((await tunnels.read(name))?.peers.size, 2)
    await tunnels.reconcileAll()
    assert.equal(tunnels.state(name).status, 'up')
    assert.equal(changes.includes('change'), false)
  })
})

/** A service in small: brings one tunnel up and stays. */
function bringProgram(device: DesiredDevice): string {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  return `
    const { createCommandRunner } = await import(${at('./command.ts')})
    const { createUserspaceDriver } = await import(${at('./userspace-driver.ts')})
    const driver = createUserspaceDriver(createCommandRunner())
    const { config, peers } = ${JSON.stringify(device)}
    await driver.ensure(config)
    await driver.change(config.name, peers.map((peer) => ({ kind: 'set', peer })))
    console.log('ready')
    setInterval(() => undefined, 1000)`
}
