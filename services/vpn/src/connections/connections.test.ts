import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { postgresObstacle } from '@hearth/testing'
import { openOnPostgres } from '../../test/postgres-world.ts'
import { openTrafficFixture } from '../../test/traffic-fixture.ts'
import { ConnectionHistory } from './history.ts'
import { maxAddresses } from './connection.ts'

const second = 1000
const minute = 60_000
const page = { limit: 50, offset: 0 }

/** A service with the peers p2 and p3 whose device the test sets. */
async function openWorld(location: DatabaseLocation = { file: ':memory:' }) {
  const fixture = await openTrafficFixture(location, { p2: 'wg0', p3: 'wg0' })
  const { clock, counters, database } = fixture
  const settings = { connection_history_days: 90, connection_history_rows: 1000 }
  let process = await fixture.start()
  const sample = async () => process.sampler.sample()
  const history = () =>
    new ConnectionHistory({
      database,
      clock,
      recorder: process.connections,
      settings: () => settings,
      countryOf: (address) => (address.startsWith('192.') ? { code: 'SE', name: 'Sweden' } : { code: 'ZZ', name: '' }),
    })
  return {
    ...fixture,
    settings,
    sample,
    history,
    sampler: () => process.sampler,
    /** The next process; the one before was killed, unless it was flushed. */
    async restart() {
      process = await fixture.start()
    },
    /** Moves the time on in rounds of ten seconds. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 10 * second) {
        clock.advance(10 * second)
        await sample()
      }
    },
    /** The device has another handshake, and moved these bytes in all. */
    async handshake(id: string, rxBytes: number, endpoint = '192.0.2.7:4000') {
      counters.set(id, { latestHandshake: clock.now(), rxBytes, txBytes: rxBytes * 2, endpoint })
      await sample()
    },
    list: async (id = 'p2', query: object = {}) => (await history().list(id, { ...page, ...query })).rows,
  }
}

/** Seconds since the first begin, bytes and addresses of connections, oldest first. */
function inShort(rows: Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>['list']>>) {
  const oldest = rows.toReversed()
  const begin = Date.parse(oldest[0]?.began_at ?? '')
  const secondsOf = (time: string | null) => (time === null ? null : (Date.parse(time) - begin) / second)
  return oldest.map((row) => [
    secondsOf(row.began_at),
    secondsOf(row.ended_at),
    row.rx_bytes,
    row.addresses.map(({ address }) => address).join(' '),
  ])
}

