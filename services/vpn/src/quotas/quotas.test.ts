import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { openToldNotifications } from '@hearth/notifications/test'
import { createLog } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { openTrafficFixture } from '../../test/traffic-fixture.ts'
import { eventClasses } from '../notifications/event-classes.ts'
import { createSimulatedLimitTable } from '../wireguard/limit-table.ts'
import type { PeerLimit } from '../wireguard/limit-text.ts'
import { Placement } from '../interfaces/placement.ts'
import { PeerLimits } from '../limits/peer-limits.ts'
import { Quotas } from './quotas.ts'
import { PeerQuotaSet } from './schema.ts'

const [hour, day] = [3_600_000, 86_400_000]
const quotaOf = (more: object) => PeerQuotaSet.parse({ bytes: 10_000_000, ...more })

/** Quotas of the peer `p2`, whose counters on the device the test sets, and what the kernel was told. */
async function openQuotas(location: DatabaseLocation = { file: ':memory:' }) {
  const { database, clock, counters, start } = await openTrafficFixture(location, { p2: 'wg0' })
  const log = createLog({ name: 'test', level: 'silent' })
  const notifications = await openToldNotifications(eventClasses)
  const kernel = new Map<string, PeerLimit>()
  const device = { rxBytes: 7_000_000, txBytes: 50_000_000 }
  const state = { isFailing: false, changes: 0 }
  const limits: PeerLimits = new PeerLimits({
    db: database.query,
    placement: new Placement(),
    log,
    restriction: (id) => world.quotas.restriction(id),
    table: {
      ...createSimulatedLimitTable(),
      change(ids, next) {
        if (state.isFailing) return Promise.reject(new Error('no nft'))
        for (const id of ids) kernel.delete(id)
        for (const limit of next) kernel.set(limit.id, limit)
        return Promise.resolve()
      },
    },
  })
  /** A process of the service; the one before is forgotten, as by kill -9. */
  const open = async () => {
    const { sampler } = await start()
    const quotas = await Quotas.open({
      db: database.query,
      clock,
      log,
      peer(id) {
        const peer = sampler.peer(id)
        return peer && { id, name: 'Phone', rx: peer.activity.rx_total, tx: peer.activity.tx_total }
      },
      sample: (id) => sampler.samplePeers('wg0', [id]),
      limits,
      reports: notifications.reports,
      onChanged: () => void (state.changes += 1),
    })
    return { sampler, quotas }
  }
  const sample = async () => {
    counters.set('p2', { ...device, latestHandshake: clock.now() })
    clock.advance(1000)
    await world.sampler.sample()
    await world.quotas.check()
  }
  const world = await open()
  await sample()
  return Object.assign(world, {
    clock,
    counters,
    device,
    state,
    sample,
    told: () => notifications.told(),
    kernel: () => kernel.get('p2'),
    restart: async () => void Object.assign(world, await open()),
    async use(bytes: number) {
      device.txBytes += bytes
      await sample()
    },
    async [Symbol.asyncDispose]() {
      await notifications[Symbol.asyncDispose]()
      await database.close()
    },
  })
}

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(
    `a peer is told of at 80 and 100 %, stopped, and runs on when the month is over, on ${kind}`,
    { skip },
    async () => {
      await using world = await openQuotas(kind === 'SQLite' ? undefined : { url: await createPostgresDatabase() })
      await world.quotas.set('p2', quotaOf({ at_limit: 'stop' }))
      assert.equal(world.quotas.view('p2')?.used, 0, 'what was used before the quota does not count')
      await world.use(7_900_000)
      assert.deepEqual([world.quotas.view('p2')?.state, await world.told()], ['within', []])
      await world.use(100_000)
      assert.equal(world.quotas.view('p2')?.state, 'near')
      await world.restart()
      await world.use(1_900_000)
      assert.equal(world.kernel(), undefined)
      world.device.rxBytes += 100_000
      await world.use(0)
      const used = ['Phone has used 80 % of its quota', 'Phone has used up its quota']
      assert.deepEqual(
        (await world.told()).map((text) => text.replace(/^\w+: /, '')),
        used,
      )
      assert.equal(world.kernel()?.isStopped, true)
      const view = world.quotas.view('p2')
      assert.deepEqual([view?.state, view?.used], ['over', 10_000_000])
      assert.equal(new Date(view?.until ?? 0).toLocaleDateString('sv'), '2026-12-01')

      await world.restart()
      await world.sample()
      assert.equal((await world.told()).length, 2, 'nothing is told again after a restart')
      assert.equal(world.quotas.restriction('p2'), 'stop')
      world.clock.advance(11 * day)
      await world.restart()
      await world.sample()
      assert.equal(world.kernel()?.isStopped, true, 'a clock is not believed at once')
      world.clock.advance(hour)
      await world.sample()
      assert.deepEqual([world.quotas.view('p2')?.used, world.kernel()], [0, undefined])
      await world.use(8_000_000)
      assert.equal((await world.told()).length, 3, 'a new month tells again')
    },
  )
}

