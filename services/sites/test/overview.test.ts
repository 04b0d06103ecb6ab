import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { eventually, nextAddress } from '@hearth/testing'
import type { DashboardMetrics } from '../src/overview/schema.ts'
import { startSites } from './in-process.ts'
import { askHost, makeSite, sayingSite } from './served.ts'

test('the dashboard counts sites, domains, requests and problems', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await makeSite(admin, { ...sayingSite('busy', 'busy'), domains: ['busy.test', 'also.test'] })
  await makeSite(admin, { ...sayingSite('off', 'off'), enabled: false })
  for (let count = 0; count < 3; count += 1) await askHost(sites.caddyPorts[0], 'busy.test')
  await askHost(sites.caddyPorts[0], 'nobody.test')
  const metrics = await eventually(
    async () => (await admin.json<DashboardMetrics>('GET', '/api/v1/dashboard/metrics')).body,
    ({ requests_total: total }) => total >= 4,
  )
  assert.deepEqual(
    [metrics.site_count, metrics.enabled_site_count, metrics.domain_count, metrics.enabled_domain_count],
    [2, 1, 3, 2],
  )
  assert.deepEqual([metrics.pending_site_count, metrics.failed_site_count, metrics.drifted], [0, 0, false])
  assert.deepEqual([metrics.caddy_service_status, metrics.nodes.map(({ state }) => state)], ['Running', ['in_sync']])
  assert.equal(metrics.top_sites[0]?.site_name, 'busy')
  assert.ok(
    metrics.status_classes['2xx'] >= 3 && metrics.status_classes['4xx'] >= 1,
    JSON.stringify(metrics.status_classes),
  )
  await sites.addUser('grace', 'user')
  const user = await sites.signInAs('grace')
  const seen = await user.json<{ running: boolean; version: string }>('GET', '/api/v1/caddy/status', {
    from: nextAddress(),
  })
  assert.deepEqual([seen.status, seen.body.running], [200, true])
  assert.match(seen.body.version, /^v?2\./)
})

test('the dashboard counts upstreams before any other page is opened, also after an edit', async () => {
  await using up = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(up, 'listening')
  const { port } = up.address() as AddressInfo
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const counts = async () => {
    const { body } = await admin.json<DashboardMetrics>('GET', '/api/v1/dashboard/metrics')
    return [body.upstreams_up, body.upstreams_down]
  }
  assert.deepEqual(await counts(), [0, 0])
  const proxied = { ...sayingSite('proxied', ''), kind: 'proxy', respond: null }
  const upstreams = [{ url: `http://127.0.0.1:${port}` }, { url: 'http://127.0.0.1:9' }]
  const site = await makeSite(admin, { ...proxied, upstreams })
  assert.deepEqual(await counts(), [1, 1])
  await admin.json('PATCH', `/api/sites/${site.id}`, { json: { upstreams: upstreams.slice(0, 1) } })
  assert.deepEqual(await counts(), [1, 0])
})
