import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { createFastTimers, createLog } from '@hearth/runtime'
import { nextAddress, readEventStream } from '@hearth/testing'
import { operationsOf, type Operation } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'

interface Created {
  id: string
  token: string
  prefix: string
}
interface Answer {
  detail: string
  code?: string
}

const path = '/api/session/tokens'
const permissions = ['read', 'edit', 'full'] as const
type Permissions = (typeof permissions)[number]

/** Least permissions of a token for each route; a route that is not here takes none. */
const least: Record<string, Permissions> = {
  'GET /api/v1/neighbours': 'read',
  'GET /api/v1/events': 'read',
  'GET /api/v1/certificates': 'read',
  'GET /api/v1/certificates/grades': 'read',
  'GET /api/v1/dashboard/ssllabs-history': 'read',
  'GET /api/v1/dashboard/metrics': 'read',
  'GET /api/v1/caddy/status': 'read',
  'GET /api/v1/traffic': 'read',
  'GET /api/v1/traffic/last-seen': 'read',
  'GET /api/v1/traffic/live': 'read',
  'GET /api/v1/traffic/upstreams': 'read',
  'GET /api/v1/sites/{id}/traffic': 'read',
  'GET /api/v1/uptime': 'read',
  'GET /api/v1/sites/{id}/uptime': 'read',
  'POST /api/v1/sites/{id}/check': 'edit',
  'GET /api/v1/status-pages': 'read',
  'POST /api/v1/status-pages': 'full',
  'PUT /api/v1/status-pages/{slug}': 'full',
  'DELETE /api/v1/status-pages/{slug}': 'full',
  'GET /api/v1/maintenance-windows': 'read',
  'POST /api/v1/maintenance-windows': 'edit',
  'PUT /api/v1/maintenance-windows/{id}': 'edit',
  'DELETE /api/v1/maintenance-windows/{id}': 'edit',
  'GET /api/v1/settings': 'read',
  'PATCH /api/v1/settings': 'full',
  'GET /api/v1/backups': 'read',
  'POST /api/v1/backups': 'full',
  'POST /api/v1/certificates/refresh': 'full',
  'POST /api/v1/certificates/{host}/grade': 'full',
  'GET /api/v1/ssllabs/registration-status': 'read',
  'POST /api/v1/ssllabs/refresh-status': 'full',
  'POST /api/v1/ssllabs/register': 'full',
  'GET /api/v1/ssllabs/scans': 'read',
  'POST /api/v1/ssllabs/scans': 'full',
  'PUT /api/v1/ssllabs/sites/{id}': 'full',
  'GET /api/v1/notifications/destinations': 'read',
  'POST /api/v1/notifications/destinations': 'full',
  'PUT /api/v1/notifications/destinations/{id}': 'full',
  'DELETE /api/v1/notifications/destinations/{id}': 'full',
  'POST /api/v1/notifications/destinations/{id}/test': 'full',
  'GET /api/v1/notifications/failures': 'read',
  'POST /api/v1/notifications/failures/{id}/send': 'full',
  'DELETE /api/v1/notifications/failures/{id}': 'full',
  'GET /api/sites': 'read',
  'POST /api/sites': 'edit',
  'POST /api/sites/preview': 'edit',
  'POST /api/sites/check-upstreams': 'edit',
  'GET /api/sites/explain': 'read',
  'GET /api/sites/{id}': 'read',
  'PATCH /api/sites/{id}': 'edit',
  'PUT /api/sites/{id}': 'edit',
  'DELETE /api/sites/{id}': 'edit',
  'POST /api/sites/{id}/preview': 'edit',
  'GET /api/caddy/status': 'read',
  'POST /api/caddy/sync': 'edit',
  'GET /api/caddy/drift': 'read',
  'POST /api/caddy/drift/restore': 'edit',
  'POST /api/caddy/drift/adopt': 'full',
  'GET /api/caddy/onboarding': 'read',
  'POST /api/caddy/onboard': 'full',
  'GET /api/revisions': 'read',
  'GET /api/revisions/{id}': 'read',
  'GET /api/revisions/{id}/diff': 'read',
  'POST /api/revisions/{id}/return': 'edit',
  'GET /api/nodes': 'read',
  'POST /api/nodes': 'full',
  'GET /api/nodes/{id}': 'read',
  'PATCH /api/nodes/{id}': 'full',
  'DELETE /api/nodes/{id}': 'full',
  'POST /api/nodes/{id}/onboard': 'full',
  'GET /api/nodes/{id}/authority': 'read',
  'GET /api/certificates': 'read',
  'POST /api/certificates': 'full',
  'GET /api/certificates/{id}': 'read',
  'PUT /api/certificates/{id}': 'full',
  'DELETE /api/certificates/{id}': 'full',
  'GET /api/vpn-link': 'read',
  'PATCH /api/vpn-link': 'full',
  'POST /api/vpn-link/check': 'full',
  'DELETE /api/vpn-link': 'full',
  'GET /api/dns-providers': 'read',
  'GET /api/dns-providers/{id}': 'read',
  'POST /api/dns-providers': 'full',
  'PATCH /api/dns-providers/{id}': 'full',
  'DELETE /api/dns-providers/{id}': 'full',
  'GET /api/external-accounts': 'read',
  'POST /api/external-accounts': 'full',
  'PUT /api/external-accounts/{id}': 'full',
  'DELETE /api/external-accounts/{id}': 'full',
  'GET /api/certificate-orders': 'read',
  'GET /api/certificate-orders/{id}': 'read',
  'POST /api/certificate-orders': 'full',
  'PATCH /api/certificate-orders/{id}': 'full',
  'POST /api/certificate-orders/{id}/run': 'full',
  'POST /api/certificate-orders/{id}/revoke': 'full',
  'DELETE /api/certificate-orders/{id}': 'full',
}

