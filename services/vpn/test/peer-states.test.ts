import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, createManualClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import * as fc from 'fast-check'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { DesiredDevices } from '../src/interfaces/desired-devices.ts'
import { Interfaces } from '../src/interfaces/interfaces.ts'
import { Placement } from '../src/interfaces/placement.ts'
import { PeerLimits } from '../src/limits/peer-limits.ts'
import { readOverview } from '../src/overview/overview.ts'
import { Dashboard } from '../src/overview/schema.ts'
import { Configurations } from '../src/peers/configurations.ts'
import { Peers } from '../src/peers/peers.ts'
import { openSampler } from '../src/peers/sampler.ts'
import { PeerListQuery, type Peer } from '../src/peers/schema.ts'
import { defaultSettings } from '../src/settings/schema.ts'
import { openDataPlane } from '../src/wireguard/choose-driver.ts'
import { Tunnels } from '../src/wireguard/tunnels.ts'

const admin = { role: 'admin' } as const
const everything = { limit: 100, offset: 0 }
const nothing = () => Promise.resolve()

/** Overview, interfaces and peers on one database and simulated devices, with a clock and handshakes that the test decides. */
async function openService() {
  await using cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory('states'))
  const database = openDatabase<Tables>({ file: ':memory:' })
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  const clock = createManualClock(Date.parse('2026-11-21T12:00:00Z'))
  const sealer = createSealer(randomBytes(32))
  const log = createLog({ name: 'test', level: 'silent' })
  const planes = openDataPlane('simulated', { directory: folder.path, run: () => assert.fail('runs no program') })
  const desired = new DesiredDevices({ db: database.query, sealer, clock })
  const tunnels = new Tunnels({ ...planes, log, desired: (name) => desired.read(name) })
  cleanup.defer(() => tunnels.close())
  const sampler = await openSampler({ database, devices: tunnels, clock, log })
  const settings = () => defaultSettings
  const placement = new Placement()
  const limits = new PeerLimits({
    db: database.query,
    table: planes.limitTable,
    placement,
    log,
    restriction: () => undefined,
  })
  const quotas = { view: () => null }
  const access = { during: <T>(_: unknown, work: () => Promise<T>) => work(), reload: () => Promise.resolve() }
  const shared = { database, sealer, clock, settings, tunnels, desired, sampler, limits, access, quotas }
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
    onChanged: nothing,
  })
  const configured: string[] = []
  const peers = new Peers({ ...shared, host, onChanged: nothing })
  const configurations = new Configurations({
    db: database.query,
    sealer,
    publicEndpoint: () => Promise.resolve('vpn.example.org'),
    onConfigured: (id) => void configured.push(id),
    onNewKeyHandedOut: () => undefined,
  })
  const overview = () =>
    readOverview({
      database,
      clock,
      version: '0',
      dataPlane: { backend: 'simulated', reason: '', advice: null },
      health: () => Promise.resolve([]),
      tunnels,
      sampler,
      history: { today: () => Promise.resolve({ rx_bytes: 0, tx_bytes: 0 }) },
      filtering: {
        status: () => ({ running: true, blocking: { enabled: true, paused_until: null }, blocked_names: 0 }) as never,
      },
    })
  const handshakes = new Map<string, number>()
  /** The devices report these handshakes, by public key. */
  const sample = async () => {
    const known = Object.fromEntries([...handshakes].map(([key, at]) => [key, ['192.0.2.1:4000', at, 10, 10]]))
    const content = JSON.stringify({ writtenAt: Date.now(), peers: known })
    await writeFile(join(folder.path, 'simulated-traffic.json'), content)
    return sampler.sample()
  }
  const resources = cleanup.move()
  return {
    clock,
    interfaces,
    peers,
    configurations,
    overview,
    handshakes,
    sample,
    configured,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
type Service = Awaited<ReturnType<typeof openService>>

/** The three views, held against each other: each peer is in one state, and all count it the same. */
async function compare({ overview, interfaces, peers }: Service): Promise<void> {
  const dashboard = await overview()
  const parsed = Dashboard.safeParse(dashboard)
  assert.ok(parsed.success, `the overview cannot be answered: ${JSON.stringify(dashboard.peers)}`)
  const { rows } = await peers.list(admin, PeerListQuery.parse(everything))
  const counted = (status: string, among = rows) => among.filter((peer) => peer.status === status).length
  assert.deepEqual(
    dashboard.peers,
    {
      total: rows.length,
      connected: counted('active'),
      active: counted('active'),
      inactive: counted('inactive'),
      disabled: counted('disabled'),
    },
    'overview and peer list',
  )
  for (const status of ['active', 'inactive', 'disabled'] as const) {
    const listed = await peers.list(admin, PeerListQuery.parse({ ...everything, status }))
    assert.deepEqual(namesOf(listed.rows), namesOf(rows.filter((peer) => peer.status === status)), `filter ${status}`)
  }
  for (const each of (await interfaces.list(everything)).rows) {
    const own = rows.filter((peer) => peer.interface === each.name)
    assert.deepEqual([each.peer_count, each.connected_peers], [own.length, counted('active', own)], each.name)
  }
}

const namesOf = (peers: readonly Peer[]) => peers.map(({ name }) => name).toSorted()

const some = fc.nat(5)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('handshake' as const), peer: some }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sample' as const) }) },
  fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 5, 60, 179, 180) }),
  fc.record({ kind: fc.constant('enable' as const), peer: some, enabled: fc.boolean() }),
  fc.record({ kind: fc.constant('expire' as const), peer: some, seconds: fc.constantFrom(null, -1, 0, 5, 100) }),
  fc.record({ kind: fc.constant('remove' as const), peer: some }),
  fc.record({ kind: fc.constant('create' as const), on: fc.constantFrom('wg0', 'wg1'), enabled: fc.boolean() }),
  fc.record({
    kind: fc.constant('switch' as const),
    name: fc.constantFrom('wg0', 'wg1'),
    enabled: fc.boolean(),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function take(service: Service, done: Step, number: number): Promise<void> {
  const { clock, interfaces, peers, handshakes, sample } = service
  if (done.kind === 'sample') return void (await sample())
  if (done.kind === 'pass') return clock.advance(done.seconds * 1000)
  if (done.kind === 'switch') return void (await interfaces.update(done.name, { enabled: done.enabled }))
  if (done.kind === 'create') {
    return void (await peers.create({ name: `peer ${number}`, interface: done.on, enabled: done.enabled }))
  }
  const { rows } = await peers.list(admin, PeerListQuery.parse(everything))
  const peer = rows[done.peer % Math.max(1, rows.length)]
  if (peer === undefined) return
  if (done.kind === 'handshake') handshakes.set(peer.public_key, clock.now())
  else if (done.kind === 'enable') await peers.update(peer.id, { enabled: done.enabled })
  else if (done.kind === 'remove') await peers.remove(peer.id)
  else {
    const at = done.seconds === null ? null : new Date(clock.now() + done.seconds * 1000).toISOString()
    await peers.update(peer.id, { expires_at: at })
  }
}

async function furnish(): Promise<Service> {
  const service = await openService()
  for (const [third, name] of ['wg0', 'wg1'].entries()) {
    await service.interfaces.create({ name, address: `10.8.${third}.1/24`, listen_port: 51_820 + third })
    await service.peers.create({ name: `first of ${name}`, interface: name })
    await service.peers.create({ name: `second of ${name}`, interface: name })
  }
  return service
}

test('overview, interfaces and peer list agree after every change and sample', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using service = await furnish()
      for (const [number, done] of steps.entries()) {
        await take(service, done, number)
        await compare(service)
      }
    }),
    { numRuns: 60 },
  )
})

