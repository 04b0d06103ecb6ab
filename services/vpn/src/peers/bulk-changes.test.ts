import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { type DatabaseLocation, migrate, openDatabase } from '@hearth/database'
import { createLog, systemClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle, temporaryDirectory } from '@hearth/testing'
import { sql } from 'kysely'
import { migrations } from '../database/migrations/index.ts'
import { DesiredDevices } from '../interfaces/desired-devices.ts'
import { Interfaces } from '../interfaces/interfaces.ts'
import { Placement } from '../interfaces/placement.ts'
import { defaultSettings } from '../settings/schema.ts'
import type { Tables } from '../tables.ts'
import { openDataPlane } from '../wireguard/choose-driver.ts'
import { DeviceError, type WireGuardDriver } from '../wireguard/device.ts'
import { Tunnels } from '../wireguard/tunnels.ts'
import { PeerLimits } from '../limits/peer-limits.ts'
import type { PeerLimit } from '../wireguard/limit-text.ts'
import type { PeerBulkChange } from './bulk-schema.ts'
import type { PeerTransition } from './apply-to-device.ts'
import { Peers } from './peers.ts'
import { openSampler } from './sampler.ts'

/** Peers `a`, `c` on wg0 and `b`, `d` on wg1, half of them isolated, on simulated devices of which one may refuse changes. */
async function openPeers(location: DatabaseLocation = { file: ':memory:' }) {
  await using cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory('bulk'))
  const database = openDatabase<Tables>(location)
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  const sealer = createSealer(randomBytes(32))
  const log = createLog({ name: 'test', level: 'silent' })
  const planes = openDataPlane('simulated', { directory: folder.path, run: () => assert.fail('runs no program') })
  const faults = { refusing: '' }
  const driver: WireGuardDriver = {
    ...planes.driver,
    change: (name, changes) =>
      name === faults.refusing
        ? Promise.reject(new DeviceError(`${name}: no buffer space`))
        : planes.driver.change(name, changes),
  }
  const desired = new DesiredDevices({ db: database.query, sealer, clock: systemClock })
  const tunnels = new Tunnels({ ...planes, driver, log, desired: (name) => desired.read(name) })
  cleanup.defer(() => tunnels.close())
  const sampler = await openSampler({ database, devices: tunnels, clock: systemClock, log })
  const limited = new Map<string, PeerLimit>()
  const placement = new Placement()
  const limits = new PeerLimits({
    db: database.query,
    table: {
      ...planes.limitTable,
      change(ids, next) {
        if (next.some((limit) => limited.has(limit.id) && limit.interface === faults.refusing))
          return Promise.reject(new DeviceError(`${faults.refusing}: no buffer space`))
        for (const id of ids) limited.delete(id)
        for (const limit of next) limited.set(limit.id, limit)
        return Promise.resolve()
      },
    },
    placement,
    log,
    restriction: () => undefined,
  })
  const settings = () => defaultSettings
  const quotas = { view: () => null }
  /** Peers that access rules know. */
  const ruled = new Set<string>()
  const access = {
    async during<T>(transitions: readonly PeerTransition[], work: () => Promise<T>) {
      const result = await work()
      for (const { before, after } of transitions) {
        if (before !== undefined) ruled.delete(before.id)
        if (after !== undefined) ruled.add(after.id)
      }
      return result
    },
    reload: () => Promise.resolve(),
  }
  const shared = { database, sealer, clock: systemClock, settings, tunnels, desired, sampler, limits, access, quotas }
  const host = {
    isTaken: () => Promise.resolve(false),
    runningKey: () => Promise.resolve(undefined),
    isPortFree: () => Promise.resolve(true),
    networks: () => Promise.resolve([]),
  }
  const notified: string[][] = []
  const interfaces = new Interfaces({
    ...shared,
    host,
    placement,
    standbyState: () => ({ status: 'down', reason: null }),
    endpointOf: () => Promise.resolve(undefined),
    onComing: () => Promise.resolve(),
    onLeft: () => Promise.resolve(),
    onChanged: () => Promise.resolve(),
  })
  const peers = new Peers({
    ...shared,
    host,
    onChanged: (ids) => {
      notified.push([...ids])
      return Promise.resolve()
    },
  })
  for (const index of [0, 1]) await interfaces.create({ name: `wg${index}`, address: `10.${8 + index}.0.1/24` })
  const ids: string[] = []
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries())
    ids.push((await peers.create({ name, interface: `wg${index % 2}`, client_isolation: index < 2, limit_up: 5 })).id)
  /** The database and the devices as they stand. */
  const state = async () => {
    const rows = await database.query.selectFrom('peers').selectAll().orderBy('name').execute()
    const devices = await Promise.all(['wg0', 'wg1'].map((name) => tunnels.read(name)))
    const rules = await Promise.all(
      ['wg0', 'wg1'].map((name) => tunnels.withLock(name, async (tunnel) => tunnel.rules(name)?.isolated.toSorted())),
    )
    return {
      limited: [...limited.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      ruled: [...ruled].toSorted(),
      rows,
      onDevices: devices.map((device) => [...(device?.peers.keys() ?? [])].toSorted()),
      rules,
    }
  }
  const resources = cleanup.move()
  return { database, peers, ids, faults, notified, state, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const changes = (ids: string[]): PeerBulkChange[] => [
  { action: 'disable', ids },
  { action: 'set_expiry', ids, expires_at: '2020-01-01T00:00:00Z' },
  { action: 'set_limit', ids, limit_down: 2 },
  { action: 'delete', ids },
]

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(`when the second device refuses, database and first device are as before, on ${kind}`, { skip }, async () => {
    await using world = await openPeers(kind === 'SQLite' ? undefined : { url: await createPostgresDatabase() })
    const { peers, ids, faults, notified, state } = world
    const before = await state()
    notified.length = 0
    for (const change of changes(ids)) {
      faults.refusing = 'wg1'
      await assert.rejects(
        peers.changeMany(change),
        /The tunnel refused the change, nothing was changed: wg1: no buffer/,
      )
      faults.refusing = ''
      assert.deepEqual(await state(), before, change.action)
    }
    assert.deepEqual(notified, [], 'the resolver is not told of what did not happen')
  })
}

for (const what of ['one', 'many'] as const)
  test(`a peer that cannot be deleted keeps device, limit and access rules, of ${what}`, async () => {
    await using world = await openPeers()
    const { database, peers, ids, state } = world
    const before = await state()
    const trigger = "CREATE TRIGGER full BEFORE DELETE ON peers BEGIN SELECT raise(ABORT, 'the disk is full'); END"
    await sql.raw(trigger).execute(database.query)
    const removal = what === 'one' ? peers.remove(ids[0] ?? '') : peers.changeMany({ action: 'delete', ids })
    await assert.rejects(removal, /the disk is full/)
    assert.deepEqual(await state(), before)
  })

test('changes of the same peers at the same time wait for each other, in whatever order their interfaces stand', async () => {
  await using world = await openPeers()
  const { peers, ids, state } = world
  const [a = '', b = '', c = '', d = ''] = ids
  await Promise.all([
    peers.changeMany({ action: 'disable', ids: [a, b, c, d] }),
    peers.changeMany({ action: 'add_tag', ids: [d, c, b, a], tag: 'kids' }),
    peers.update(b, { name: 'renamed' }),
    peers.changeMany({ action: 'add_tag', ids: [b, a], tag: 'guests' }),
    peers.changeMany({ action: 'delete', ids: [c, d] }),
  ])
  const { rows, onDevices } = await state()
  assert.deepEqual(
    rows.map(({ name, enabled, tags }) => [name, enabled, tags]),
    [
      ['a', 0, '["guests","kids"]'],
      ['renamed', 0, '["guests","kids"]'],
    ],
  )
  assert.deepEqual(onDevices, [[], []])
})

test('the resolver is told of all peers at once', async () => {
  await using world = await openPeers()
  const { peers, ids, notified } = world
  notified.length = 0
  await peers.changeMany({ action: 'disable', ids: [...ids, ...ids] })
  assert.deepEqual(notified, [ids])
})