test('a count begins without what was moved since the last sample, when it is set and when it begins anew', async () => {
  await using world = await openQuotas()
  const moveUnseen = () => {
    world.device.txBytes += 50_000_000
    world.counters.set('p2', { ...world.device, latestHandshake: world.clock.now() })
  }
  moveUnseen()
  await world.quotas.set('p2', quotaOf({ at_limit: 'stop' }))
  await world.sample()
  assert.deepEqual([world.quotas.view('p2')?.used, world.kernel()], [0, undefined])
  await world.use(1_000_000)
  moveUnseen()
  await world.quotas.reset('p2')
  await world.sample()
  assert.deepEqual([world.quotas.view('p2')?.used, world.kernel()], [0, undefined])
})

test('a peer over its quota is slowed down, and let go on at once when the quota grows or its count begins anew', async () => {
  await using world = await openQuotas()
  const slow = { at_limit: 'slow', slow_to: 0.5 }
  await world.quotas.set('p2', quotaOf({ ...slow, counts: 'down' }))
  world.device.rxBytes += 1e9
  await world.use(12_000_000)
  assert.deepEqual([world.kernel()?.down, world.kernel()?.up, world.kernel()?.isStopped], [62_500, 62_500, false])
  await world.quotas.set('p2', quotaOf({ ...slow, counts: 'down', bytes: 20_000_000 }))
  assert.deepEqual([world.kernel(), world.quotas.view('p2')?.used], [undefined, 12_000_000])
  await world.use(8_000_000)
  assert.equal(world.kernel()?.down, 62_500)
  await world.quotas.reset('p2')
  assert.deepEqual([world.kernel(), world.quotas.view('p2')?.used], [undefined, 0])
  await world.use(20_000_000)
  assert.ok(world.kernel())
  await world.quotas.remove('p2')
  assert.deepEqual([world.kernel(), world.quotas.view('p2')], [undefined, null])
  assert.ok(world.state.changes >= 4)
})

test('a clock that is wrong for a while begins no count anew', async () => {
  for (const wrong of [-20_000 * day, 40 * day])
    for (const period of ['month', 'rolling'] as const) {
      await using world = await openQuotas()
      await world.quotas.set('p2', quotaOf({ at_limit: 'stop', period }))
      await world.use(12_000_000)
      const { since } = world.quotas.view('p2') ?? {}
      const stopped = () => [world.kernel()?.isStopped, world.quotas.view('p2')?.used, world.quotas.view('p2')?.since]
      world.clock.jump(wrong)
      for (const restart of [false, true]) {
        if (restart) await world.restart()
        await world.sample()
        assert.deepEqual(stopped(), [true, 12_000_000, since])
      }
      world.clock.jump(-wrong)
      await world.sample()
      await world.restart()
      await world.sample()
      assert.deepEqual(stopped(), [true, 12_000_000, since])
      world.clock.advance(2 * hour)
      await world.sample()
      assert.deepEqual(stopped(), [true, 12_000_000, since])
      world.clock.advance(31 * day)
      await world.sample()
      assert.deepEqual([world.kernel(), world.quotas.view('p2')?.used], [undefined, 0])
    }
})

test('a quota that only notifies restricts nothing, and what the kernel refuses is tried again', async () => {
  await using world = await openQuotas()
  await world.quotas.set('p2', quotaOf({}))
  await world.use(11_000_000)
  assert.deepEqual([world.quotas.view('p2')?.state, world.kernel()], ['over', undefined])
  world.state.isFailing = true
  await world.quotas.set('p2', quotaOf({ at_limit: 'stop' }))
  assert.equal(world.kernel(), undefined)
  world.state.isFailing = false
  await world.sample()
  assert.equal(world.kernel()?.isStopped, true)
})

test('a peer that does not exist gets no quota, and one without a quota has none to begin anew', async () => {
  await using world = await openQuotas()
  await assert.rejects(world.quotas.set('p9', quotaOf({})), /There is no peer p9/)
  await assert.rejects(world.quotas.reset('p2'), /There is no quota of peer p2/)
})

test('nothing is counted twice or lost when the service crashes, the device begins at zero, or both', async () => {
  await using world = await openQuotas()
  await world.quotas.set('p2', quotaOf({ bytes: 1e9 }))
  let used = 0
  const use = async (bytes: number) => {
    await world.use(bytes)
    used += bytes
    assert.equal(world.quotas.view('p2')?.used, used)
  }
  await use(1000)
  await world.restart()
  await use(2000)
  // The interface is made anew: its counters begin at zero.
  Object.assign(world.device, { rxBytes: 0, txBytes: 0 })
  await use(300)
  await use(0)
  await world.sampler.flush()
  Object.assign(world.device, { rxBytes: 0, txBytes: 0 })
  await world.restart()
  await use(40)
})
