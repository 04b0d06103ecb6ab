import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import * as fc from 'fast-check'
import { startLossyWay } from '../../test/lossy-way.ts'
import { openTrafficFixture } from '../../test/traffic-fixture.ts'
import { deleteOldTraffic, keptSince } from './retention.ts'
import type { Resolution } from './schema.ts'

const minute = 60_000
const day = 86_400_000
const peers = { p2: 'wg0', p3: 'wg0', p4: 'wg1' }
const ids = Object.keys(peers)

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      peer: fc.constantFrom(...ids),
      rx: fc.nat(5000),
      tx: fc.nat(5000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(2000, 29_000, 4 * minute, 50 * minute, 25 * 60 * minute, 8 * day),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      ms: fc.constantFrom(-2 * day, -7 * minute, 3 * minute, 2 * day),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'stop' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), peer: fc.constantFrom(...ids) }) },
)

type Place = Awaited<ReturnType<typeof openTrafficFixture>>

/** Plays what may happen to a service, and samples after every step. */
async function live(fixture: Place, steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  let process = await fixture.start()
  for (const done of steps) {
    if (done.kind === 'move') {
      const before = fixture.counters.get(done.peer)
      const rxBytes = (before?.rxBytes ?? 0) + done.rx
      const txBytes = (before?.txBytes ?? 0) + done.tx
      fixture.counters.set(done.peer, {
        latestHandshake: fixture.clock.now(),
        endpoint: '192.0.2.1:5',
        rxBytes,
        txBytes,
      })
    } else if (done.kind === 'reset') fixture.counters.set(done.peer, {})
    else if (done.kind === 'wait') fixture.clock.advance(done.ms)
    else if (done.kind === 'jump') fixture.clock.jump(done.ms)
    else {
      if (done.kind === 'stop') await process.sampler.flush()
      process = await fixture.start()
    }
    await process.sampler.sample()
  }
  return process
}

const everything = (now: number) => ({ start: now - 300 * day, end: now + 100 * day })

async function checkSums(location: () => Promise<DatabaseLocation>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await using fixture = await openTrafficFixture(await location(), peers)
      const process = await live(fixture, steps)
      await compare(fixture, process)
      await process.sampler.flush()
      await compare(fixture, process)
      await compare(fixture, await fixture.start())
    }),
    { numRuns },
  )
}

/** Compares the sums of every resolution with the sampler's totals; no bucket is negative. */
async function compare(fixture: Place, { sampler, history }: Awaited<ReturnType<Place['start']>>): Promise<void> {
  const counted = ids.map((id) => [sampler.peer(id)?.activity.rx_total, sampler.peer(id)?.activity.tx_total])
  const period = everything(fixture.clock.now())
  for (const resolution of ['hourly', 'daily', 'weekly'] satisfies Resolution[]) {
    const series = await Promise.all(ids.map((id) => history.ofPeer(id, { ...period, resolution })))
    assert.deepEqual(
      series.map(({ totals }) => [totals.rx_bytes, totals.tx_bytes]),
      counted,
      resolution,
    )
    for (const { points, totals } of series) {
      assert.equal(
        points.reduce((sum, point) => sum + point.rx_bytes, 0),
        totals.rx_bytes,
      )
      assert.ok(points.every((point) => point.rx_bytes >= 0 && point.tx_bytes >= 0))
    }
    const all = await history.ofAll({ ...period, resolution })
    const parts = await Promise.all(
      ['wg0', 'wg1'].map((name) => history.ofAll({ ...period, resolution, interface: name })),
    )
    const sum = counted.reduce((bytes, [rx]) => bytes + (rx ?? 0), 0)
    assert.equal(all.totals.rx_bytes, sum)
    assert.equal(
      parts.reduce((bytes, { totals }) => bytes + totals.rx_bytes, 0),
      sum,
    )
  }
  const top = await history.top({ ...period, limit: 10 })
  assert.equal(
    top.peers.reduce((bytes, peer) => bytes + peer.rx_bytes, 0),
    counted.reduce((bytes, [rx]) => bytes + (rx ?? 0), 0),
  )
}

