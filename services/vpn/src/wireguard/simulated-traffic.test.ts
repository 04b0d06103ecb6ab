import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { DeviceError, type DevicePeer } from './device.ts'
import { generateKeyPair, generatePresharedKey } from './keys.ts'
import { createSimulatedDriver } from './simulated-driver.ts'
import { simulateTraffic } from './simulated-traffic.ts'

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-traffic-'))
  t.after(() => rm(directory, { recursive: true }))
  return directory
}

const pair = generateKeyPair()
const config = {
  name: 'wg0',
  privateKey: pair.privateKey,
  listenPort: 51_820,
  addresses: ['10.8.0.1/24'],
  mtu: 1420,
  routes: [],
}

function peersOf(count: number): DevicePeer[] {
  return Array.from({ length: count }, (_, index) => ({
    publicKey: generateKeyPair().publicKey,
    presharedKey: generatePresharedKey(),
    allowedIps: [`10.8.${index >> 8}.${index & 255}/32`],
  }))
}

describe('simulated devices', () => {
  test('leave no secret in the data directory', async (t) => {
    const directory = await folder(t)
    const driver = createSimulatedDriver(directory)
    const peers = peersOf(3)
    await driver.ensure(config)
    await driver.change(
      'wg0',
      peers.map((peer) => ({ kind: 'set', peer })),
    )
    for (const file of await readdir(directory)) {
      const text = await readFile(join(directory, file), 'utf8')
      assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600)
      assert.ok(!text.includes(config.privateKey))
      for (const { presharedKey } of peers) assert.ok(!text.includes(presharedKey!))
    }
    assert.deepEqual((await driver.read('wg0'))?.peers.get(peers[0]!.publicKey)?.presharedKey, peers[0]!.presharedKey)
  })

  test('lose no change when changed simultaneously', async (t) => {
    const driver = createSimulatedDriver(await folder(t))
    await driver.ensure(config)
    const peers = peersOf(30)
    await Promise.all(peers.map((peer) => driver.change('wg0', [{ kind: 'set', peer }])))
    assert.equal((await driver.read('wg0'))?.peers.size, 30)
  })

  test('report a damaged file with what to do', async (t) => {
    const directory = await folder(t)
    await writeFile(join(directory, 'simulated-devices.json'), '{"wg0":')
    await assert.rejects(createSimulatedDriver(directory).read('wg0'), (error: Error) => {
      return error instanceof DeviceError && /damaged; remove it/.test(error.message)
    })
  })
})

describe('simulated traffic', () => {
  test('makes peers active while it runs and lets them go idle when it ends', async (t) => {
    const directory = await folder(t)
    const driver = createSimulatedDriver(directory)
    const peers = peersOf(40)
    await driver.ensure(config)
    await driver.change(
      'wg0',
      peers.map((peer) => ({ kind: 'set', peer })),
    )
    const talking = async () =>
      [...((await driver.read('wg0'))?.peers.values() ?? [])].filter((peer) => peer.latestHandshake !== null)
    assert.equal((await talking()).length, 0)
    const end = new AbortController()
    const running = simulateTraffic(directory, {
      publicKeys: () => peers.map(({ publicKey }) => publicKey),
      signal: end.signal,
      interval: 20,
    })
    const deadline = performance.now() + 5000
    while ((await talking()).length === 0) assert.ok(performance.now() < deadline)
    const before = await talking()
    assert.ok(before.length > 20 && before.length < 40)
    for (const peer of before) {
      assert.match(peer.endpoint ?? '', /^(192\.0\.2|198\.51\.100)\.\d+:\d+$/)
      assert.ok(peer.latestHandshake! <= Date.now())
    }
    const sum = (list: typeof before) => list.reduce((total, peer) => total + peer.rxBytes + peer.txBytes, 0)
    while (sum(await talking()) <= sum(before)) assert.ok(performance.now() < deadline)
    end.abort()
    await running
    assert.equal((await talking()).length, 0)
  })

  test('that is no longer written does not count', async (t) => {
    const directory = await folder(t)
    const driver = createSimulatedDriver(directory)
    const [peer] = peersOf(1)
    await driver.ensure(config)
    await driver.change('wg0', [{ kind: 'set', peer: peer! }])
    const write = (writtenAt: number) => {
      const peers = { [peer!.publicKey]: ['192.0.2.7:5', writtenAt, 10, 20] }
      return writeFile(join(directory, 'simulated-traffic.json'), JSON.stringify({ writtenAt, peers }))
    }
    await write(Date.now() - 6000)
    assert.equal((await driver.read('wg0'))?.peers.get(peer!.publicKey)?.latestHandshake, null)
    await write(Date.now())
    assert.equal((await driver.read('wg0'))?.peers.get(peer!.publicKey)?.txBytes, 20)
    await pause(0)
  })
})
