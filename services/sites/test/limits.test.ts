import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nextAddress } from '@hearth/testing'
import { createFastTimers } from '@hearth/runtime'
import { openapiDocument } from '../src/openapi.ts'
import { createLogLines } from './log-lines.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'

/** Requests that one address may send, by route. */
const limits: Record<string, string> = {
  'GET /api/v1/csrf': '60/min',
  'GET /api/v1/events': '20/min',
  'GET /api/v1/settings': '60/min',
  'PATCH /api/v1/settings': '10/min',
  'GET /api/v1/backups': '60/min',
  'POST /api/v1/backups': '5/min',
  'POST /api/setup': 'lasting 10/min 60/hour',
  'POST /api/session': 'lasting 5/min 20/hour',
  'GET /api/openid': '30/min',
  'GET /api/openid/callback': '30/min',
  'GET /api/openid/provider': '60/min',
  'GET /api/session': '120/min',
  'GET /api/sessions': '60/min',
  'DELETE /api/session': '30/min',
  'POST /api/session/password': '5/min',
  'DELETE /api/session/password': '5/min',
  'DELETE /api/sessions/{id}': '60/min',
  'POST /api/session/reauthenticate': '10/min',
  'POST /api/session/recovery-codes': '5/min',
  'GET /api/session/tokens': '60/min',
  'POST /api/session/tokens': '10/min',
  'DELETE /api/session/tokens/{id}': '10/min',
  'GET /api/security-log': '60/min',
  'GET /api/security-log.csv': '10/min',
  'GET /api/security-log.jsonl': '10/min',
  'GET /api/users': '60/min',
  'POST /api/users': '10/min',
  'PATCH /api/users/{id}': '30/min',
  'DELETE /api/users/{id}': '30/min',
  'GET /api/v1/portal/groups': '60/min',
  'POST /api/v1/portal/groups': '30/min',
  'PUT /api/v1/portal/groups/{name}': '30/min',
  'DELETE /api/v1/portal/groups/{name}': '30/min',
  'GET /api/v1/portal/tokens': '60/min',
  'POST /api/v1/portal/tokens': '30/min',
  'DELETE /api/v1/portal/tokens/{id}': '30/min',
  'GET /api/v1/portal/sessions': '60/min',
  'DELETE /api/v1/portal/sessions/{id}': '30/min',
  'POST /api/v1/portal/explain': '60/min',
  'GET /api/v1/openid/clients': '60/min',
  'GET /api/v1/openid/clients/{id}': '60/min',
  'POST /api/v1/openid/clients': '30/min',
  'PUT /api/v1/openid/clients/{id}': '30/min',
  'DELETE /api/v1/openid/clients/{id}': '30/min',
  'POST /api/v1/openid/clients/{id}/secret': '30/min',
  'GET /api/v1/openid/keys': '60/min',
  'POST /api/v1/openid/keys/rotate': '10/min',
  'GET /api/passkeys': '60/min',
  'PATCH /api/passkeys/{id}': '10/min',
  'DELETE /api/passkeys/{id}': '10/min',
  'POST /api/passkeys/register/start': '10/min',
  'POST /api/passkeys/register/finish': '10/min',
  'POST /api/passkeys/login/start': 'lasting 10/min 60/hour',
  'POST /api/passkeys/login/finish': 'lasting 5/min 20/hour',
  'GET /api/sites': '60/min',
  'POST /api/sites': '60/min',
  'POST /api/sites/preview': '60/min',
  'POST /api/sites/check-upstreams': '60/min',
  'GET /api/sites/{id}': '60/min',
  'PATCH /api/sites/{id}': '60/min',
  'PUT /api/sites/{id}': '60/min',
  'DELETE /api/sites/{id}': '60/min',
  'POST /api/sites/{id}/preview': '60/min',
  'GET /api/caddy/status': '30/min',
  'GET /api/caddy/onboarding': '30/min',
  'POST /api/caddy/onboard': '5/min',
  'POST /api/caddy/sync': '10/min',
  'GET /api/caddy/drift': '30/min',
  'POST /api/caddy/drift/restore': '10/min',
  'POST /api/caddy/drift/adopt': '10/min',
  'GET /api/revisions': '60/min',
  'GET /api/revisions/{id}': '60/min',
  'GET /api/revisions/{id}/diff': '60/min',
  'POST /api/revisions/{id}/return': '10/min',
  'GET /api/v1/dashboard/metrics': '10/min',
  'GET /api/v1/caddy/status': '30/min',
  'GET /api/v1/neighbours': '30/min',
  'GET /api/v1/on-demand/ask': '600/min',
  'GET /api/sites/explain': '60/min',
  'GET /api/nodes/{id}/authority': '30/min',
  'POST /api/caddy/import/caddyfile': '5/min',
  'POST /api/caddy/import/config': '5/min',
  'POST /api/caddy/import/nginx': '5/min',
  'POST /api/caddy/import/npm': '5/min',
  'POST /api/caddy/import/traefik': '5/min',
  'POST /api/caddy/import/zoraxy': '5/min',
  'GET /api/vpn-link': '60/min',
  'PATCH /api/vpn-link': '20/min',
  'POST /api/vpn-link/check': '10/min',
  'DELETE /api/vpn-link': '20/min',
  'GET /api/dns-providers': '60/min',
  'GET /api/dns-providers/{id}': '60/min',
  'POST /api/dns-providers': '20/min',
  'PATCH /api/dns-providers/{id}': '20/min',
  'DELETE /api/dns-providers/{id}': '20/min',
  'GET /api/external-accounts': '60/min',
  'POST /api/external-accounts': '10/min',
  'PUT /api/external-accounts/{id}': '10/min',
  'DELETE /api/external-accounts/{id}': '10/min',
  'GET /api/certificate-orders': '60/min',
  'GET /api/certificate-orders/{id}': '60/min',
  'POST /api/certificate-orders': '10/min',
  'POST /api/certificate-orders/{id}/run': '5/min',
  'POST /api/certificate-orders/{id}/revoke': '5/min',
  'PATCH /api/certificate-orders/{id}': '10/min',
  'DELETE /api/certificate-orders/{id}': '10/min',
  'GET /api/nodes': '60/min',
  'POST /api/nodes': '10/min',
  'GET /api/nodes/{id}': '60/min',
  'PATCH /api/nodes/{id}': '10/min',
  'DELETE /api/nodes/{id}': '10/min',
  'POST /api/nodes/{id}/onboard': '5/min',
  'GET /api/v1/certificates': '30/min',
  'POST /api/v1/certificates/refresh': '5/min',
  'POST /api/v1/certificates/{host}/grade': '10/min',
  'GET /api/v1/certificates/grades': '30/min',
  'GET /api/v1/dashboard/ssllabs-history': '30/min',
  'GET /api/certificates': '60/min',
  'POST /api/certificates': '10/min',
  'GET /api/certificates/{id}': '60/min',
  'PUT /api/certificates/{id}': '10/min',
  'DELETE /api/certificates/{id}': '10/min',
  'GET /api/v1/ssllabs/registration-status': '30/min',
  'POST /api/v1/ssllabs/refresh-status': '10/min',
  'POST /api/v1/ssllabs/register': '3/min 3/hour',
  'GET /api/v1/ssllabs/scans': '60/min',
  'POST /api/v1/ssllabs/scans': '5/min',
  'PUT /api/v1/ssllabs/sites/{id}': '30/min',
  'GET /api/v1/uptime': '60/min',
  'GET /api/v1/sites/{id}/uptime': '60/min',
  'POST /api/v1/sites/{id}/check': '30/min',
  'GET /api/v1/maintenance-windows': '60/min',
  'POST /api/v1/maintenance-windows': '30/min',
  'PUT /api/v1/maintenance-windows/{id}': '30/min',
  'DELETE /api/v1/maintenance-windows/{id}': '30/min',
  'GET /api/v1/status-pages': '60/min',
  'POST /api/v1/status-pages': '30/min',
  'PUT /api/v1/status-pages/{slug}': '30/min',
  'DELETE /api/v1/status-pages/{slug}': '30/min',
  'GET /status/{slug}': '60/min',
  'GET /api/v1/traffic': '60/min',
  'GET /api/v1/traffic/last-seen': '60/min',
  'GET /api/v1/sites/{id}/traffic': '60/min',
  'GET /api/v1/traffic/upstreams': '30/min',
  'GET /api/v1/traffic/live': '20/min',
  'GET /api/v1/notifications/destinations': '60/min',
  'POST /api/v1/notifications/destinations': '30/min',
  'PUT /api/v1/notifications/destinations/{id}': '30/min',
  'DELETE /api/v1/notifications/destinations/{id}': '30/min',
  'POST /api/v1/notifications/destinations/{id}/test': '10/min',
  'GET /api/v1/notifications/failures': '60/min',
  'POST /api/v1/notifications/failures/{id}/send': '30/min',
  'DELETE /api/v1/notifications/failures/{id}': '30/min',
}

