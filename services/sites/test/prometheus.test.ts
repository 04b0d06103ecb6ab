import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, metricSamples, promtoolObstacle, promtoolProblems } from '@hearth/testing'
import { startForeignCaddy } from './foreign-caddy.ts'
import { startSites, type Sites } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { askHost, makeSite, sayingSite } from './served.ts'

const METRICS_TOKEN = 'a-token-of-a-scraper'
const skip = caddyObstacle() ?? false

const ask = (sites: Sites, authorization = `Bearer ${METRICS_TOKEN}`) =>
  fetch(`${sites.url}/metrics`, { headers: { authorization } })

async function scrape(sites: Sites): Promise<Map<string, number>> {
  const response = await ask(sites)
  assert.equal(response.status, 200)
  return metricSamples(await response.text())
}

const reach = (sites: Sites, series: string, value: number) =>
  eventually(
    async () => (await scrape(sites)).get(series),
    (found) => found === value,
    { what: series },
  )

test('a scrape shows sites, what was applied, requests and certificates', { skip }, async () => {
  await using sites = await startSites({ METRICS_TOKEN }, { caddy: true })
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )
  const before = await scrape(sites)
  assert.equal(before.get('hearth_sites_sites{state="served"}'), 0)
  await makeSite(admin, { ...sayingSite('busy', 'busy'), domains: ['busy.test', 'also.test'] })
  await makeSite(admin, { ...sayingSite('off', 'off'), enabled: false })
  await makeSite(admin, { ...sayingSite('house', 'house'), domains: ['house.internal'], tls: { mode: 'internal' } })
  await eventually(
    async () => (await admin.call('POST', '/api/v1/certificates/house.internal/grade')).status,
    (status) => status === 200,
  )
  for (let count = 0; count < 3; count += 1) await askHost(sites.caddyPorts[0], 'busy.test')
  await askHost(sites.caddyPorts[0], 'nobody.test')

  await reach(sites, 'hearth_sites_requests_total{code="2xx"}', 3)
  await reach(sites, 'hearth_sites_requests_total{code="4xx"}', 1)
  await reach(sites, 'hearth_sites_certificates{state="valid"}', 1)
  await reach(sites, 'hearth_sites_up{site="busy"}', 1)
  const after = await scrape(sites)
  assert.ok((after.get('hearth_sites_check_duration_seconds{site="busy"}') ?? 0) > 0)
  assert.equal(after.get('hearth_sites_maintenance{site="busy"}'), 0)
  assert.equal(after.get('hearth_sites_up{site="off"}'), undefined)
  assert.equal(after.get('hearth_sites_sites{state="served"}'), 2)
  assert.equal(after.get('hearth_sites_sites{state="disabled"}'), 1)
  assert.equal(after.get('hearth_sites_sites{state="refused"}'), 0)
  assert.equal(after.get('hearth_sites_domains'), 4)
  const up = [...after].filter(([series]) => series.startsWith('hearth_sites_caddy_'))
  assert.deepEqual(
    up.filter(([series]) => /up|drifted/.test(series)).map(([, value]) => value),
    [1, 0],
  )
  const applied = (samples: Map<string, number>) =>
    [...samples].find(([series]) => /^hearth_sites_applies_total\{.*outcome="applied"/.test(series))?.[1] ?? 0
  assert.ok(applied(after) >= applied(before) + 2)
  assert.equal(
    after.get('hearth_sites_apply_duration_seconds_count'),
    after.get('hearth_sites_apply_duration_seconds_bucket{le="+Inf"}'),
  )
  assert.ok((after.get('hearth_sites_response_bytes_total') ?? 0) >= 12)
  // Caddy's internal certificates last twelve hours.
  const left = (after.get('hearth_sites_certificate_expiry_timestamp_seconds{site="house"}') ?? 0) - Date.now() / 1000
  assert.ok(left > 3600 && left < 86_400, `${left}`)
  assert.equal(
    after.get('hearth_sites_certificate_earliest_expiry_timestamp_seconds'),
    after.get('hearth_sites_certificate_expiry_timestamp_seconds{site="house"}'),
  )
  const graded = [...(await scrape(sites))].filter(([series]) => series.startsWith('hearth_sites_certificate_grades'))
  assert.deepEqual(
    graded.map(([series, count]) => [/source="local"/.test(series), count]),
    [[true, 1]],
  )
  const text = await (await ask(sites)).text()
  assert.doesNotMatch(text, /busy\.test|nobody\.test|house\.internal/)
  const problems = promtoolObstacle() === false ? await promtoolProblems(['check', 'metrics'], text) : ''
  assert.equal(problems, '')
})

test('a scrape shows drift, and a Caddy that is gone', { skip }, async () => {
  await using caddy = await startForeignCaddy({ admin: 'tcp' })
  await using sites = await startSites({ ...caddy.environment, METRICS_TOKEN })
  const admin = await sites.signIn()
  assert.equal((await admin.call('POST', '/api/caddy/onboard')).status, 200)
  await makeSite(admin, sayingSite('first', 'first'))
  const changed = await fetch(`${caddy.adminUrl}/config/apps/http/grace_period`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '"7s"',
  })
  assert.equal(changed.status, 200, await changed.text())
  await sites.service.app.deploy.drift.check()
  const drifted = [...(await scrape(sites))].find(([series]) => series.startsWith('hearth_sites_caddy_drifted'))
  assert.equal(drifted?.[1], 1)
  await caddy.kill()
  await sites.service.app.deploy.drift.check()
  const up = [...(await scrape(sites))].find(([series]) => series.startsWith('hearth_sites_caddy_up'))
  assert.equal(up?.[1], 0)
})

test('only the token opens the metrics: no session, no loopback behind a trusted proxy', async () => {
  await using sites = await startSites({ METRICS_TOKEN })
  // Before the service is set up as well.
  assert.equal((await ask(sites)).status, 200)
  assert.equal((await fetch(`${sites.url}/metrics`)).status, 401)
  assert.equal((await ask(sites, 'Bearer wrong')).status, 401)
  const admin = await sites.signIn()
  assert.equal((await admin.call('GET', '/metrics')).status, 401)
  assert.doesNotMatch(await (await admin.call('GET', '/api/settings')).text(), /a-token-of-a-scraper/)
})
