import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import { insertNodeRow } from '../nodes/store.ts'
import type { Tables } from '../tables.ts'
import { createSimulatedFirewall } from '../wireguard/firewall.ts'
import { createSimulatedDriver } from '../wireguard/simulated-driver.ts'
import { Tunnels } from '../wireguard/tunnels.ts'
import { DesiredDevices } from './desired-devices.ts'
import { type InterfaceDependencies, Interfaces } from './interfaces.ts'
import { takeLeftDevices } from './left-devices.ts'
import { Placement } from './placement.ts'
import { findInterfaceRow, forgetLeftDevice, leftDevices } from './store.ts'

const nothing = () => Promise.resolve()
const node = {
  id: '01990000-0000-7000-8000-000000000001',
  name: 'Berlin',
  name_key: 'berlin',
  created_at: 0,
  created_by: null,
  fingerprint: null,
  joined_at: null,
  last_seen_at: null,
  address: null,
  version: null,
  endpoint: null,
  traffic_count: null,
  traffic_number: null,
  reported: null,
  reported_dns: null,
  reported_networks: null,
}

/** The interfaces of a service with a node and simulated devices; `sampleInterface` is called before a device is taken down. */
async function openWorld(cleanup: AsyncDisposableStack) {
  const { path } = cleanup.use(await temporaryDirectory())
  const database = openDatabase<Tables>({ file: ':memory:' })
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  await insertNodeRow(database.query, node)
  const sealer = createSealer(randomBytes(32))
  const log = createLog({ name: 'test', level: 'silent' })
  const driver = createSimulatedDriver(path)
  const placement = new Placement()
  const desired = new DesiredDevices({ db: database.query, sealer, clock: systemClock })
  const tunnels = new Tunnels({
    driver,
    firewall: createSimulatedFirewall(),
    desired: (name) => desired.read(name),
    log,
  })
  const sampler = {
    peersOf: () => [],
    interfaceChanged: () => undefined,
    sampleInterface: nothing,
    restart: nothing,
    forget: () => undefined,
  }
  const dependencies: InterfaceDependencies = {
    database,
    sealer,
    clock: systemClock,
    settings: () => ({ default_dns: '9.9.9.9', default_mtu: 1420 }),
    tunnels,
    desired,
    sampler,
    host: {
      isTaken: async (name) => (await driver.list()).includes(name),
      runningKey: async (name) => (await driver.read(name))?.publicKey ?? undefined,
      isPortFree: () => Promise.resolve(true),
      networks: () => Promise.resolve([]),
    },
    placement,
    standbyState: () => ({ status: 'down', reason: null }),
    endpointOf: () => Promise.resolve(undefined),
    onComing: nothing,
    onLeft: (name) => forgetLeftDevice(database.query, name),
    onChanged: nothing,
  }
  const interfaces = new Interfaces(dependencies)
  await interfaces.create({ name: 'wg0', address: '10.8.0.1/24' })
  return { database, driver, sampler, interfaces, log }
}

test('a device is taken down at the next start when the service ends while its interface moves to a node', async () => {
  await using cleanup = new AsyncDisposableStack()
  const { database, driver, sampler, interfaces, log } = await openWorld(cleanup)
  const { promise: isEnding, resolve } = Promise.withResolvers<void>()
  sampler.sampleInterface = () => {
    resolve()
    // The process ends here.
    return new Promise(() => undefined)
  }
  void interfaces.update('wg0', { node_id: node.id })
  await isEnding
  assert.equal((await findInterfaceRow(database.query, 'wg0'))?.node_id, node.id)
  assert.deepEqual(await driver.list(), ['wg0'])
  const desired = () => Promise.resolve([])
  const tunnels = new Tunnels({ driver, firewall: createSimulatedFirewall(), desired, log })
  await takeLeftDevices({ db: database.query, driver, tunnels, log })
  assert.deepEqual(await driver.list(), [])
})

test('a finished move leaves nothing to take down at the next start', async () => {
  await using cleanup = new AsyncDisposableStack()
  const { database, driver, interfaces } = await openWorld(cleanup)
  await interfaces.update('wg0', { node_id: node.id })
  assert.deepEqual([await driver.list(), await leftDevices(database.query)], [[], []])
})
