import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually, freePort, metricSamples, promtoolObstacle, promtoolProblems } from '@hearth/testing'
import { simulateTraffic } from '../src/wireguard/simulated-traffic.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService, type TestService } from './in-process.ts'
import { askAt } from './loopback-resolver.ts'

async function scrape(service: TestService): Promise<Map<string, number>> {
  const reply = await service.send('GET', '/metrics')
  assert.equal(reply.status, 200, reply.text)
  return metricSamples(reply.text)
}

const reach = (service: TestService, series: string, isReached: (value: number) => boolean) =>
  eventually(async () => (await scrape(service)).get(series) ?? -1, isReached, { what: series })

test('a scrape shows interfaces and peers; deleting a peer takes no bytes away', async (context) => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const make = async (name: string, more: object = {}) =>
    (await service.call('POST', '/api/peers', { name, interface: 'wg0', ...more })).body.data
  // About one in eight stays silent when traffic is simulated.
  const keys: string[] = []
  for (let number = 0; number < 12; number += 1) keys.push((await make(`peer ${number}`)).public_key)
  await make('off')
  const off = (await service.call('GET', '/api/peers')).body.data.peers.find(
    ({ name }: { name: string }) => name === 'off',
  )
  assert.equal((await service.call('PUT', `/api/peers/${off.id}`, { enabled: false })).status, 200)
  await service.call('PUT', '/api/settings', { sample_interval_seconds: 1 })
  const before = await scrape(service)
  assert.equal(before.get('hearth_vpn_interface_up{interface="wg0"}'), 1)
  assert.equal(before.get('hearth_vpn_interface_enabled{interface="wg0"}'), 1)
  assert.equal(before.get('hearth_vpn_backend_info{backend="simulated"}'), 1)
  assert.equal(before.get('hearth_vpn_peers{interface="wg0",state="connected"}'), 0)
  assert.equal(before.get('hearth_vpn_peers{interface="wg0",state="idle"}'), 12)
  assert.equal(before.get('hearth_vpn_peers{interface="wg0",state="disabled"}'), 1)
  assert.equal(before.get('hearth_vpn_receive_bytes_total{interface="wg0"}'), 0)
  assert.equal(before.has('hearth_vpn_latest_handshake_timestamp_seconds{interface="wg0"}'), false)
  assert.equal(before.get('hearth_vpn_health_problems{severity="warning",code="simulated"}'), 1)

  const ending = new AbortController()
  context.after(() => ending.abort())
  const publicKeys = () => keys
  const simulated = simulateTraffic(service.folder, { publicKeys, signal: ending.signal, interval: 200 })
  await reach(service, 'hearth_vpn_peers{interface="wg0",state="connected"}', (count) => count > 3)
  await reach(service, 'hearth_vpn_transmit_bytes_total{interface="wg0"}', (bytes) => bytes > 0)
  await reach(service, 'hearth_vpn_receive_bytes_total{interface="wg0"}', (bytes) => bytes > 10_000)
  ending.abort()
  await simulated
  const during = await scrape(service)
  const age = Date.now() / 1000 - (during.get('hearth_vpn_latest_handshake_timestamp_seconds{interface="wg0"}') ?? 0)
  assert.ok(age >= 0 && age < 60, `${age}`)

  const { peers } = (await service.call('GET', '/api/peers')).body.data
  const busiest = peers.toSorted(
    (a: { transfer_rx: number }, b: { transfer_rx: number }) => b.transfer_rx - a.transfer_rx,
  )[0]
  assert.ok(busiest.transfer_rx > 0)
  assert.equal((await service.call('DELETE', `/api/peers/${busiest.id}`)).status, 200)
  const after = await scrape(service)
  const received = 'hearth_vpn_receive_bytes_total{interface="wg0"}'
  assert.ok((after.get(received) ?? 0) >= (during.get(received) ?? 0))
  const deleted = 'hearth_http_requests_total{method="DELETE",route="/api/peers/{id}",code="2xx"}'
  assert.equal(after.get(deleted), 1)
  assert.ok((after.get('hearth_database_queries_total') ?? 0) > 0)
})

