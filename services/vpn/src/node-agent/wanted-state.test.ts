import assert from 'node:assert/strict'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { createSimulatedFirewall } from '../wireguard/firewall.ts'
import { generateKeyPair } from '../wireguard/keys.ts'
import { createSimulatedLimitTable } from '../wireguard/limit-table.ts'
import { DeviceError, type WireGuardDriver } from '../wireguard/device.ts'
import { createSimulatedDriver } from '../wireguard/simulated-driver.ts'
import { NodeTunnels } from './node-tunnels.ts'
import { WantedState } from './wanted-state.ts'

const keys = [generateKeyPair(), generateKeyPair()]
const noPage = { narrow: () => Promise.resolve(), bring: () => Promise.resolve() }

/** A state with interfaces of these numbers. */
function stateOf(...numbers: readonly number[]) {
  const interfaces = numbers.map((number) => {
    const name = `wg${number}`
    const config = { name, privateKey: keys[number]?.privateKey, listenPort: 51_820 + number, mtu: 1420, routes: [] }
    const rules = { name, networks: [], nat: false, forwarding: true, isolated: [] }
    return {
      config: Object.assign(config, { addresses: [`10.8.${number}.1/24`] }),
      peers: [],
      rules: Object.assign(rules, { subnets: [`10.8.${number}.0/24`] }),
      running: true,
    }
  })
  return { interfaces, limits: [], access: { interfaces: [], peers: [], groups: [], rules: [] } }
}

/** The part of a node that runs states, on simulated devices in a folder. */
function openNode(directory: string, faults = new Set<'limits' | 'remove'>()) {
  const driver = createSimulatedDriver(directory)
  const fail = (what: 'limits' | 'remove') =>
    faults.has(what) ? Promise.reject(new DeviceError(`${what} is broken`)) : Promise.resolve()
  const faulty: WireGuardDriver = { ...driver, remove: (name) => fail('remove').then(() => driver.remove(name)) }
  const lines: string[] = []
  const log = createLog({ name: 'test', level: 'silent' })
  log.info = log.error = (entry: unknown) => void lines.push(typeof entry === 'string' ? entry : JSON.stringify(entry))
  const nothing = () => Promise.resolve()
  const isSame = () => Promise.resolve(false)
  const tunnels = new NodeTunnels({
    driver: faulty,
    firewall: createSimulatedFirewall(),
    limitTable: { ...createSimulatedLimitTable(), replace: () => fail('limits') },
    accessTable: { apply: nothing, replace: nothing, hasDrifted: isSame, repair: nothing, remove: nothing },
    log,
    timers: systemTimers,
    checkEveryMs: 3_600_000,
    countTraffic: nothing,
    onChanged: () => undefined,
  })
  const wanted = new WantedState({ directory, tunnels, page: noPage, log })
  return { driver, wanted, lines, [Symbol.asyncDispose]: () => tunnels.close() }
}

test('a state is on the disk before it is in force, for its owner alone, and runs after a start without the service', async () => {
  await using folder = await temporaryDirectory()
  {
    await using node = openNode(folder.path)
    await node.wanted.start()
    assert.deepEqual([node.wanted.received, node.wanted.revision, node.wanted.statuses()], [null, null, []])
    await node.wanted.take('one', stateOf(0, 1))
    assert.deepEqual([node.wanted.received, node.wanted.revision], ['one', 'one'])
  }
  assert.equal(((await stat(join(folder.path, 'state.json'))).mode & 0o777).toString(8), '600')
  await using node = openNode(folder.path)
  await node.wanted.start()
  assert.deepEqual([node.wanted.received, node.wanted.revision], ['one', 'one'])
  assert.deepEqual(await node.driver.list(), ['wg0', 'wg1'])
  const statuses = node.wanted.statuses().map(({ name, status }) => `${name} ${status}`)
  assert.deepEqual(statuses, ['wg0 up', 'wg1 up'])
})

