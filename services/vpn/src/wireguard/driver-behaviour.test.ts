import assert from 'node:assert/strict'
import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createHost, tunnelsObstacle, uniqueName } from '../../test/network-hosts.ts'
import { createCommandRunner, type RunCommand } from './command.ts'
import { DeviceError, type DeviceConfig, type DevicePeer, type WireGuardDriver } from './device.ts'
import { createKernelDriver } from './kernel-driver.ts'
import { generateKeyPair, generatePresharedKey, publicKeyOf } from './keys.ts'
import { deleteLink } from './link.ts'
import { createSimulatedDriver } from './simulated-driver.ts'
import { createUserspaceDriver } from './userspace-driver.ts'

const obstacle = await tunnelsObstacle()
if (obstacle !== null) console.log(`drivers of real devices are not tested: ${obstacle}`)

interface Bench {
  readonly driver: WireGuardDriver
  /** A second driver as another process would make it. */
  readonly again: () => WireGuardDriver
  readonly name: string
  /** Every command that was run, as it stands in a list of processes. */
  readonly commands: string[]
  readonly run: RunCommand
}

async function hostRunner(t: TestContext, commands: string[]): Promise<RunCommand> {
  const host = await createHost('driver')
  t.after(() => host[Symbol.asyncDispose]())
  const run = createCommandRunner(host.prefix)
  return (file, args, options) => {
    commands.push([file, ...args].join(' '))
    return run(file, args, options)
  }
}

async function userspaceFixture(t: TestContext): Promise<Bench> {
  const commands: string[] = []
  const run = await hostRunner(t, commands)
  return {
    driver: createUserspaceDriver(run),
    again: () => createUserspaceDriver(run),
    name: uniqueName('wg'),
    commands,
    run,
  }
}

/** The kernel's driver on devices of wireguard-go: `wg` does not know the difference, only `ip link add` does. */
async function kernelFixture(t: TestContext): Promise<Bench> {
  const commands: string[] = []
  const run = await hostRunner(t, commands)
  const maker = {
    create: async (name: string) => void (await run('wireguard-go', [name], { leavesProcess: true })),
    remove: (name: string) => deleteLink(run, name),
  }
  const make = () => createKernelDriver(run, maker)
  return { driver: make(), again: make, name: uniqueName('wg'), commands, run }
}

async function simulatedFixture(t: TestContext): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-devices-'))
  t.after(() => rm(directory, { recursive: true }))
  const make = () => createSimulatedDriver(directory)
  return { driver: make(), again: make, name: uniqueName('wg'), commands: [], run: createCommandRunner() }
}

function configOf(name: string, change: Partial<DeviceConfig> = {}): DeviceConfig {
  const addresses = ['10.8.0.1/24', 'fd13:13:13::1/64']
  return {
    name,
    privateKey: generateKeyPair().privateKey,
    listenPort: 51_820,
    addresses,
    mtu: 1420,
    routes: [],
    ...change,
  }
}

function peerAt(number: number, presharedKey: string | null = null): DevicePeer {
  return {
    publicKey: generateKeyPair().publicKey,
    presharedKey,
    allowedIps: [`10.8.0.${number}/32`, `fd13:13:13::${number}/128`],
  }
}

async function read({ driver, name }: Pick<Bench, 'driver' | 'name'>) {
  const state = await driver.read(name)
  assert.ok(state !== undefined, 'the device runs')
  return state
}

async function allowedIps(bench: Bench, peer: DevicePeer): Promise<readonly string[] | undefined> {
  return (await read(bench)).peers.get(peer.publicKey)?.allowedIps
}

/** Runs `work` while the argument lists of all processes are looked through; returns where a secret was seen. */
async function watchProcesses(secrets: readonly string[], work: () => Promise<void>): Promise<string[]> {
  const found: string[] = []
  const forms = secrets.flatMap((secret) => [secret, Buffer.from(secret, 'base64').toString('hex')])
  const end = new AbortController()
  const watching = (async () => {
    while (!end.signal.aborted) {
      for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
        const text = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
        if (forms.some((form) => text.includes(form))) found.push(pid)
      }
      await pause(1)
    }
  })()
  await work().finally(() => end.abort())
  await watching
  return found
}

const benches = [
  { label: 'simulated', make: simulatedFixture, skip: false as const },
  { label: 'userspace', make: userspaceFixture, skip: obstacle ?? (false as const) },
  { label: 'kernel tools', make: kernelFixture, skip: obstacle ?? (false as const) },
]