const free = new Set([
  'GET /api/v1/health',
  'GET /api/v1/ready',
  'GET /api/v1/build-info',
  'GET /docs',
  'GET /redoc',
  'GET /openapi.json',
])

const timers = createFastTimers(1)
const lines = createLogLines()
let sites: Sites
let visitor: Browser

before(async () => {
  sites = await startSites({ API_TOKENS: 'on' }, { timers, log: lines.log })
  await sites.signIn()
  visitor = sites.browser()
  await visitor.csrf()
})
after(() => sites[Symbol.asyncDispose]())

function send(request: string, from: string): Promise<Response> {
  const [method = '', path = ''] = request.replaceAll(/\{\w+\}/g, 'x').split(' ')
  return visitor.call(method, path, { from, ...(method === 'GET' ? {} : { json: {} }) })
}

test('the OpenAPI document states the expected limit of every route', async () => {
  const { paths } = (await openapiDocument()) as {
    paths: Record<string, Record<string, { 'x-limit': string }>>
  }
  const stated = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one['x-limit']] as const),
  )
  const expected = { ...limits, ...Object.fromEntries([...free].map((name) => [name, 'none'])) }
  assert.deepEqual(Object.fromEntries(stated), expected)
})

for (const [request, limit] of Object.entries(limits)) {
  const [, count = ''] = /(\d+)\/min/.exec(limit) ?? []
  test(`${request} allows ${count} requests per minute per address and does not affect other addresses`, async () => {
    const from = nextAddress()
    for (let index = 0; index < Number(count); index += 1)
      assert.notEqual((await send(request, from)).status, 429, `${index + 1}`)
    const refused = await send(request, from)
    assert.equal(refused.status, 429)
    assert.match(((await refused.json()) as { detail: string }).detail, /^Too many requests; try again in \d+ s$/)
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, `${wait}`)
    assert.notEqual((await send(request, nextAddress())).status, 429)
    assert.notEqual((await send('GET /api/v1/health', from)).status, 429)
  })
}

