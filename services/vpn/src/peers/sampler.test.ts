import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, createManualClock } from '@hearth/runtime'
import { interfaceRow, peerRow } from '../../test/stored-rows.ts'
import { migrations } from '../database/migrations/index.ts'
import type { PeerRow, Tables } from '../tables.ts'
import type { DeviceState, PeerState } from '../wireguard/device.ts'
import { statusOf } from './followed-peer.ts'
import { openSampler, type Sampler } from './sampler.ts'
import { insertPeerRow } from './store.ts'

const minute = 60_000

/** A database with an interface and peers, and a device whose readings the test decides. */
async function startTest(rows: PeerRow[]) {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const clock = createManualClock(Date.parse('2026-11-21T12:00:00Z'))
  await database.query.insertInto('interfaces').values(interfaceRow()).execute()
  for (const row of rows) await insertPeerRow(database.query, row)
  const device = new Map<string, Partial<PeerState>>()
  const state: { running: boolean | Error } = { running: true }
  const devices = {
    readPeer: async (_name: string, publicKey: string) => (await devices.read())?.peers.get(publicKey),
    read(): Promise<DeviceState | undefined> {
      if (state.running instanceof Error) return Promise.reject(state.running)
      const peers = new Map(
        [...device].map(([id, held]) => [
          `key ${id}`,
          {
            publicKey: `key ${id}`,
            presharedKey: null,
            allowedIps: [],
            endpoint: null,
            latestHandshake: null,
            rxBytes: 0,
            txBytes: 0,
            ...held,
          },
        ]),
      )
      return Promise.resolve(state.running ? { publicKey: '', listenPort: 1, peers } : undefined)
    },
  }
  const open = () => openSampler({ database, devices, clock, log: createLog({ name: 'test', level: 'silent' }) })
  const stored = (id: string) =>
    database.query.selectFrom('peer_activity').selectAll().where('peer_id', '=', id).executeTakeFirstOrThrow()
  return { database, clock, device, state, open, stored, [Symbol.asyncDispose]: () => database.close() }
}

const totals = (sampler: Sampler, id: string) => [
  sampler.peer(id)?.activity.rx_total,
  sampler.peer(id)?.activity.tx_total,
]

function statusIn(sampler: Sampler, id: string, now: number) {
  const peer = sampler.peer(id)
  assert.ok(peer)
  return statusOf(peer, now)
}

test('a peer is connected for 180 s after a handshake, and each transition is reported once', async () => {
  await using fixture = await startTest([peerRow('p2')])
  const sampler = await fixture.open()
  fixture.device.set('p2', { latestHandshake: fixture.clock.now(), rxBytes: 10 })
  assert.deepEqual(
    (await sampler.sample()).switched.map(({ id }) => id),
    ['p2'],
  )
  fixture.clock.advance(179_999)
  assert.deepEqual((await sampler.sample()).switched, [])
  assert.equal(statusIn(sampler, 'p2', fixture.clock.now()), 'active')
  fixture.clock.advance(1)
  assert.deepEqual(
    (await sampler.sample()).switched.map(({ id }) => id),
    ['p2'],
  )
  assert.equal(statusIn(sampler, 'p2', fixture.clock.now()), 'inactive')
})

test('totals survive a crash between writes and a device restart', async () => {
  await using fixture = await startTest([peerRow('p2')])
  const first = await fixture.open()
  fixture.device.set('p2', { latestHandshake: 1, rxBytes: 1000, txBytes: 10 })
  await first.sample()
  fixture.device.set('p2', { latestHandshake: 1, rxBytes: 1500, txBytes: 20 })
  await first.sample()
  assert.equal((await fixture.stored('p2')).rx_total, 1000, 'counters alone are not written every time')
  const second = await fixture.open()
  await second.sample()
  assert.deepEqual(totals(second, 'p2'), [1500, 20], 'the device kept what was not written')
  fixture.state.running = false
  await second.sample()
  fixture.state.running = true
  fixture.device.set('p2', { latestHandshake: 2, rxBytes: 1600, txBytes: 5 })
  await second.sample()
  assert.deepEqual(totals(second, 'p2'), [3100, 25])
})

test('a peer that was removed from its device counts from zero on its return, even above its old value', async () => {
  await using fixture = await startTest([peerRow('p2')])
  const sampler = await fixture.open()
  fixture.device.set('p2', { rxBytes: 100 })
  await sampler.samplePeers('wg0', ['p2'])
  await sampler.restart(['p2'])
  fixture.device.set('p2', { rxBytes: 150 })
  await sampler.sample()
  assert.equal(totals(sampler, 'p2')[0], 250)
})

test('a failed reading changes nothing', async () => {
  await using fixture = await startTest([peerRow('p2')])
  const sampler = await fixture.open()
  fixture.device.set('p2', { latestHandshake: fixture.clock.now(), rxBytes: 100 })
  await sampler.sample()
  fixture.state.running = new Error('timed out')
  const report = await sampler.sample()
  assert.deepEqual([report.changed, report.switched], [[], []])
  assert.equal(statusIn(sampler, 'p2', fixture.clock.now()), 'active')
})

test('handshakes are written at once, counters every half minute, the rest on closing', async () => {
  await using fixture = await startTest([peerRow('p2'), peerRow('p3')])
  const sampler = await fixture.open()
  const handshake = fixture.clock.now()
  fixture.device.set('p2', { latestHandshake: handshake, rxBytes: 1 })
  await sampler.sample()
  assert.deepEqual([(await fixture.stored('p2')).last_handshake, (await fixture.stored('p2')).rx_total], [handshake, 1])
  fixture.clock.advance(minute / 4)
  fixture.device.set('p2', { latestHandshake: handshake, rxBytes: 2 })
  await sampler.sample()
  assert.equal((await fixture.stored('p2')).rx_total, 1)
  fixture.clock.advance(minute / 2)
  fixture.device.set('p2', { latestHandshake: handshake, rxBytes: 3 })
  await sampler.sample()
  assert.equal((await fixture.stored('p2')).rx_total, 3)
  fixture.device.set('p3', { rxBytes: 9 })
  fixture.device.set('p2', { latestHandshake: handshake, rxBytes: 4 })
  await sampler.sample()
  await sampler.flush()
  assert.equal((await fixture.stored('p2')).rx_total, 4)
})

test('an expiry is reported once, in the next sample, and disconnects the peer at once', async () => {
  await using fixture = await startTest([])
  const sampler = await fixture.open()
  const expiring = peerRow('p2', { expires_at: fixture.clock.now() + 5000 })
  await insertPeerRow(fixture.database.query, expiring)
  sampler.follow(expiring, { enabled: 1 })
  fixture.device.set('p2', { latestHandshake: fixture.clock.now() })
  assert.equal((await sampler.sample()).expired.size, 0)
  fixture.clock.advance(5000)
  const report = await sampler.sample()
  assert.deepEqual([...report.expired], [['wg0', ['p2']]])
  assert.equal(statusIn(sampler, 'p2', fixture.clock.now()), 'disabled')
  fixture.clock.advance(1000)
  assert.equal((await sampler.sample()).expired.size, 0)
})

test('rates are bytes per second since the last sample', async () => {
  await using fixture = await startTest([peerRow('p2')])
  const sampler = await fixture.open()
  await sampler.sample()
  fixture.clock.advance(2000)
  fixture.device.set('p2', { rxBytes: 4000, txBytes: 1000 })
  assert.deepEqual((await sampler.sample()).rate, { rx: 2000, tx: 500 })
})
