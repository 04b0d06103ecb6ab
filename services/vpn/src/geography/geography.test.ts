import assert from 'node:assert/strict'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createLog } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle, temporaryDirectory } from '@hearth/testing'
import { openTrafficFixture } from '../../test/traffic-fixture.ts'
import { Attribution } from './attribution.ts'
import { type Databases, openDatabases } from './databases.ts'
import { startDestinations } from './destinations.ts'
import { createGeography } from './geography.ts'
import { deleteOldPlaces } from './open-geography.ts'

const data = join(import.meta.dirname, '../../test/data/geo')
const files = { country: join(data, 'GeoLite2-City-Test.mmdb'), asn: join(data, 'GeoLite2-ASN-Test.mmdb') }
const log = createLog({ name: 'test', level: 'silent' })
const hour = 3_600_000
const admin = { role: 'admin' } as const
/** In the test databases: Boxford in GB; AS 1221 Telstra; AS 7018, of no known country. */
const [inBritain, inTelstra, atHome] = ['2.125.160.217:5', '1.128.0.9:5', '192.168.1.7:5']

async function openFixture(location: DatabaseLocation, databases: Databases) {
  const attribution = new Attribution(databases)
  const fixture = await openTrafficFixture(location, { p2: 'wg0', p3: 'wg0', p4: 'wg1' }, (trx, closed) =>
    attribution.addEndpoints(trx, closed),
  )
  const { recorder, sampler } = await fixture.start()
  const geography = createGeography({
    database: fixture.database,
    clock: fixture.clock,
    recorder,
    databases,
    destinations: { obstacle: () => Promise.resolve('destinations are off') },
    peers: () => sampler.peers(),
    updateProblem: () => null,
  })
  return { ...fixture, attribution, sampler, geography }
}

async function checkGeography(location: DatabaseLocation): Promise<void> {
  const databases = await openDatabases({ files, folder: '/nowhere', log })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => databases.close())
  await using fixture = await openFixture(location, databases)
  const { counters, clock, sampler, geography } = fixture
  const countries = async (more = {}) => {
    const { items } = await geography.countries(admin, { by: 'endpoint', hours: 24, ...more })
    return items.map(({ code, name, rx_bytes, tx_bytes, percentage, peers }) => [
      code,
      name,
      rx_bytes,
      tx_bytes,
      percentage,
      peers,
    ])
  }
  assert.deepEqual(await countries(), [])
  counters.set('p2', { rxBytes: 100, txBytes: 200, endpoint: inBritain, latestHandshake: 1 })
  counters.set('p3', { rxBytes: 50, txBytes: 50, endpoint: inTelstra, latestHandshake: 1 })
  counters.set('p4', { rxBytes: 1, txBytes: 0, endpoint: atHome, latestHandshake: 1 })
  await sampler.sample()
  const first = [
    ['GB', 'United Kingdom', 100, 200, 74.8, 1],
    ['ZZ', 'Unknown', 51, 50, 25.2, 2],
  ]
  assert.deepEqual(await countries(), first, 'before anything is written')
  await sampler.flush()
  assert.deepEqual(await countries(), first)
  clock.advance(2 * hour)
  counters.set('p2', { rxBytes: 1100, txBytes: 200, endpoint: inTelstra, latestHandshake: 2 })
  counters.set('p3', { rxBytes: 60, txBytes: 50, endpoint: inBritain, latestHandshake: 2 })
  await sampler.sample()
  assert.deepEqual(await countries(), [
    ['ZZ', 'Unknown', 1051, 50, 78, 3],
    ['GB', 'United Kingdom', 110, 200, 22, 2],
  ])
  assert.deepEqual(await countries({ hours: 1, peer: 'P3' }), [['GB', 'United Kingdom', 10, 0, 100, 1]])
  const networks = await geography.networks(admin, { by: 'endpoint', hours: 24 })
  assert.deepEqual(
    networks.items.map(({ asn, organization, country, total_bytes, peers }) => [
      asn,
      organization,
      country,
      total_bytes,
      peers,
    ]),
    [
      [1221, 'Telstra Pty Ltd', 'ZZ', 1100, 2],
      [0, null, 'GB', 311, 3],
    ],
  )
  assert.deepEqual([networks.available, networks.reason, networks.total_bytes], [true, null, 1411])
  assert.equal(networks.databases.country?.type, 'GeoLite2-City')
  assert.equal(networks.databases.asn?.file, 'GeoLite2-ASN-Test.mmdb')
  const places = geography.peers().items
  assert.deepEqual(
    places.map(({ name, country, city, latitude, longitude, asn }) => [name, country, city, latitude, longitude, asn]),
    [
      ['p2', 'ZZ', null, null, null, 1221],
      ['p3', 'GB', 'Boxford', 51.75, -1.25, 0],
      ['p4', 'ZZ', null, null, null, 0],
    ],
  )
  await sampler.flush()
  clock.advance(20 * 24 * hour)
  const before = await countries({ hours: 8760 })
  await deleteOldPlaces(fixture, clock.now() - 366 * 24 * hour)
  const rows = await fixture.database.query.selectFrom('place_traffic').select('start').execute()
  assert.ok(
    rows.every(({ start }) => start % (24 * hour) === 0),
    'old hours are joined into days',
  )
  assert.deepEqual(await countries({ hours: 8760 }), before)
  assert.deepEqual(await countries({ hours: 24 }), [])
  await deleteOldPlaces(fixture, clock.now())
  assert.deepEqual(await countries({ hours: 8760 }), [])
}

