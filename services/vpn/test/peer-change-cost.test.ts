import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase, type Database } from '@hearth/database'
import { createLog, systemClock, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import type { KyselyPlugin } from 'kysely'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { openFiltering } from '../src/filtering/filtering.ts'
import type { Resolver } from '../src/filtering/resolver-status.ts'
import { DesiredDevices } from '../src/interfaces/desired-devices.ts'
import { Interfaces } from '../src/interfaces/interfaces.ts'
import { Placement } from '../src/interfaces/placement.ts'
import { PeerLimits } from '../src/limits/peer-limits.ts'
import { Peers } from '../src/peers/peers.ts'
import { openSampler } from '../src/peers/sampler.ts'
import { defaultSettings } from '../src/settings/schema.ts'
import type { RunCommand } from '../src/wireguard/command.ts'
import { DeviceError, type WireGuardDriver } from '../src/wireguard/device.ts'
import { createFirewall } from '../src/wireguard/firewall.ts'
import { createSimulatedLimitTable } from '../src/wireguard/limit-table.ts'
import { createSimulatedDriver } from '../src/wireguard/simulated-driver.ts'
import { Tunnels } from '../src/wireguard/tunnels.ts'

/** Cost of a change. */
interface Cost {
  /** Rows that came from the database. */
  rows: number
  /** Bytes the resolver was given, in messages or in files it was to read. */
  resolver: number
  /** Bytes that went to and came from `nft`. */
  firewall: number
  /** Changes that the device was asked for. */
  calls: number
}

const nothing: Cost = { rows: 0, resolver: 0, firewall: 0, calls: 0 }

/** Counts the rows of every answer of the database. */
function counting(cost: Cost): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      cost.rows += result.rows.length
      return Promise.resolve(result)
    },
  }
}

function recordingResolver(directory: string, cost: Cost): Resolver {
  const away = () => Promise.reject(new Error('is not asked in this test'))
  return {
    state: undefined,
    restarts: 0,
    quietMs: 0,
    async changed(file) {
      cost.resolver += (await readFile(join(directory, `${file}.json`))).length
    },
    changedClients(change) {
      // Numbers of peers are drawn; some have a digit less.
      cost.resolver += JSON.stringify(change, (_key, value) => (typeof value === 'number' ? 0 : value)).length
      return Promise.resolve()
    },
    beginClientsFile: () => () => undefined,
    changedLists: away,
    explain: away,
    testUpstream: away,
    purgeLog: () => Promise.resolve(),
    clearCache: away,
  }
}

/** An `nft` that keeps nothing and lists as much as it was given. */
function recordingFirewall(cost: Cost): RunCommand {
  let held = ''
  return (_file, _args, options) => {
    const file = options?.secretInput
    if (file === undefined && !held.includes('chain'))
      return Promise.reject(new DeviceError('No such file or directory'))
    if (file?.startsWith('add table') === true) held = file
    else held += file ?? ''
    cost.firewall += file?.length ?? held.length
    return Promise.resolve(file === undefined ? held : '')
  }
}