test('an interface that a state has no more goes also when the program ended, or failed, before it was taken down', async () => {
  await using folder = await temporaryDirectory()
  const faults = new Set<'limits' | 'remove'>()
  {
    await using node = openNode(folder.path, faults)
    await node.wanted.take('one', stateOf(0, 1))
    faults.add('remove')
    await node.wanted.take('two', stateOf(0))
    assert.deepEqual(await node.driver.list(), ['wg0', 'wg1'])
    assert.deepEqual(
      node.wanted.statuses().map(({ name }) => name),
      ['wg0'],
    )
  }
  faults.clear()
  await using node = openNode(folder.path, faults)
  await node.wanted.start()
  assert.deepEqual(await node.driver.list(), ['wg0'])
  assert.deepEqual(JSON.parse(await readFile(join(folder.path, 'state.json'), 'utf8')).leaving, [])
})

test('a state that cannot be put in force is reported for each interface, and tried again', async () => {
  await using folder = await temporaryDirectory()
  const faults = new Set<'limits' | 'remove'>(['limits'])
  await using node = openNode(folder.path, faults)
  await node.wanted.take('one', stateOf(0))
  assert.deepEqual([node.wanted.received, node.wanted.revision], ['one', null])
  assert.deepEqual(node.wanted.statuses(), [{ name: 'wg0', status: 'error', reason: 'limits is broken' }])
  await node.wanted.retry()
  assert.equal(node.lines.filter((line) => line.includes('not in force yet')).length, 1, 'it is said once')
  faults.clear()
  await node.wanted.retry()
  assert.equal(node.wanted.revision, 'one')
  assert.deepEqual(node.wanted.statuses(), [{ name: 'wg0', status: 'up', reason: null }])
})

test('a state that is in force counts as that also when its file cannot be written after it', async () => {
  await using folder = await temporaryDirectory()
  const faults = new Set<'limits' | 'remove'>()
  await using node = openNode(folder.path, faults)
  await node.wanted.take('one', stateOf(0, 1))
  faults.add('limits')
  await node.wanted.take('two', stateOf(0))
  faults.clear()
  const moved = `${folder.path}.moved`
  await rename(folder.path, moved)
  await node.wanted.retry()
  await rename(moved, folder.path)
  await node.wanted.retry()
  assert.equal(node.wanted.revision, 'two')
  assert.deepEqual(node.wanted.statuses(), [{ name: 'wg0', status: 'up', reason: null }])
})

test('a state of another version changes nothing, is named to the service, and is over with the next one', async () => {
  await using folder = await temporaryDirectory()
  await using node = openNode(folder.path)
  await node.wanted.take('one', stateOf(0))
  const other = stateOf(0, 1)
  await node.wanted.take('two', { ...other, limits: 'none' })
  assert.deepEqual([node.wanted.received, node.wanted.revision], ['two', 'one'])
  assert.deepEqual(await node.driver.list(), ['wg0'])
  for (const { status, reason } of node.wanted.statuses())
    assert.match(
      `${status} ${reason}`,
      /^error the service wants what this version .* \(limits: .*\): update Hearth on/,
    )
  assert.equal(node.wanted.statuses().length, 2)
  const secret = keys[1]?.privateKey ?? ''
  assert.ok(!`${node.lines.join()}${JSON.stringify(node.wanted.statuses())}`.includes(secret))
  await node.wanted.take('one', stateOf(0))
  assert.deepEqual([node.wanted.received, node.wanted.statuses()[0]?.status], ['one', 'up'])
})

test('a state that is damaged, or cannot be written, changes nothing', async () => {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'state.json')
  {
    await using node = openNode(folder.path)
    await node.wanted.take('one', stateOf(0))
  }
  await writeFile(file, (await readFile(file, 'utf8')).replace('"mtu":1420', '"mtu":14'))
  await using node = openNode(folder.path)
  await node.wanted.start()
  assert.match(
    node.lines.join(),
    /state\.json is damaged, or another version wrote it \(state\.interfaces\.0\.config\.mtu/,
  )
  assert.deepEqual([node.wanted.received, await node.driver.list()], [null, ['wg0']])

  await using missing = await temporaryDirectory()
  await using other = openNode(missing.path)
  await rm(missing.path, { recursive: true })
  await assert.rejects(other.wanted.take('one', stateOf(0)), /ENOENT/)
  assert.match(other.lines.join(), /cannot be written/)
  assert.deepEqual([other.wanted.received, other.wanted.revision], [null, null])
})