test('traffic is attributed to the country and network the peer connected from at that time', () =>
  checkGeography({ file: ':memory:' }))

test('the same on PostgreSQL', { skip: postgresObstacle() }, async () =>
  checkGeography({ url: await createPostgresDatabase() }),
)

async function checkManyPlaces(location: DatabaseLocation): Promise<void> {
  const databases = await openDatabases({ files, folder: '/nowhere', log })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => databases.close())
  await using fixture = await openFixture(location, databases)
  const { clock, geography, sampler } = fixture
  const [peer = ''] = [...sampler.peers()].map(({ id }) => id)
  const now = clock.now() - (clock.now() % hour)
  const bytes = { country: 'GB', rx_bytes: 1, tx_bytes: 2 }
  for (let back = 0; back < 120; back += 1) {
    const key = { source: 'endpoint', start: now - back * hour, peer_id: peer } as const
    const rows = Array.from({ length: 400 }, (_, asn) => ({ ...key, ...bytes, asn }))
    await fixture.database.query.insertInto('place_traffic').values(rows).execute()
  }
  let turns = 0
  const counting = setInterval(() => (turns += 1), 0)
  const { items } = await geography.countries(admin, { by: 'endpoint', hours: 120 })
  const networks = await geography.networks(admin, { by: 'endpoint', hours: 110, peer })
  clearInterval(counting)
  assert.deepEqual(
    items.map(({ code, rx_bytes, tx_bytes, peers }) => [code, rx_bytes, tx_bytes, peers]),
    [['GB', 48_000, 96_000, 1]],
  )
  assert.deepEqual(new Set(networks.items.map(({ total_bytes }) => total_bytes)), new Set([330]))
  assert.equal(networks.items.length, 400)
  assert.ok(turns > 1, 'others had their turn meanwhile')
  clock.advance(20 * 24 * hour)
  await deleteOldPlaces(fixture, clock.now() - 366 * 24 * hour)
  const kept = await fixture.database.query.selectFrom('place_traffic').select('start').execute()
  assert.equal(kept.length, 400 * new Set(kept.map(({ start }) => start)).size)
  assert.ok(kept.length <= 400 * 6, 'a row for each day and place')
  assert.deepEqual((await geography.countries(admin, { by: 'endpoint', hours: 8760 })).items, items)
}

test('of many rows none is missed or counted twice, and other work is not blocked', () =>
  checkManyPlaces({ file: ':memory:' }))

test('the same of many rows on PostgreSQL', { skip: postgresObstacle() }, async () =>
  checkManyPlaces({ url: await createPostgresDatabase() }),
)

