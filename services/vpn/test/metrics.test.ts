import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { eventually, runCommand } from '@hearth/testing'
import { simulateTraffic } from '../src/wireguard/simulated-traffic.ts'
import { startService, type TestService } from './in-process.ts'

const geo = join(import.meta.dirname, 'data/geo')

async function furnish(service: TestService): Promise<string[]> {
  const made = async (path: string, fields: object): Promise<{ id: string }> => {
    const { status, body } = await service.call('POST', path, fields)
    assert.equal(status, 201, JSON.stringify(body))
    return body.data
  }
  await made('/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const ids: string[] = []
  for (let number = 0; number < 12; number += 1) {
    ids.push((await made('/api/peers', { name: `peer ${number}`, interface: 'wg0' })).id)
  }
  await service.call('PUT', '/api/settings', { sample_interval_seconds: 1 })
  return ids
}

test('peer traffic appears at once in its history, the server’s, the dashboard and the map', async () => {
  await using service = await startService({
    GEOIP_COUNTRY_DB: join(geo, 'GeoLite2-City-Test.mmdb'),
    GEOIP_ASN_DB: join(geo, 'GeoLite2-ASN-Test.mmdb'),
  })
  const ids = await furnish(service)
  const { peers } = (await service.call('GET', '/api/peers')).body.data
  const ending = new AbortController()
  const publicKeys = () => peers.map((peer: { public_key: string }) => peer.public_key)
  const simulated = simulateTraffic(service.folder, { publicKeys, signal: ending.signal, interval: 200 })
  const get = async (path: string) => {
    const reply = await service.call('GET', path)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data
  }
  const dashboard = await eventually(
    () => get('/api/metrics/dashboard'),
    ({ traffic }) => traffic.rx_bytes > 10_000,
  )
  assert.ok(dashboard.traffic.today.rx_bytes > 0)
  assert.match(dashboard.traffic.last_handshake, /Z$/)
  ending.abort()
  await simulated
  const settled = await eventually(
    async () => [await get('/api/metrics/traffic'), await get('/api/metrics/dashboard')],
    ([all, now]) => all.totals.rx_bytes === now.traffic.rx_bytes && now.traffic.rx_rate === 0,
  )
  const [all, now] = settled
  assert.deepEqual([all.interface, all.points.length], [null, 24])
  const histories = await Promise.all(ids.map((id) => get(`/api/metrics/peers/${id}`)))
  const rows = (await get('/api/peers')).peers
  for (const history of histories) {
    const peer = rows.find(({ id }: { id: string }) => id === history.peer_id)
    assert.deepEqual([history.totals.rx_bytes, history.totals.tx_bytes], [peer.transfer_rx, peer.transfer_tx])
    assert.ok(history.totals.peak_rate * 300 >= history.totals.rx_bytes)
  }
  const top = await get('/api/metrics/traffic/top?limit=3')
  assert.equal(top.peers.length, 3)
  assert.ok(top.peers[0].total_bytes >= top.peers[1].total_bytes)
  const countries = await get('/api/metrics/geo/countries')
  assert.equal(countries.total_bytes, now.traffic.rx_bytes + now.traffic.tx_bytes)
  assert.deepEqual([countries.available, countries.reason, countries.by], [true, null, 'endpoint'])
  assert.equal(countries.databases.country.type, 'GeoLite2-City')
  const map = await get('/api/metrics/geo/peers')
  assert.equal(map.items.length, rows.filter(({ endpoint }: { endpoint: string | null }) => endpoint !== null).length)
  const before = all.totals
  await service.stop()
  const backup = join(service.folder, 'backup.gz')
  assert.equal((await runCommand(['vpn', 'backup', backup], { DATA_DIR: service.folder })).code, 0)
  emptyTables(join(service.folder, 'vpn.db'))
  assert.equal((await runCommand(['vpn', 'restore', backup], { DATA_DIR: service.folder })).code, 0)
  await using again = await startService({}, service.folder)
  Object.assign(again, { admin: service.admin })
  const after = (await again.call('GET', '/api/metrics/traffic')).body.data.totals
  assert.deepEqual(
    [after.rx_bytes, after.tx_bytes],
    [before.rx_bytes, before.tx_bytes],
    'after a restart from a backup',
  )
  const countriesAfter = (await again.call('GET', '/api/metrics/geo/countries')).body.data
  assert.equal(
    countriesAfter.total_bytes,
    countries.items.find(({ code }: { code: string }) => code !== 'ZZ')?.total_bytes ?? 0,
  )
})

function emptyTables(file: string): void {
  using database = new DatabaseSync(file, { timeout: 10_000 })
  for (const table of ['peer_traffic', 'interface_traffic', 'place_traffic']) {
    const { count } = database.prepare(`select count(*) as count from ${table}`).get() as { count: number }
    assert.ok(count > 0, table)
    database.exec(`delete from ${table}`)
  }
}

test('invalid periods and resolutions are refused', async () => {
  await using service = await startService()
  const [id] = await furnish(service)
  const status = async (query: string, path = `/api/metrics/peers/${id}`) =>
    (await service.call('GET', `${path}?${query}`)).status
  assert.equal(await status(''), 200)
  for (const query of [
    'start=2026-11-21&end=2026-11-20',
    'start=2026-11-21T00:00:00Z&end=2026-11-21T00:00:00Z',
    'start=yesterday',
    'end=2026-13-01T00:00:00Z',
    'end=21.11.2026',
    'start=1700000000',
    'start=',
    'resolution=monthly',
    'resolution=hourly&resolution=daily',
    'limit=5',
  ])
    assert.equal(await status(query), 400, query)
  assert.equal(await status('start=2020-01-01&end=2026-01-01'), 422, 'too many hours')
  assert.equal(await status('start=2020-01-01&end=2026-01-01&resolution=daily'), 200)
  assert.equal(await status('start=1970-01-01&end=9999-12-31&resolution=weekly'), 422)
  assert.equal(await status('', '/api/metrics/peers/nobody'), 404)
  assert.equal(await status('interface=wg9', '/api/metrics/traffic'), 404)
  assert.equal(await status('interface=wg0', '/api/metrics/traffic'), 200)
  assert.equal(await status('limit=0', '/api/metrics/traffic/top'), 400)
  for (const [query, points] of [
    ['start=2026-03-28T23:30:00Z&end=2026-03-29T23:30:00Z', 25],
    ['start=2026-03-29&end=2026-03-30', 24],
    ['start=2026-03-29T00:00:00%2B02:00&end=2026-03-30T00:00:00+02:00', 24],
    ['start=2026-03-29T00:00&end=2026-03-29T01:00:00.5', 2],
    ['start=2026-10-19&end=2026-11-02&resolution=daily', 14],
    ['start=2026-10-21&end=2026-11-04&resolution=weekly', 3],
  ] as const) {
    const { data } = (await service.call('GET', `/api/metrics/peers/${id}?${query}`)).body
    assert.equal(data.points.length, points, query)
    assert.ok(data.points.every((point: { rx_bytes: number }) => point.rx_bytes === 0))
  }
  assert.equal(await status('hours=0', '/api/metrics/geo/countries'), 400)
  assert.equal(await status('hours=8761', '/api/metrics/geo/asn'), 400)
  assert.equal(await status('hours=8760&by=destination', '/api/metrics/geo/asn'), 200)
  assert.equal(await status('peer=nobody', '/api/metrics/geo/asn'), 404)
  assert.equal(await status('peer=PEER%200', '/api/metrics/geo/asn'), 200)
})

test('a plain user sees countries and networks in total, but no single peer and no map', async () => {
  await using service = await startService()
  const [id] = await furnish(service)
  await service.addUser('reader', 'user')
  const reader = await service.signIn('reader', 'tall-giraffe-on-ice-7')
  const status = async (path: string) => (await reader.send('GET', path)).status
  for (const path of ['geo/countries', 'geo/asn', `peers/${id}`, 'traffic', 'traffic/top'])
    assert.equal(await status(`/api/metrics/${path}`), 200, path)
  for (const path of [
    'geo/peers',
    `geo/countries?peer=${id}`,
    `geo/asn?peer=${id}`,
    `geo/countries?by=destination&peer=${id}`,
  ])
    assert.equal(await status(`/api/metrics/${path}`), 403, path)
})

test('without databases, or with a broken one, geography is empty and says why', async () => {
  await using service = await startService({ GEOIP_COUNTRY_DB: join(geo, 'bad-cyclic.mmdb') })
  await furnish(service)
  const countries = (await service.call('GET', '/api/metrics/geo/countries')).body.data
  assert.deepEqual(
    [countries.items, countries.available, countries.databases],
    [[], false, { country: null, asn: null }],
  )
  assert.match(countries.reason, /bad-cyclic\.mmdb cannot be used/)
  assert.ok(!countries.reason.includes('/'), 'no folder is told')
  const networks = (await service.call('GET', '/api/metrics/geo/asn')).body.data
  assert.match(networks.reason, /GEOIP_ASN_DB/)
  const destinations = (await service.call('GET', '/api/metrics/geo/asn?by=destination')).body.data
  assert.deepEqual([destinations.available, destinations.items], [false, []])
  assert.match(destinations.reason, /destination_metrics_enabled/)
})

test('a database placed in the data directory is found without a restart', async () => {
  await using service = await startService()
  const available = async () => (await service.call('GET', '/api/metrics/geo/countries')).body.data.available
  assert.equal(await available(), false)
  await mkdir(join(service.folder, 'geo'), { recursive: true })
  await copyFile(join(geo, 'GeoLite2-Country-Test.mmdb'), join(service.folder, 'geo/country.mmdb'))
  await eventually(available, Boolean, { seconds: 25 })
})
