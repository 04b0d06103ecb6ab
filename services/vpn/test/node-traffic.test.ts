import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import type { Peer } from '../src/peers/schema.ts'
import { startLossyWay } from './lossy-way.ts'
import { type BatchPeer, type FakeNode, joinedNode, type NodesFixture, startWithNodes } from './nodes-fixture.ts'

const hour = 3_600_000

async function startWithPeer(
  environment: Record<string, string> = {},
): Promise<{ world: NodesFixture; berlin: FakeNode; peer: Peer } & AsyncDisposable> {
  const world = await startWithNodes(environment)
  const berlin = await joinedNode(world, 'Berlin')
  const wanted = { name: 'wg0', address: '10.8.0.1/24', dns: '9.9.9.9', node_id: berlin.id }
  assert.equal((await world.service.call('POST', '/api/interfaces', wanted)).status, 201)
  const made = await world.service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  assert.equal(made.status, 201, made.text)
  return {
    world,
    berlin,
    peer: made.body.data,
    async [Symbol.asyncDispose]() {
      berlin[Symbol.dispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

const moved = ({ public_key }: Peer, more: Partial<BatchPeer> = {}): BatchPeer => ({
  interface: 'wg0',
  public_key,
  rx: 1000,
  tx: 500,
  latest_handshake: Date.now(),
  endpoint: '192.0.2.7:4000',
  ...more,
})

const send = (node: FakeNode, count: string, batches: [number: number, peers: BatchPeer[], at?: number][]) =>
  node.report(['wg0'], {
    traffic: { count, batches: batches.map(([number, peers, at = Date.now()]) => ({ number, at, peers })) },
  })

const readPeer = async (world: NodesFixture, { id }: Peer): Promise<Peer> =>
  (await world.service.call('GET', `/api/peers/${id}`)).body.data

const totals = async (world: NodesFixture, peer: Peer) => {
  const { transfer_rx: rx, transfer_tx: tx } = await readPeer(world, peer)
  return [rx, tx]
}

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(
    `what a node counted stands in the totals once, whatever comes twice, late or out of order, on ${kind}`,
    { skip },
    async () => {
      await using started = await startWithPeer(
        kind === 'SQLite' ? {} : { DATABASE_URL: await createPostgresDatabase() },
      )
      const { world, berlin, peer } = started
      const count = randomUUID()
      assert.deepEqual(await send(berlin, count, []), { name: 'Berlin', counted: 0 })
      assert.deepEqual(await send(berlin, count, [[1, [moved(peer)]]]), { name: 'Berlin', counted: 1 })
      assert.deepEqual(await totals(world, peer), [1000, 500])
      const { status, endpoint } = await readPeer(world, peer)
      assert.deepEqual([status, endpoint], ['active', '192.0.2.7:4000'])

      const again = [1, [moved(peer)]] as [number, BatchPeer[]]
      const three: [number, BatchPeer[]][] = [[3, [moved(peer)]], [2, [moved(peer)]], again, [3, [moved(peer)]]]
      assert.equal((await send(berlin, count, three)).counted, 3)
      assert.deepEqual(await totals(world, peer), [3000, 1500])
      assert.equal((await send(berlin, count, three)).counted, 3, 'the answer was lost')
      const both = await Promise.all([1, 2].map(() => send(berlin, count, [[4, [moved(peer)]]])))
      assert.deepEqual(
        both.map(({ counted }) => counted),
        [4, 4],
      )
      assert.deepEqual(await totals(world, peer), [4000, 2000])
      assert.equal((await send(berlin, randomUUID(), [[1, [moved(peer)]]])).counted, 1, 'another count begins anew')
      assert.deepEqual(await totals(world, peer), [5000, 2500])
      assert.deepEqual(await berlin.report(['wg0']), { name: 'Berlin' })
    },
  )
}

test('a service that ends while it counts has counted all of a report or nothing', async () => {
  await using started = await startWithPeer()
  const { world, berlin, peer } = started
  const count = randomUUID()
  await send(berlin, count, [[1, [moved(peer)]]])
  const database = new DatabaseSync(join(world.service.folder, 'vpn.db'), { timeout: 10_000 })
  try {
    database.exec(
      `create trigger broken before update of traffic_number on nodes begin select raise(abort, 'disk is full'); end`,
    )
    await assert.rejects(send(berlin, count, [[2, [moved(peer)]]]))
    assert.deepEqual(await totals(world, peer), [1000, 500])
    database.exec('drop trigger broken')
    assert.equal((await send(berlin, count, [[2, [moved(peer)]]])).counted, 2)
    assert.deepEqual(await totals(world, peer), [2000, 1000])
    const row = database.prepare('select rx_total, rx_seen from peer_activity').get()
    assert.deepEqual({ ...row }, { rx_total: 2000, rx_seen: 0 })
  } finally {
    database.close()
  }
})

test(
  'traffic that the database committed while its connection broke is in the totals, once',
  { skip: postgresObstacle() },
  async () => {
    await using way = await startLossyWay(await createPostgresDatabase())
    await using started = await startWithPeer({ DATABASE_URL: way.url })
    const { world, berlin, peer } = started
    const count = randomUUID()
    await send(berlin, count, [[1, [moved(peer)]]])
    way.loseCommitAfter('traffic_number')
    await assert.rejects(send(berlin, count, [[2, [moved(peer)]]]))
    assert.equal(way.lost, 1)
    assert.equal((await send(berlin, count, [[2, [moved(peer)]]])).counted, 2)
    assert.deepEqual(await totals(world, peer), [2000, 1000])
    assert.equal((await send(berlin, count, [[3, [moved(peer)]]])).counted, 3)
    assert.deepEqual(await totals(world, peer), [3000, 1500])
  },
)

test('traffic of a node that was away for hours lands in its hour, with the connection that it belonged to', async () => {
  await using started = await startWithPeer()
  const { world, berlin, peer } = started
  const now = Date.now()
  const began = Math.floor(now / hour) * hour - 5 * hour + 600_000
  const past = (at: number, more: Partial<BatchPeer> = {}) => moved(peer, { latest_handshake: at - 10_000, ...more })
  await send(berlin, randomUUID(), [
    [1, [past(began)], began],
    [2, [past(began + 30_000)], began + 30_000],
    [3, [past(now)], now],
  ])
  const start = new Date(began - hour).toISOString()
  const filled = await eventually(
    async () => {
      const reply = await world.service.call('GET', `/api/metrics/peers/${peer.id}?start=${start}`)
      assert.equal(reply.status, 200, reply.text)
      const points: { time: string; rx_bytes: number }[] = reply.body.data.points
      return points.filter(({ rx_bytes: rx }) => rx > 0)
    },
    (points) => points.length === 2,
  )
  assert.deepEqual(
    filled.map(({ time, rx_bytes: rx }) => [Math.floor(Date.parse(time) / hour), rx]),
    [
      [Math.floor(began / hour), 2000],
      [Math.floor(now / hour), 1000],
    ],
  )
  const { text } = await world.service.call('GET', `/api/peers/${peer.id}/connections.csv`)
  const lines = text.trim().split('\n').slice(1)
  assert.equal(lines.length, 2, text)
})

test('what is about others, cannot be, or is no traffic changes nothing, and the rest counts', async () => {
  await using started = await startWithPeer()
  const { world, berlin, peer } = started
  const home = { name: 'home', address: '10.9.0.1/24' }
  assert.equal((await world.service.call('POST', '/api/interfaces', home)).status, 201)
  const other: Peer = (await world.service.call('POST', '/api/peers', { name: 'other', interface: 'home' })).body.data
  const count = randomUUID()
  const strange = [
    moved(other),
    moved(other, { interface: 'home' }),
    moved(peer, { interface: 'home' }),
    moved({ ...peer, public_key: 'A'.repeat(43) + '=' }),
    moved(peer, { rx: 2 ** 52 }),
    moved(peer, { endpoint: '<b>x</b>' }),
  ]
  assert.equal((await send(berlin, count, [[1, strange]])).counted, 1)
  assert.deepEqual(await totals(world, other), [0, 0])
  assert.deepEqual(await totals(world, peer), [1000, 500])
  assert.equal((await readPeer(world, peer)).endpoint, null)
  for (const wrong of [{ rx: -1 }, { tx: 1.5 }, { rx: Number.MAX_VALUE }, { latest_handshake: -5 }])
    await assert.rejects(send(berlin, count, [[2, [moved(peer, wrong)]]]), /traffic\.batches\.0\.peers\.0/)
  const future = moved(peer, { latest_handshake: Date.now() + 9 * hour })
  await send(berlin, count, [[2, [future], Date.now() + 9 * hour]])
  const { last_handshake: handshake } = await readPeer(world, peer)
  assert.ok(Date.parse(handshake ?? '') <= Date.now())
  await world.service.call('DELETE', `/api/peers/${peer.id}`)
  assert.equal((await send(berlin, count, [[3, [moved(peer)]]])).counted, 3)
})

test('a new key that was used on a node replaces the old one; a used-up quota stops a peer there', async () => {
  await using started = await startWithPeer()
  const { world, berlin, peer } = started
  const count = randomUUID()
  assert.equal((await world.service.call('POST', `/api/peers/${peer.id}/rotation`, {})).status, 200)
  const keys = (await berlin.state())?.interfaces[0]?.peers.map(({ publicKey }) => publicKey) ?? []
  const next = keys.find((key) => key !== peer.public_key)
  assert.equal(keys.length, 2)
  await send(berlin, count, [[1, [moved(peer, { public_key: next ?? '' })]]])
  await eventually(
    () => readPeer(world, peer),
    ({ public_key: key }) => key === next,
    { everyMs: 300 },
  )
  assert.deepEqual(await totals(world, peer), [1000, 500])
  const renewed = await berlin.state()
  assert.deepEqual(
    renewed?.interfaces[0]?.peers.map(({ publicKey }) => publicKey),
    [next],
  )
  await send(berlin, count, [[2, [moved(peer)]]])
  assert.deepEqual(await totals(world, peer), [2000, 1000], 'what the old key moved before still counts')

  const quota = { bytes: 1_000_000, counts: 'both', period: 'month', start_day: 1, at_limit: 'stop', slow_to: null }
  assert.equal((await world.service.call('PUT', `/api/peers/${peer.id}/quota`, quota)).status, 200)
  await send(berlin, count, [[3, [moved(peer, { public_key: next ?? '', rx: 2_000_000 })]]])
  assert.deepEqual(
    (await berlin.state())?.limits.map(({ id, isStopped }) => [id, isStopped]),
    [[peer.id, true]],
  )
})

test('the last traffic of an interface that moved away still counts, and no later node counts for it', async () => {
  await using started = await startWithPeer()
  const { world, berlin, peer } = started
  using paris = await joinedNode(world, 'Paris')
  const count = randomUUID()
  await send(berlin, count, [[1, [moved(peer)]]])
  const gone = await world.service.call('PUT', '/api/interfaces/wg0', { node_id: null })
  assert.equal(gone.status, 200, gone.text)
  await send(berlin, count, [[2, [moved(peer)]]])
  assert.deepEqual(await totals(world, peer), [2000, 1000])
  await send(paris, randomUUID(), [[1, [moved(peer)]]])
  assert.deepEqual(await totals(world, peer), [2000, 1000])
})