function testConnections(open: () => Promise<Awaited<ReturnType<typeof openWorld>>>, skip: false | string): void {
  test(
    'a connection begins with a handshake, ends 180 s after its last, and the next one is another',
    { skip },
    async () => {
      await using world = await open()
      await world.sample()
      await world.handshake('p2', 500)
      assert.deepEqual(inShort(await world.list()), [[0, null, 500, '192.0.2.7']])
      await world.pass(2 * minute)
      await world.handshake('p2', 1500)
      await world.pass(5 * minute)
      assert.deepEqual(inShort(await world.list()), [[0, 300, 1500, '192.0.2.7']])
      await world.handshake('p2', 1700, '203.0.113.5:1')
      assert.deepEqual(inShort(await world.list()), [
        [0, 300, 1500, '192.0.2.7'],
        [420, null, 200, '203.0.113.5'],
      ])
      const [now, before] = await world.list()
      assert.deepEqual([now?.addresses[0]?.country_code, before?.addresses[0]?.country], [null, 'Sweden'])
      assert.deepEqual(await world.list('p3'), [])
    },
  )

  test(
    'a restart goes on with a connection, after a stop and after a crash, and no byte is lost',
    { skip },
    async () => {
      await using world = await open()
      await world.handshake('p2', 1000)
      await world.pass(minute)
      world.counters.set('p2', { ...world.counters.get('p2'), rxBytes: 1800, txBytes: 3600 })
      await world.sample()
      await world.restart()
      await world.handshake('p2', 2000)
      assert.deepEqual(inShort(await world.list()), [[0, null, 2000, '192.0.2.7']])
      await world.sampler().flush()
      world.clock.advance(2 * minute)
      await world.restart()
      await world.handshake('p2', 2500)
      await world.pass(4 * minute)
      assert.deepEqual(inShort(await world.list()), [[0, 360, 2500, '192.0.2.7']])
      const { total } = await world.history().list('p2', page)
      assert.equal(total, 1)
    },
  )

  test('what was open when the host died ended at its last sample', { skip }, async () => {
    await using world = await open()
    await world.handshake('p2', 1000)
    await world.pass(minute)
    world.clock.advance(90 * second)
    // The device is a new one after the host started again.
    world.counters.delete('p2')
    await world.restart()
    await world.sample()
    assert.deepEqual(inShort(await world.list()), [[0, 60, 1000, '192.0.2.7']])
    world.clock.advance(10 * second)
    await world.handshake('p2', 300)
    assert.deepEqual(inShort(await world.list()), [
      [0, 60, 1000, '192.0.2.7'],
      [160, null, 300, '192.0.2.7'],
    ])
  })

  test('after a long pause of the service nothing is made up', { skip }, async () => {
    await using world = await open()
    await world.handshake('p2', 1000)
    await world.sampler().flush()
    world.clock.advance(60 * minute)
    await world.restart()
    await world.handshake('p2', 9000)
    assert.deepEqual(inShort(await world.list()), [
      [0, 0, 1000, '192.0.2.7'],
      [3600, null, 8000, '192.0.2.7'],
    ])
  })

  test('a peer that is cut off ends, and does not begin again with its old handshake', { skip }, async () => {
    await using world = await open()
    await world.handshake('p2', 1000)
    await world.pass(20 * second)
    world.sampler().interfaceChanged({ name: 'wg0', enabled: 0 })
    await world.pass(10 * second)
    world.sampler().interfaceChanged({ name: 'wg0', enabled: 1 })
    await world.pass(20 * second)
    assert.deepEqual(inShort(await world.list()), [[0, 30, 1000, '192.0.2.7']])
    await world.handshake('p2', 1100)
    assert.equal((await world.list()).length, 2)
  })

  test('each address of a connection has its bytes, sixteen at most, and changes are counted', { skip }, async () => {
    await using world = await open()
    await world.handshake('p2', 100, '192.0.2.1:1')
    await world.handshake('p2', 300, '[2001:db8::1]:2')
    await world.handshake('p2', 600, '192.0.2.1:9')
    const [row] = await world.list()
    assert.deepEqual(
      row?.addresses.map(({ address, rx_bytes }) => [address, rx_bytes]),
      [
        ['2001:db8::1', 200],
        ['192.0.2.1', 400],
      ],
    )
    assert.equal(row?.address_changes, 2)
    for (let number = 0; number < 40; number += 1)
      await world.handshake('p2', 600 + number * 10, `198.51.100.${number}:1`)
    await world.pass(4 * minute)
    const [ended] = await world.list()
    assert.equal(ended?.addresses.length, maxAddresses + 1)
    assert.equal(ended?.addresses.at(-1)?.address, null)
    assert.equal(
      ended?.addresses.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
      990,
    )
    assert.equal(ended?.rx_bytes, 990)
  })

  test(
    'a period, a page and the file hold the connections of that time; a deleted peer has none',
    { skip },
    async () => {
      await using world = await open()
      const begin = world.clock.now()
      for (let number = 1; number <= 5; number += 1) {
        await world.handshake('p2', number * 100)
        await world.pass(10 * minute)
      }
      assert.equal((await world.list('p2', { from: begin + 11 * minute, to: begin + 30 * minute })).length, 2)
      assert.deepEqual(
        (await world.list('p2', { limit: 2, offset: 1 })).map((row) => Date.parse(row.began_at) - begin),
        [30 * minute, 20 * minute],
      )
      const chunks: string[] = []
      for await (const chunk of await world.history().export('p2', {})) chunks.push(String(chunk))
      const lines = chunks.join('').trimEnd().split('\n')
      assert.equal(lines.length, 6)
      assert.match(lines[1] ?? '', /^2026-11-20T23:38:00.000Z,2026-11-20T23:41:00.000Z,180,100,200,192.0.2.7,SE,0$/)
      const { spans, connections } = await world.history().timeline('p2', { days: 1 })
      assert.deepEqual([spans.length, connections], [5, 5])
      await assert.rejects(world.history().timeline('nobody', { days: 1 }), /peer nobody/)

      await world.handshake('p3', 1)
      await world.database.query.deleteFrom('peers').where('id', '=', 'p3').execute()
      world.sampler().forget('p3')
      await world.pass(10 * minute)
      const left = await world.database.query.selectFrom('peer_connections').select('peer_id').distinct().execute()
      assert.deepEqual(structuredClone(left), [{ peer_id: 'p2' }])
    },
  )

  test('old connections and those beyond the number are deleted, never one that lasts', { skip }, async () => {
    await using world = await open()
    for (let number = 1; number <= 6; number += 1) {
      await world.handshake('p2', number)
      await world.pass(10 * minute)
    }
    await world.handshake('p2', 7)
    world.settings.connection_history_rows = 4
    await world.history().deleteOld()
    assert.equal((await world.list()).length, 4)
    world.clock.advance(91 * 86_400_000)
    await world.history().deleteOld()
    assert.equal((await world.list()).length, 1)
  })
}

describe('connections of peers', () => testConnections(openWorld, false))

describe('connections of peers on PostgreSQL', () => {
  const skip = postgresObstacle()
  testConnections(() => openOnPostgres(openWorld), skip)
})