for (const engine of ['ffi', 'dgram'])
  test(`with ${engine}: a scrape shows what became of queries, by reason, whether or not they are logged`, async () => {
    await using upstream = await startFakeNameserver()
    const port = await freePort()
    await using service = await startService({
      DNS_ENGINE: engine,
      DNS_LISTEN: `127.0.0.1:${port}`,
      DNS_LISTEN_CLIENT: 'phone',
      DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    })
    await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
    const { data: phone } = (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body
    await service.call('PUT', `/api/peers/${phone.id}`, { dns_logging_enabled: false })
    await service.call('POST', '/api/dns/rules', { action: 'block', domain: 'bad.example' })
    await service.call('POST', '/api/dns/rules', { action: 'allow', domain: 'good.example' })
    await reach(service, 'hearth_vpn_dns_up', (up) => up === 1)
    const before = await scrape(service)
    assert.equal(before.has('hearth_vpn_dns_queries_total{status="blocked",reason="rule"}'), false)
    for (const name of ['www.example', 'www.example', 'bad.example', 'a.bad.example', 'good.example', 'x.home.arpa'])
      await askAt(port, name)

    await reach(service, 'hearth_vpn_dns_queries_total{status="allowed",reason="local"}', (count) => count === 1)
    const after = await scrape(service)
    const queries = [...after].filter(([series]) => series.startsWith('hearth_vpn_dns_queries_total'))
    assert.deepEqual(Object.fromEntries(queries), {
      'hearth_vpn_dns_queries_total{status="allowed",reason="none"}': 2,
      'hearth_vpn_dns_queries_total{status="allowed",reason="rule"}': 1,
      'hearth_vpn_dns_queries_total{status="allowed",reason="local"}': 1,
      'hearth_vpn_dns_queries_total{status="blocked",reason="rule"}': 2,
    })
    assert.equal(after.get('hearth_vpn_dns_cache_hits_total'), 1)
    assert.equal(after.get('hearth_vpn_dns_failures_total'), 0)
    assert.equal(after.get('hearth_vpn_dns_blocking_enabled'), 1)
    assert.equal(after.get('hearth_vpn_filter_rules{action="block"}'), 1)
    assert.equal(after.get('hearth_vpn_filter_rules{action="allow"}'), 1)
    assert.ok((after.get('hearth_vpn_dns_resident_memory_bytes') ?? 0) > 10_000_000)
    const ofUpstream = [...after].filter(([series]) => series.startsWith('hearth_vpn_dns_upstream_'))
    assert.equal(ofUpstream.length, 4)
    assert.ok(ofUpstream.some(([series, value]) => series.includes('_up{') && value === 1))
  })

test('a scrape shows an upstream that does not answer', async () => {
  const port = await freePort()
  await using service = await startService({ DNS_LISTEN: `127.0.0.1:${port}`, DNS_LISTEN_CLIENT: 'phone' })
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
  await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  await reach(service, 'hearth_vpn_dns_up', (up) => up === 1)
  const { rcode } = await askAt(port, 'www.example', 10_000)
  assert.equal(rcode, 2)
  await reach(service, 'hearth_vpn_dns_failures_total', (count) => count === 1)
  const failures = [...(await scrape(service))].find(([series]) => series.includes('upstream_failures_total'))
  assert.ok((failures?.[1] ?? 0) >= 1)
})

test('a scrape shows the size and age of lists, and which fail', async (context) => {
  const server = createServer((request, response) => {
    if (request.url === '/good.txt')
      response.writeHead(200, { 'content-type': 'text/plain' }).end('one.test\ntwo.test\n')
    else response.writeHead(404).end()
  })
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await using service = await startService({ OUTBOUND_ALLOW: '127.0.0.1' })
  for (const { id } of (await service.call('GET', '/api/dns/blocklists')).body.data)
    await service.call('DELETE', `/api/dns/blocklists/${id}`)
  for (const name of ['good', 'bad'])
    assert.equal((await service.call('POST', '/api/dns/blocklists', { name, url: `${base}/${name}.txt` })).status, 201)
  await service.call('POST', '/api/dns/blocklists/update')
  await reach(service, 'hearth_vpn_list_failing{list="bad"}', (failing) => failing === 1)
  await reach(service, 'hearth_vpn_list_entries{list="good"}', (entries) => entries === 2)
  await reach(service, 'hearth_vpn_dns_blocked_names', (names) => names === 2)
  const samples = await scrape(service)
  assert.equal(samples.get('hearth_vpn_list_failing{list="good"}'), 0)
  assert.equal(samples.get('hearth_vpn_list_enabled{list="good"}'), 1)
  const age = Date.now() / 1000 - (samples.get('hearth_vpn_list_updated_timestamp_seconds{list="good"}') ?? 0)
  assert.ok(age >= 0 && age < 60, `${age}`)
  assert.equal(samples.has('hearth_vpn_list_updated_timestamp_seconds{list="bad"}'), false)
})

test('others than loopback need the token of the scraper; an administrator’s is another', async () => {
  const METRICS_TOKEN = 'a-token-of-a-scraper'
  await using service = await startService({ METRICS_TOKEN })
  const from = '203.0.113.7'
  assert.equal((await service.send('GET', '/metrics', { from })).status, 401)
  assert.equal((await service.send('GET', '/metrics', { from, token: service.admin })).status, 401)
  assert.equal((await service.send('GET', `/metrics?token=${METRICS_TOKEN}`, { from })).status, 401)
  const right = await service.send('GET', '/metrics', { from, token: METRICS_TOKEN })
  assert.equal(right.status, 200)
  assert.equal((await service.send('GET', '/api/peers', { token: METRICS_TOKEN })).status, 401)
  for (const path of ['/api/settings', '/api/openapi.json'])
    assert.doesNotMatch((await service.call('GET', path)).text, /a-token-of-a-scraper|"\/metrics"/)
})

test('promtool finds nothing wrong', { skip: promtoolObstacle() }, async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  assert.equal(await promtoolProblems(['check', 'metrics'], (await service.send('GET', '/metrics')).text), '')
})