for (const { label, make, skip } of benches) {
  describe(`driver (${label})`, { skip }, () => {
    test('a device is created, read, changed and removed', async (t) => {
      const bench = await make(t)
      const { driver, name } = bench
      assert.equal(await driver.read(name), undefined)
      assert.deepEqual(await driver.differences(configOf(name)), ['device missing'])
      const config = configOf(name)
      await driver.ensure(config)
      const state = await read(bench)
      assert.equal(state.publicKey, publicKeyOf(config.privateKey))
      assert.equal(state.listenPort, 51_820)
      assert.equal(state.peers.size, 0)
      assert.ok((await driver.list()).includes(name))
      assert.equal(await driver.isForeignLink(name), false)
      assert.deepEqual(await driver.differences(config), [])
      await driver.remove(name)
      await driver.remove(name)
      assert.equal(await driver.read(name), undefined)
      assert.equal((await driver.list()).includes(name), false)
    })

    test('addresses, MTU, port and key of a running device can change while its peers stay', async (t) => {
      const bench = await make(t)
      const { driver, name } = bench
      await driver.ensure(configOf(name))
      const peer = peerAt(2)
      await driver.change(name, [{ kind: 'set', peer }])
      const config = configOf(name, { addresses: ['10.8.0.254/24'], mtu: 1300, listenPort: 51_821 })
      assert.equal((await driver.differences(config)).length, 4)
      await driver.ensure(config)
      assert.deepEqual(await driver.differences(config), [])
      const state = await read(bench)
      assert.equal(state.listenPort, 51_821)
      assert.equal(state.publicKey, publicKeyOf(config.privateKey))
      assert.deepEqual([...state.peers.keys()], [peer.publicKey])
    })

    test('routes follow the configuration, and a change names some of them', async (t) => {
      const bench = await make(t)
      const { driver, name } = bench
      const config = configOf(name, { routes: ['10.20.0.0/16', '10.30.0.5/32', 'fd20::/48', 'fd30::5/128'] })
      await driver.ensure(config)
      assert.deepEqual(await driver.differences(config), [])
      const found = await driver.differences({ ...config, routes: ['10.20.0.0/16', '10.40.0.0/24'] })
      assert.deepEqual(found, [
        'route 10.40.0.0/24 missing',
        'route 10.30.0.5/32 extra',
        'route fd20::/48 extra',
        'route fd30::5/128 extra',
      ])
      for (let twice = 0; twice < 2; twice += 1) {
        await driver.changeRoutes(name, { add: ['10.40.0.0/24'], remove: ['10.30.0.5/32', 'fd20::/48'] })
        const changed = { ...config, routes: ['10.20.0.0/16', 'fd30::5/128', '10.40.0.0/24'] }
        assert.deepEqual(await driver.differences(changed), [])
      }
      const moved = { ...config, addresses: ['10.8.0.254/24'], routes: ['10.50.0.0/16'] }
      await driver.ensure(moved)
      assert.deepEqual(await driver.differences(moved), [])
      const hostile = { add: ['10.0.0.0/8 dev lo\nroute del default'], remove: [] }
      if (driver.backend !== 'simulated') await assert.rejects(driver.changeRoutes(name, hostile), DeviceError)
    })

    test('a peer is added, changed and removed without affecting another one', async (t) => {
      const bench = await make(t)
      const { driver, name } = bench
      const secret = generatePresharedKey()
      const [first, second] = [peerAt(2, secret), peerAt(3)]
      await driver.ensure(configOf(name))
      await driver.change(name, [
        { kind: 'set', peer: first },
        { kind: 'set', peer: second },
      ])
      const fresh = { endpoint: null, latestHandshake: null, rxBytes: 0, txBytes: 0 }
      assert.deepEqual((await read(bench)).peers.get(first.publicKey), { ...first, ...fresh })
      assert.deepEqual(await driver.readPeer(name, second.publicKey), { ...second, ...fresh })
      await driver.change(name, [{ kind: 'set', peer: { ...first, presharedKey: null, allowedIps: ['10.8.0.9/32'] } }])
      const changed = (await read(bench)).peers
      assert.deepEqual(changed.get(first.publicKey)?.allowedIps, ['10.8.0.9/32'])
      assert.equal(changed.get(first.publicKey)?.presharedKey, null)
      assert.deepEqual(changed.get(second.publicKey), { ...second, ...fresh })
      await driver.change(name, [{ kind: 'remove', publicKey: first.publicKey }])
      await driver.change(name, [{ kind: 'remove', publicKey: first.publicKey }])
      assert.equal(await driver.readPeer(name, first.publicKey), undefined)
      assert.deepEqual([...(await read(bench)).peers.keys()], [second.publicKey])
    })

    test('removals are applied first, so an address can be reassigned in one batch', async (t) => {
      const bench = await make(t)
      const [old, next] = [peerAt(2), peerAt(2)]
      await bench.driver.ensure(configOf(bench.name))
      await bench.driver.change(bench.name, [{ kind: 'set', peer: old }])
      await bench.driver.change(bench.name, [
        { kind: 'set', peer: next },
        { kind: 'remove', publicKey: old.publicKey },
      ])
      assert.equal(await allowedIps(bench, old), undefined)
      assert.deepEqual(await allowedIps(bench, next), next.allowedIps)
    })

    test('an address claimed twice belongs to the last peer, which the controller guards against', async (t) => {
      const bench = await make(t)
      const [first, second] = [peerAt(2), peerAt(2)]
      await bench.driver.ensure(configOf(bench.name))
      await bench.driver.change(bench.name, [{ kind: 'set', peer: first }])
      await bench.driver.change(bench.name, [{ kind: 'set', peer: second }])
      assert.deepEqual(await allowedIps(bench, first), [])
      assert.deepEqual(await allowedIps(bench, second), second.allowedIps)
    })

    test('a port in use is an error and leaves no device behind', async (t) => {
      const { driver, name } = await make(t)
      const other = uniqueName('wg')
      await driver.ensure(configOf(name))
      await assert.rejects(
        driver.ensure(configOf(other)),
        (error: Error) => error instanceof DeviceError && /in use/.test(error.message),
      )
      assert.equal(await driver.read(other), undefined)
      assert.equal(await driver.isForeignLink(other), false)
    })

    test('a second driver reads the existing device', async (t) => {
      const bench = await make(t)
      const config = configOf(bench.name)
      const peer = peerAt(2)
      await bench.driver.ensure(config)
      await bench.driver.change(bench.name, [{ kind: 'set', peer }])
      await bench.driver.close()
      const second = bench.again()
      await second.ensure(config)
      assert.deepEqual([...(await read({ ...bench, driver: second })).peers.keys()], [peer.publicKey])
    })

    test('changing a device that does not run is an error that contains no key', async (t) => {
      const { driver, name } = await make(t)
      const secret = generatePresharedKey()
      const peer = peerAt(2, secret)
      await assert.rejects(driver.change(name, [{ kind: 'set', peer }]), (error: Error) => {
        const text = `${error.message} ${String(error.stack)}`
        return (
          error instanceof DeviceError &&
          !text.includes(secret) &&
          !text.includes(Buffer.from(secret, 'base64').toString('hex'))
        )
      })
    })

    test('no secret appears in the process list, and no command replaces a configuration', async (t) => {
      const bench = await make(t)
      const { driver, name } = bench
      const config = configOf(name)
      const peers = Array.from({ length: 20 }, (_, index) => peerAt(index + 2, generatePresharedKey()))
      const secrets = [config.privateKey, ...peers.map(({ presharedKey }) => presharedKey!)]
      const seen = await watchProcesses(secrets, async () => {
        await driver.ensure(config)
        for (const peer of peers) await driver.change(name, [{ kind: 'set', peer }])
        await driver.read(name)
      })
      assert.deepEqual(seen, [])
      assert.equal((await read(bench)).peers.size, 20)
      for (const command of bench.commands) {
        assert.ok(!secrets.some((secret) => command.includes(secret)))
        assert.doesNotMatch(command, /setconf|wg-quick|\bsh\b|link set \S+ down/)
      }
    })

    test('an invalid interface name is refused', async (t) => {
      const { driver } = await make(t)
      if (driver.backend === 'simulated') return
      for (const name of ['-h', '../x', 'a b', 'x'.repeat(16), '']) await assert.rejects(driver.read(name))
    })
  })
}