test('a connected peer that is disabled, expires or whose interface stops disconnects at once', async () => {
  await using service = await furnish()
  const { peers, interfaces, overview, clock, handshakes, sample } = service
  const { rows } = await peers.list(admin, PeerListQuery.parse(everything))
  for (const peer of rows) handshakes.set(peer.public_key, clock.now())
  await sample()
  assert.equal((await overview()).peers.connected, 4)
  await peers.update(rows[0]?.id ?? '', { enabled: false })
  await peers.update(rows[1]?.id ?? '', { expires_at: new Date(clock.now() + 1000).toISOString() })
  clock.advance(1000)
  assert.deepEqual((await overview()).peers, { total: 4, connected: 2, active: 2, inactive: 0, disabled: 2 })
  await interfaces.update('wg1', { enabled: false })
  assert.equal((await interfaces.get('wg1')).connected_peers, 0)
  assert.deepEqual((await overview()).peers, { total: 4, connected: 0, active: 0, inactive: 2, disabled: 2 })
  await compare(service)
})

test('a configuration with another endpoint and other networks than the one before is one piece of news', async () => {
  await using service = await openService()
  const { peers, configurations, interfaces, clock, configured } = service
  await interfaces.create({ name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const phone = await peers.create({ name: 'phone', interface: 'wg0', routing_mode: 'split_tunnel' })
  const isMarked = async () => (await peers.get(admin, phone.id)).needs_configuration
  await configurations.read(phone.id, 'vpn.example.org')
  assert.deepEqual([await isMarked(), configured], [false, []])
  clock.advance(1000)
  await interfaces.update('wg0', { listen_port: 51_821 })
  await peers.create({ name: 'office', interface: 'wg0', networks: ['10.20.0.0/16'] })
  assert.equal(await isMarked(), true)
  const { text } = await configurations.read(phone.id, 'vpn.example.org')
  assert.match(text, /10\.20\.0\.0\/16/)
  assert.match(text, /:51821$/m)
  assert.deepEqual([await isMarked(), configured], [false, [phone.id]])
  await configurations.read(phone.id, 'vpn.example.org')
  assert.deepEqual(configured, [phone.id], 'the same one again changes nothing')
})