test('a missing, broken, cyclic or wrong database breaks nothing and is reported', async () => {
  await using folder = await temporaryDirectory('geo')
  const geo = join(folder.path, 'geo')
  await mkdir(geo)
  const databases = await openDatabases({ files: { country: undefined, asn: undefined }, folder: geo, log })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => databases.close())
  await using fixture = await openFixture({ file: ':memory:' }, databases)
  fixture.counters.set('p2', { rxBytes: 100, endpoint: inBritain, latestHandshake: 1 })
  await fixture.sampler.sample()
  await fixture.sampler.flush()
  const ask = () => fixture.geography.countries(admin, { by: 'endpoint', hours: 24 })
  const none = await ask()
  assert.deepEqual([none.items, none.total_bytes, none.available, none.databases.country], [[], 0, false, null])
  assert.match(none.reason ?? '', /GEOIP_COUNTRY_DB/)
  assert.deepEqual(fixture.geography.peers().items, [])
  const file = join(geo, 'country.mmdb')
  const put = async (name: string) => {
    await rm(file, { force: true })
    await copyFile(join(data, name), file)
    await databases.reload()
    return ask()
  }
  for (const name of ['bad-cyclic.mmdb', 'GeoLite2-ASN-Test.mmdb', 'GeoLite2-ASN-Test.json']) {
    const state = await put(name)
    assert.deepEqual([state.items, state.available], [[], false], name)
    assert.match(state.reason ?? '', /country\.mmdb cannot be used: /, name)
  }
  const good = await put('GeoLite2-Country-Test.mmdb')
  assert.deepEqual([good.available, good.reason, good.databases.country?.type], [true, null, 'GeoLite2-Country'])
  fixture.counters.set('p2', { rxBytes: 150, endpoint: inBritain, latestHandshake: 2 })
  await fixture.sampler.sample()
  assert.deepEqual(
    (await ask()).items.map(({ code, rx_bytes }) => [code, rx_bytes]),
    [['GB', 50]],
  )
  await writeFile(file, 'half a file')
  await databases.reload()
  const kept = await ask()
  assert.equal(kept.available, true, 'the last good one stays in force')
  assert.match(kept.reason ?? '', /cannot be used/)
})

test('destinations are counted from the connection table if it is available and allowed', async () => {
  await using folder = await temporaryDirectory('conntrack')
  const table = join(folder.path, 'nf_conntrack')
  const accounting = join(folder.path, 'acct')
  const databases = await openDatabases({ files, folder: '/nowhere', log })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => databases.close())
  await using fixture = await openFixture({ file: ':memory:' }, databases)
  let isEnabled = false
  const { database, attribution, clock } = fixture
  const destinations = startDestinations({
    database,
    attribution,
    clock,
    log,
    isEnabled: () => isEnabled,
    files: { table, accounting },
  })
  cleanup.defer(() => destinations.close())
  assert.match((await destinations.obstacle()) ?? '', /off in the settings/)
  isEnabled = true
  assert.match((await destinations.obstacle()) ?? '', /no connection table/)
  await writeFile(accounting, '0\n')
  assert.match((await destinations.obstacle()) ?? '', /nf_conntrack_acct=1/)
  await writeFile(accounting, '1\n')
  assert.match((await destinations.obstacle()) ?? '', /may not read/)
  const line = (to: string, sent: number, answered: number) =>
    `ipv4 2 tcp 6 9 ESTABLISHED src=10.8.0.2 dst=${to} sport=1 dport=443 packets=1 bytes=${sent} src=${to} dst=203.0.113.1 sport=443 dport=1 packets=1 bytes=${answered} use=1\n`
  await writeFile(table, line('2.125.160.217', 1000, 1000))
  assert.equal(await destinations.obstacle(), null)
  await destinations.read()
  await writeFile(
    table,
    `${line('2.125.160.217', 1100, 3000)}garbage\n${line('1.128.0.9', 5, 6)}${line('10.9.9.9', 7, 7)}`,
  )
  await destinations.read()
  const { items } = await fixture.geography.countries(admin, { by: 'destination', hours: 24 })
  assert.deepEqual(
    items.map(({ code, rx_bytes, tx_bytes, peers }) => [code, rx_bytes, tx_bytes, peers]),
    [['GB', 100, 2000, 1]],
    'what is nowhere is left out while destinations are said to be off',
  )
  const networks = await fixture.geography.networks(admin, { by: 'destination', hours: 24 })
  assert.deepEqual(
    networks.items.map(({ asn, rx_bytes }) => [asn, rx_bytes]),
    [[1221, 5]],
  )
})

test('only administrators see where a single peer connects from', async () => {
  const databases = await openDatabases({ files, folder: '/nowhere', log })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => databases.close())
  await using fixture = await openFixture({ file: ':memory:' }, databases)
  const query = { by: 'endpoint', hours: 24 } as const
  await assert.rejects(fixture.geography.countries({ role: 'user' }, { ...query, peer: 'p2' }), /administrators/)
  await assert.rejects(fixture.geography.countries(admin, { ...query, peer: 'nobody' }), /no peer nobody/)
  assert.equal((await fixture.geography.countries({ role: 'user' }, query)).available, true)
})