test('the hourly limit survives a restart', async () => {
  const from = nextAddress()
  for (let minute = 0; minute < 4; minute += 1) {
    for (let index = 0; index < 5; index += 1) assert.equal((await send('POST /api/session', from)).status, 422)
    assert.equal((await send('POST /api/session', from)).status, 429)
    timers.jump(61_000)
  }
  const refused = await send('POST /api/session', from)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 60)
  assert.equal(lines.last(), `SECURITY sign-in failed client=${from} reason=rate_limited status=429 username=`)
  await sites.restart()
  assert.equal((await send('POST /api/session', from)).status, 429)
  timers.jump(3_600_000)
  assert.equal((await send('POST /api/session', from)).status, 422)
})

test('unknown paths count towards the limit too', async () => {
  const from = nextAddress()
  for (let index = 0; index < 60; index += 1) assert.equal((await send(`GET /api/x${index}`, from)).status, 401)
  assert.equal((await send('GET /api/other', from)).status, 429)
})

test('an IPv6 /64 counts as one client, and X-Forwarded-For is trusted from a known proxy only', async () => {
  const ask = async (from: string) =>
    Number((await send('GET /api/session', from)).headers.get('x-ratelimit-remaining'))
  assert.equal(await ask('2001:db8:1:2::1'), 119)
  assert.equal(await ask('2001:db8:1:2:ffff::9'), 118)
  // What a client writes itself stands to the left of what the proxy adds.
  assert.equal(await ask('203.0.113.5'), 119)
  assert.equal(await ask('8.8.8.8, 203.0.113.5'), 118)
  await using other = await startSites({ TRUSTED_PROXIES: '' })
  const once = (from: string) => other.browser().call('GET', '/api/session', { from })
  assert.equal((await once('203.0.113.5')).headers.get('x-ratelimit-remaining'), '119')
  assert.equal((await once('203.0.113.6')).headers.get('x-ratelimit-remaining'), '118')
})
