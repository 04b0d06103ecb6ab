import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { DashboardMetrics } from '../src/overview/schema.ts'
import { nextAddress } from './browser.ts'
import { startSites } from './in-process.ts'
import { askHost, makeSite, sayingSite } from './served.ts'

test('the first page counts sites, domains, requests and what is wrong', async () => {
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