test('in any sequence of events every resolution adds up to the sampler’s count exactly', async () => {
  await checkSums(async () => ({ file: ':memory:' }), 30)
})

test('the same on PostgreSQL', { skip: postgresObstacle() }, async () => {
  await checkSums(async () => ({ url: await createPostgresDatabase() }), 6)
})

test('traffic is recorded in its hour, day and week, and other buckets are zero', async () => {
  await using fixture = await openTrafficFixture({ file: ':memory:' }, peers)
  const { sampler, history } = await fixture.start()
  fixture.counters.set('p2', { rxBytes: 100, txBytes: 10, latestHandshake: fixture.clock.now() })
  await sampler.sample()
  fixture.clock.advance(60 * minute)
  fixture.counters.set('p2', { rxBytes: 400, txBytes: 20, latestHandshake: fixture.clock.now() })
  await sampler.sample()
  fixture.clock.advance(4 * minute)
  const hourly = await history.ofPeer('p2', { resolution: 'hourly' })
  assert.equal(hourly.points.length, 24)
  assert.deepEqual(
    hourly.points.filter((point) => point.rx_bytes > 0),
    [
      { time: '2026-11-20T22:00:00.000Z', rx_bytes: 100, tx_bytes: 10 },
      { time: '2026-11-20T23:00:00.000Z', rx_bytes: 300, tx_bytes: 10 },
    ],
  )
  assert.equal(hourly.points.at(-1)?.time, '2026-11-21T00:00:00.000Z')
  assert.deepEqual([hourly.totals.peak_seconds, hourly.totals.peak_rate], [300, 310 / 300])
  const weekly = await history.ofPeer('p2', { resolution: 'weekly' })
  assert.deepEqual(weekly.points, [{ time: '2026-11-16T00:00:00.000Z', rx_bytes: 400, tx_bytes: 20 }])
  assert.deepEqual(await history.today(), { rx_bytes: 0, tx_bytes: 0 }, 'midnight was four minutes ago')
})

test('deleting a peer deletes its history, and its interface keeps its totals', async () => {
  await using fixture = await openTrafficFixture({ file: ':memory:' }, peers)
  const { sampler, history } = await fixture.start()
  fixture.counters.set('p2', { rxBytes: 100 })
  await sampler.sample()
  fixture.clock.advance(10 * minute)
  fixture.counters.set('p2', { rxBytes: 150 })
  await sampler.sample()
  await fixture.database.query.deleteFrom('peers').where('id', '=', 'p2').execute()
  sampler.forget('p2')
  const total = async () => (await history.ofAll({ resolution: 'hourly', interface: 'wg0' })).totals.rx_bytes
  assert.equal(await total(), 150)
  await sampler.flush()
  assert.equal(await total(), 150)
  await assert.rejects(history.ofPeer('p2', { resolution: 'hourly' }), /There is no peer p2/)
})

test('when the database fails, nothing is lost or counted twice', async () => {
  let isBroken = true
  await using fixture = await openTrafficFixture({ file: ':memory:' }, peers, () =>
    isBroken ? Promise.reject(new Error('disk full')) : Promise.resolve(),
  )
  const { sampler, history } = await fixture.start()
  for (let round = 1; round <= 5; round += 1) {
    fixture.counters.set('p2', { rxBytes: round * 100, latestHandshake: fixture.clock.now() })
    if (round <= 1) await sampler.sample()
    else await assert.rejects(sampler.sample(), /disk full/)
    fixture.clock.advance(5 * minute)
  }
  isBroken = false
  await sampler.sample()
  assert.equal((await history.ofPeer('p2', { resolution: 'hourly' })).totals.rx_bytes, 500)
  await sampler.flush()
  const again = await fixture.start()
  assert.equal((await again.history.ofPeer('p2', { resolution: 'hourly' })).totals.rx_bytes, 500)
})