describe('drivers of real devices', { skip: obstacle ?? false }, () => {
  for (const [label, make] of [
    ['userspace', userspaceFixture],
    ['kernel tools', kernelFixture],
  ] as const) {
    test(`a link of another kind with the same name is left alone (${label})`, async (t) => {
      const { driver, name, run } = await make(t)
      await run('ip', ['link', 'add', 'dev', name, 'type', 'bridge'])
      assert.equal(await driver.isForeignLink(name), true)
      assert.equal((await driver.list()).includes(name), false)
      await assert.rejects(driver.ensure(configOf(name)), DeviceError)
      await driver.remove(name)
      assert.match(await run('ip', ['link', 'show', 'dev', name]), new RegExp(name))
    })
  }

  test('a device whose process was killed is recreated, with or without its stale socket', async (t) => {
    const bench = await userspaceFixture(t)
    const { driver, name, run } = bench
    const config = configOf(name)
    await driver.ensure(config)
    const pid = await processOf(name)
    process.kill(pid, 'SIGKILL')
    const deadline = performance.now() + 5000
    while ((await driver.read(name).catch(() => null)) !== undefined) {
      assert.ok(performance.now() < deadline)
      await pause(5)
    }
    assert.ok((await readdir('/var/run/wireguard')).includes(`${name}.sock`))
    await driver.ensure(config)
    assert.equal((await read(bench)).listenPort, 51_820)
    assert.match(await run('ip', ['address', 'show', 'dev', name]), /10\.8\.0\.1\/24/)
  })
})

/** The process of wireguard-go that serves a device. */
async function processOf(name: string): Promise<number> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const text = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (text.startsWith('wireguard-go\0') && text.includes(name)) return Number(entry)
  }
  throw new Error(`no process serves ${name}`)
}