const timers = createFastTimers(1)
let sites: Sites
let admin: Browser
const lines: string[] = []

before(async () => {
  const log = createLog({ name: 'test', level: 'silent' })
  const note = (...words: unknown[]) => void lines.push(JSON.stringify(words))
  const recorded = Object.assign(log, { debug: note, info: note, warn: note, error: note, child: () => log })
  sites = await startSites({ API_TOKENS: 'on' }, { timers, log: recorded })
  admin = await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

async function create(kind: Permissions, more: object = {}, browser = admin): Promise<Created> {
  const made = await browser.json<Created>('POST', path, { json: { name: 'program', permissions: kind, ...more } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

/** Calls as a program with a token, without cookies and CSRF tokens. */
function send(request: string, authorization: string | undefined, { from = nextAddress(), json }: Sending = {}) {
  const [method = '', place = ''] = request.split(' ')
  const headers = { 'x-forwarded-for': from, ...(authorization === undefined ? {} : { authorization }) }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  return fetch(sites.url + place, { method, headers: { ...headers, ...type }, ...body })
}
interface Sending {
  readonly from?: string
  readonly json?: object
}

async function statusOf(request: string, token: string, sending?: Sending): Promise<number> {
  const response = await send(request, `Bearer ${token}`, sending)
  await response.body?.cancel()
  return response.status
}

describe('a route', () => {
  let operations: Operation[]
  before(async () => void (operations = operationsOf(await openapiDocument())))

  test('that the table names exists', () => {
    const known = new Set(operations.map((one) => `${one.method} ${one.path}`))
    assert.deepEqual(
      Object.keys(least).filter((name) => !known.has(name)),
      [],
    )
  })

  test('takes tokens with the permissions of the table, and no other', async () => {
    const tokens = Object.fromEntries(
      await Promise.all(permissions.map(async (kind) => [kind, (await create(kind)).token])),
    ) as Record<Permissions, string>
    for (const { method, path: place, access, body } of operations.filter((one) => !/always|public/.test(one.access))) {
      const needed = least[`${method} ${place}`]
      for (const kind of permissions) {
        const sending = body === undefined ? {} : { json: {} }
        const request = `${method} ${place.replaceAll(/\{\w+\}/g, 'none')}`
        const response = await send(request, `Bearer ${tokens[kind]}`, sending)
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
        const detail = isStream ? '' : await response.text()
        if (isStream) await response.body?.cancel()
        const isAllowed = needed !== undefined && permissions.indexOf(kind) >= permissions.indexOf(needed)
        assert.equal(response.status !== 403, isAllowed, `${request} (${access}) with ${kind}: ${detail}`)
        assert.notEqual(response.status, 401)
      }
    }
    assert.equal(await statusOf('GET /api/nothing', tokens.read), 404)
  })

  test('that is open to everybody stays so, and a token signs nobody in there', async () => {
    const { token } = await create('full')
    assert.equal(await statusOf('GET /api/v1/health', token), 200)
    assert.equal(await statusOf('GET /api/v1/health', 'hsit_wrong'), 200)
    assert.equal(await statusOf('POST /api/session', token, { json: { username: 'admin', password: 'x' } }), 403)
  })
})

test('a token is shown once, works without cookie and CSRF token, and says where it was used last', async () => {
  const { token, prefix, id } = await create('edit', { name: 'deploy', ip_whitelist: ['192.0.2.0/24'] })
  assert.match(token, /^hsit_[A-Za-z0-9]{44}$/)
  assert.ok(token.startsWith(prefix))
  const change = { site_name: 'x' }
  assert.equal(await statusOf('PATCH /api/sites/1', token, { from: '192.0.2.9', json: change }), 404)
  const { body } = await admin.json<{ tokens: Record<string, unknown>[] }>('GET', path)
  const listed = body.tokens.find((one) => one['id'] === id)
  assert.deepEqual([listed?.['last_used_ip'], listed?.['name']], ['192.0.2.9', 'deploy'])
  assert.ok(!JSON.stringify(body).includes(token))
  const session = await admin.json<{ api_tokens?: boolean }>('GET', '/api/session')
  assert.equal(session.body.api_tokens, true)
})

test('a token works from its addresses only, and a forged forwarding header is no way round', async () => {
  const { token } = await create('read', { ip_whitelist: ['192.0.2.0/24', '2001:db8::7'] })
  const from = (address: string) => statusOf('GET /api/sites', token, { from: address })
  for (const address of ['192.0.2.7', '2001:db8::7', '::ffff:192.0.2.7']) assert.equal(await from(address), 200)
  for (const address of ['192.0.3.7', '2001:db8::8', '192.0.2.7, 192.0.3.7']) assert.equal(await from(address), 403)
  for (const entry of ['', 'x', '10.0.0.0/33', "1' or '1'='1"]) {
    const json = { name: 'x', permissions: 'read', ip_whitelist: [entry] }
    assert.equal((await admin.call('POST', path, { json })).status, 422, entry)
  }
})

test('a wrong token is refused whatever it looks like, even beside a good cookie, and too many are slowed down', async () => {
  const { token } = await create('read')
  const odd = ["Bearer ' or 1=1 --", 'Bearer', 'Bearer  ', 'Bearer a b', `bearer ${token}x`, `Bearer ${token.slice(1)}`]
  for (const authorization of odd) {
    const response = await send('GET /api/sites', authorization)
    const body = (await response.json()) as Answer
    assert.deepEqual([response.status, body.detail], [401, 'Authentication required.'], authorization)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
  }
  const wrong = { authorization: 'Bearer hsit_unknown' }
  assert.equal((await admin.call('GET', '/api/sites', { headers: wrong })).status, 401)
  // A header of another scheme belongs to a proxy.
  assert.equal((await admin.call('GET', '/api/sites', { headers: { authorization: 'Basic YTpi' } })).status, 200)
  assert.equal(await statusOf(`GET /api/sites?token=${token}`, 'none'), 401)
  const from = nextAddress()
  for (let index = 0; index < 10; index += 1)
    assert.equal(await statusOf('GET /api/sites', `hsit_${index}`, { from }), 401)
  assert.equal(await statusOf('GET /api/sites', 'hsit_x', { from }), 429)
  assert.equal(await statusOf('GET /api/sites', token, { from }), 200)
})

test('the token goes before the cookie: it may not do more than it says, and a write needs no CSRF token', async () => {
  const { token } = await create('read')
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await admin.call('GET', '/api/sites', { headers })).status, 200)
  const json = { site_probe: true }
  assert.equal((await admin.call('PATCH', '/api/v1/settings', { headers, json })).status, 403)
  const full = { authorization: `Bearer ${(await create('full')).token}` }
  assert.equal((await admin.call('PATCH', '/api/v1/settings', { headers: full, json, isBare: true })).status, 200)
  const elsewhere = { ...full, 'sec-fetch-site': 'cross-site' }
  assert.equal((await admin.call('PATCH', '/api/v1/settings', { headers: elsewhere, json })).status, 403)
})

test('directives need somebody who confirmed who they are, which a program cannot', async () => {
  const { token } = await create('full')
  const json = { site_name: 'raw', domains: ['raw.test'], kind: 'raw', raw_directives: 'respond hi' }
  const response = await send('POST /api/sites', `Bearer ${token}`, { json })
  assert.deepEqual([response.status, ((await response.json()) as Answer).code], [403, 'reauthentication_required'])
})

test('a token expires, and is refused once it is revoked', async () => {
  const [short, kept, gone] = [await create('read', { expires: '30d' }), await create('read'), await create('read')]
  assert.equal((await admin.call('DELETE', `${path}/${gone.id}`)).status, 200)
  assert.equal((await admin.call('DELETE', `${path}/${gone.id}`)).status, 404)
  assert.equal(await statusOf('GET /api/sites', gone.token), 401)
  timers.jump(31 * 86_400_000)
  assert.equal(await statusOf('GET /api/sites', short.token), 401)
  assert.equal(await statusOf('GET /api/sites', kept.token), 200)
  timers.jump(-31 * 86_400_000)
  admin = await sites.signIn()
})

test('a token does no more than its owner may now, and stops with its owner', async () => {
  const owner = await sites.addUser('owner', 'admin')
  const { token } = await create('full', {}, await sites.signInAs('owner'))
  const change = (json: object) => admin.call('PATCH', `/api/users/${owner.id}`, { json })
  assert.equal((await change({ role: 'user' })).status, 200)
  assert.equal(await statusOf('GET /api/sites', token), 403)
  assert.equal(await statusOf('GET /api/v1/traffic', token), 200)
  await change({ is_active: false })
  assert.equal(await statusOf('GET /api/v1/traffic', token), 401)
  await change({ is_active: true })
  assert.equal(await statusOf('GET /api/v1/traffic', token), 200)
  assert.equal((await admin.call('DELETE', `/api/users/${owner.id}`)).status, 200)
  assert.equal(await statusOf('GET /api/v1/traffic', token), 401)
})

test('users make tokens that read, and see and revoke their own only', async () => {
  await sites.addUser('reader', 'user')
  const reader = await sites.signInAs('reader')
  for (const kind of ['edit', 'full']) {
    const refused = await reader.call('POST', path, { json: { name: 'x', permissions: kind } })
    assert.equal(refused.status, 403)
  }
  const { token } = await create('read', {}, reader)
  assert.equal(await statusOf('GET /api/v1/traffic', token), 200)
  assert.equal(await statusOf('GET /api/sites', token), 403)
  const { id } = await create('read')
  assert.equal((await reader.call('DELETE', `${path}/${id}`)).status, 404)
  assert.equal((await reader.json<{ tokens: object[] }>('GET', path)).body.tokens.length, 1)
})

test('revoking a token ends its event streams at once, and leaves those of others', async () => {
  const opened = async ({ token }: Created) => {
    const response = await send('GET /api/v1/events', `Bearer ${token}`)
    assert.equal(response.status, 200)
    return readEventStream(response.body!)
  }
  const [first, second] = [await create('read'), await create('read')]
  const [ending, going] = [await opened(first), await opened(second)]
  await admin.call('DELETE', `${path}/${first.id}`)
  // Events of other things may come before.
  for await (const { data } of ending) assert.doesNotMatch(data, /maintenance_page/)
  await admin.call('PATCH', '/api/v1/settings', { json: { maintenance_page: 'Back at noon' } })
  for await (const { data } of going) if (data.includes('maintenance_page')) return
  assert.fail('the other stream ended too')
})

test('what happens with tokens is in the security log, their values are nowhere', async () => {
  const { token, id } = await create('full', { name: 'audited', expires: '90d' })
  assert.equal(await statusOf('GET /api/sites', token), 200)
  assert.equal(await statusOf('GET /api/sites', `${token}x`), 401)
  await admin.call('DELETE', `${path}/${id}`)
  const { body } = await admin.json<{ events: SecurityEvent[] }>('GET', '/api/security-log?search=audited')
  const found = body.events.map(({ kind, username, detail }) => [kind, username, detail].join('|'))
  assert.deepEqual(found, ['token_revoked|admin|', 'token_created|admin|full, expires: 90d'])
  assert.ok(!lines.join('\n').includes(token))
  assert.ok(!JSON.stringify(body).includes(token))
})

test('while tokens are switched off there are none: no route, no mention, and a header proves nothing', async () => {
  await using other = await startSites({ API_TOKENS: 'on' })
  const browser = await other.signIn()
  const json = { name: 'program', permissions: 'full' }
  const { token } = (await browser.json<Created>('POST', path, { json })).body
  await other.restart({ API_TOKENS: 'off' })
  const again = await other.signIn()
  for (const method of ['GET', 'POST', 'PUT']) {
    const known = await again.json<Answer>(method, path, method === 'GET' ? {} : { json })
    const unknown = await again.json<Answer>(method, '/api/session/nothing', method === 'GET' ? {} : { json })
    assert.deepEqual([known.status, known.body], [404, unknown.body])
  }
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await other.browser().call('GET', '/api/sites', { headers })).status, 401)
  assert.equal((await again.call('GET', '/api/sites', { headers: { authorization: 'Bearer wrong' } })).status, 200)
  assert.equal((await again.call('PATCH', '/api/v1/settings', { headers, json: {}, isBare: true })).status, 403)
  const document = await (await again.call('GET', '/openapi.json')).text()
  assert.doesNotMatch(document, /bearer|session\/tokens/i)
  assert.equal('api_tokens' in (await again.json<object>('GET', '/api/session')).body, false)
})