/** Peers on a database, with all that follows a change of theirs but the resolver and `nft`, which count. */
async function openService(count: number) {
  await using cleanup = new AsyncDisposableStack()
  const { path: directory } = cleanup.use(await temporaryDirectory('cost'))
  const cost: Cost = { ...nothing }
  const opened = openDatabase<Tables>({ file: ':memory:' })
  cleanup.defer(() => opened.close())
  await migrate(opened.query, migrations)
  const database: Database<Tables> = { ...opened, query: opened.query.withPlugin(counting(cost)) }
  const log = createLog({ name: 'test', level: 'silent' })
  const sealer = createSealer(randomBytes(32))
  const desired = new DesiredDevices({ db: database.query, sealer, clock: systemClock })
  const firewall = createFirewall(recordingFirewall(cost), () => Promise.resolve())
  const simulated = createSimulatedDriver(directory)
  const driver: WireGuardDriver = {
    ...simulated,
    change(name, changesOfDevice) {
      cost.calls += 1
      return simulated.change(name, changesOfDevice)
    },
  }
  const tunnels = new Tunnels({ driver, firewall, log, desired: (name) => desired.read(name) })
  cleanup.defer(() => tunnels.close())
  const sampler = await openSampler({ database, devices: tunnels, clock: systemClock, log })
  const filtering = await openFiltering({
    database,
    log,
    directory,
    clock: systemClock,
    timers: systemTimers,
    resolver: recordingResolver(directory, cost),
    engine: 'auto',
    extraListeners: [],
    listenClient: undefined,
    watched: () => ({ tunnels: false, blocked: false }),
    fixedUpstreams: undefined,
    hasTunnels: false,
    hits: () => Promise.resolve(new Map()),
    preview: () => assert.fail('is not asked in this test'),
  })
  cleanup.defer(() => filtering.close())
  const placement = new Placement()
  const limits = new PeerLimits({
    db: database.query,
    table: createSimulatedLimitTable(),
    placement,
    log,
    restriction: () => undefined,
  })
  const settings = () => defaultSettings
  const quotas = { view: () => null }
  const access = { during: <T>(_: unknown, work: () => Promise<T>) => work(), reload: () => Promise.resolve() }
  const shared = { database, sealer, clock: systemClock, settings, tunnels, desired, sampler, limits, access, quotas }
  const host = {
    isTaken: () => Promise.resolve(false),
    runningKey: () => Promise.resolve(undefined),
    isPortFree: () => Promise.resolve(true),
    networks: () => Promise.resolve([]),
  }
  const interfaces = new Interfaces({
    ...shared,
    host,
    placement,
    standbyState: () => ({ status: 'down', reason: null }),
    endpointOf: () => Promise.resolve(undefined),
    onComing: () => Promise.resolve(),
    onLeft: () => Promise.resolve(),
    onChanged: () => filtering.interfacesChanged(),
  })
  const changes: Promise<void>[] = []
  const peers = new Peers({
    ...shared,
    host,
    onChanged(ids) {
      changes.push(filtering.peersChanged(ids))
      return changes.at(-1) ?? Promise.resolve()
    },
  })
  await interfaces.create({ name: 'wg0', address: '10.8.0.1/16', enabled: false })
  for (let number = 0; number < count; number += 1) {
    await peers.create({ name: `peer ${number}`, interface: 'wg0', client_isolation: number % 2 === 0 })
  }
  await interfaces.update('wg0', { enabled: true })
  await Promise.all(changes)
  /** Measures an action with all that follows it. */
  const costOf = async (act: () => Promise<unknown>): Promise<Cost> => {
    Object.assign(cost, nothing)
    await act()
    await Promise.all(changes)
    return { ...cost }
  }
  const resources = cleanup.move()
  return { directory, peers, filtering, costOf, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function costs(count: number): Promise<Record<string, Cost>> {
  await using service = await openService(count)
  const { peers, filtering, costOf, directory } = service
  const made: string[] = []
  const create = (more: object) => async () => {
    made.push((await peers.create({ name: `new ${made.length}`, interface: 'wg0', ...more })).id)
  }
  const [first, second] = [() => made[0] ?? '', () => made[1] ?? '']
  const found = {
    create: await costOf(create({ ip: '10.8.200.1' })),
    'create isolated': await costOf(create({ ip: '10.8.200.2', client_isolation: true })),
    disable: await costOf(() => peers.update(first(), { enabled: false })),
    enable: await costOf(() => peers.update(first(), { enabled: true })),
    'stop filtering': await costOf(() => peers.update(first(), { use_adblocker: false })),
    rename: await costOf(() => peers.update(first(), { name: 'renamed' })),
    isolate: await costOf(() => peers.update(first(), { client_isolation: true })),
    'let go': await costOf(() => peers.update(second(), { client_isolation: false })),
    remove: await costOf(() => peers.remove(first())),
  }
  await filtering.close()
  const clients = JSON.parse(await readFile(join(directory, 'clients.json'), 'utf8')) as { id: string }[]
  assert.equal(clients.length, count + 1, 'the file follows')
  assert.ok(clients.some(({ id }) => id === second()) && !clients.some(({ id }) => id === first()))
  return found
}

test('a change of a peer reads, sends and writes the same, however many peers there are', async () => {
  const [few, many] = [await costs(20), await costs(600)]
  assert.deepEqual(many, few)
  for (const [name, { rows, resolver, firewall }] of Object.entries(few)) {
    assert.ok(rows > 0 && rows < 40, `${name}: ${rows} rows`)
    assert.ok(resolver < 500, `${name}: ${resolver} bytes`)
    assert.ok(firewall < 500, `${name}: ${firewall} bytes`)
  }
})

async function bulkCosts(count: number): Promise<Record<string, Cost>> {
  await using service = await openService(count)
  const { peers, costOf } = service
  const query = { limit: 10, offset: 0, sort: 'created_at', order: 'asc' } as const
  const { rows } = await peers.list({ role: 'admin' }, query)
  const ids = rows.map(({ id }) => id)
  return {
    disable: await costOf(() => peers.changeMany({ action: 'disable', ids })),
    enable: await costOf(() => peers.changeMany({ action: 'enable', ids })),
    'add a tag': await costOf(() => peers.changeMany({ action: 'add_tag', ids, tag: 'Kids' })),
    'set an expiry': await costOf(() =>
      peers.changeMany({ action: 'set_expiry', ids, expires_at: '2099-01-01T00:00:00Z' }),
    ),
    delete: await costOf(() => peers.changeMany({ action: 'delete', ids })),
  }
}

test('a change of many peers is one of the device, and costs the same however many others there are', async () => {
  const [few, many] = [await bulkCosts(20), await bulkCosts(600)]
  assert.deepEqual(many, few)
  for (const [name, { rows, resolver, firewall, calls }] of Object.entries(few)) {
    const changesDevice = ['disable', 'enable', 'delete'].includes(name)
    assert.equal(calls, changesDevice ? 1 : 0, name)
    assert.ok(rows > 0 && rows < 80, `${name}: ${rows} rows`)
    assert.ok(resolver < 5000 && firewall < 1000, `${name}: ${resolver} bytes to the resolver, ${firewall} to nft`)
  }
})