test(
  'buckets that the database committed while its connection broke are in the history once',
  { skip: postgresObstacle() },
  async () => {
    await using way = await startLossyWay(await createPostgresDatabase())
    await using fixture = await openTrafficFixture({ url: way.url }, peers)
    const { sampler, history } = await fixture.start()
    const move = (id: string, rxBytes: number) =>
      fixture.counters.set(id, { rxBytes, latestHandshake: fixture.clock.now(), endpoint: '192.0.2.1:5' })
    move('p2', 100)
    move('p3', 30)
    await sampler.sample()
    await fixture.database.query.deleteFrom('peers').where('id', '=', 'p3').execute()
    sampler.forget('p3')
    fixture.counters.delete('p3')
    fixture.clock.advance(10 * minute)
    move('p2', 150)
    way.loseCommitAfter('interface_traffic')
    await assert.rejects(sampler.sample())
    assert.equal(way.lost, 1)
    for (const rx of [170, 200]) {
      fixture.clock.advance(10 * minute)
      move('p2', rx)
      await sampler.sample()
    }
    await sampler.flush()
    for (const each of [history, (await fixture.start()).history]) {
      assert.equal((await each.ofPeer('p2', { resolution: 'hourly' })).totals.rx_bytes, 200)
      const { totals } = await each.ofAll({ resolution: 'hourly', interface: 'wg0' })
      assert.equal(totals.rx_bytes, 230, 'with the deleted one')
    }
  },
)

test('connected time is counted, also without traffic', async () => {
  await using fixture = await openTrafficFixture({ file: ':memory:' }, peers)
  const { sampler, history } = await fixture.start()
  fixture.counters.set('p2', { rxBytes: 1, latestHandshake: fixture.clock.now() })
  for (let round = 0; round < 200; round += 1) {
    await sampler.sample()
    fixture.clock.advance(2000)
  }
  const { totals } = await history.ofPeer('p2', { resolution: 'hourly' })
  assert.ok(totals.active_seconds >= 176 && totals.active_seconds <= 182, String(totals.active_seconds))
})

test('fine buckets are deleted after 30 days, hours after a year, days as configured', async () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  assert.deepEqual(
    [300, 3600, 86_400].map((seconds) => keptSince(seconds, 0, now)),
    [now - 30 * day, now - 366 * day, null],
  )
  assert.deepEqual(
    [300, 3600, 86_400].map((seconds) => keptSince(seconds, 90, now)),
    [now - 30 * day, now - 90 * day, now - 90 * day],
  )
  await using fixture = await openTrafficFixture({ file: ':memory:' }, peers)
  const { sampler, history } = await fixture.start()
  for (let round = 1; round <= 5; round += 1) {
    fixture.counters.set('p2', { rxBytes: round * 100 })
    await sampler.sample()
    fixture.clock.advance(20 * day)
  }
  await sampler.flush()
  const stored = async (table: 'peer_traffic' | 'interface_traffic') => {
    const rows = await fixture.database.query.selectFrom(table).select(['seconds']).execute()
    return [300, 3600, 86_400].map((length) => rows.filter(({ seconds }) => seconds === length).length)
  }
  const old: number[] = []
  const log = { error: () => undefined } as never
  const parts = {
    database: fixture.database,
    clock: fixture.clock,
    log,
    peers: () => ids,
    others: [async (before: number) => void old.push(before)],
  }
  await deleteOldTraffic({ ...parts, retentionDays: () => 0 })
  assert.deepEqual(await stored('peer_traffic'), [1, 5, 5])
  assert.deepEqual(await stored('interface_traffic'), [1, 5, 5])
  const period = everything(fixture.clock.now())
  assert.equal((await history.ofPeer('p2', { ...period, resolution: 'hourly' })).totals.rx_bytes, 500)
  await deleteOldTraffic({ ...parts, retentionDays: () => 50 })
  assert.deepEqual(await stored('peer_traffic'), [1, 2, 2])
  assert.equal(old.length, 2)
})
