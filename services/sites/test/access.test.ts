import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { nextAddress } from '@hearth/testing'
import { operationsOf, type Operation } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'

interface Problem {
  detail: string
  code?: string
}

/** Routes that are open to everybody; everything else needs a session. */
const open = new Set([
  'GET /api/v1/health',
  'GET /api/v1/ready',
  'GET /api/v1/build-info',
  'GET /api/v1/csrf',
  'POST /api/setup',
  'POST /api/session',
  'GET /api/openid',
  'GET /api/openid/callback',
  'GET /api/openid/provider',
  'POST /api/passkeys/login/start',
  'POST /api/passkeys/login/finish',
  // For Caddy, which has no session: from this machine alone.
  'GET /api/v1/on-demand/ask',
  // Public pages, and the same 404 for every other address.
  'GET /status/{slug}',
  'GET /docs',
  'GET /redoc',
  'GET /openapi.json',
])

/** For everybody with a session: the system group and one's own ways in. A route that is in no list is for administrators. */
const forUsers = new Set([
  'GET /api/session',
  'DELETE /api/session',
  'POST /api/session/password',
  'DELETE /api/session/password',
  'POST /api/session/reauthenticate',
  'POST /api/session/recovery-codes',
  'GET /api/session/tokens',
  'POST /api/session/tokens',
  'DELETE /api/session/tokens/{id}',
  'GET /api/sessions',
  'DELETE /api/sessions/{id}',
  'GET /api/security-log',
  'GET /api/security-log.csv',
  'GET /api/security-log.jsonl',
  'GET /api/passkeys',
  'PATCH /api/passkeys/{id}',
  'DELETE /api/passkeys/{id}',
  'POST /api/passkeys/register/start',
  'POST /api/passkeys/register/finish',
  'GET /api/v1/neighbours',
  'GET /api/v1/events',
  'GET /api/v1/certificates',
  'GET /api/v1/certificates/grades',
  'GET /api/v1/dashboard/ssllabs-history',
  'GET /api/v1/dashboard/metrics',
  'GET /api/v1/caddy/status',
  'GET /api/v1/traffic',
  'GET /api/v1/traffic/last-seen',
])

/** Need a proof of who is calling that is five minutes old at most. */
const recent = new Set([
  'DELETE /api/session/password',
  'POST /api/session/recovery-codes',
  'POST /api/session/tokens',
  'POST /api/v1/portal/tokens',
  'POST /api/v1/openid/clients',
  'PUT /api/v1/openid/clients/{id}',
  'POST /api/v1/openid/clients/{id}/secret',
  'POST /api/v1/openid/keys/rotate',
  'DELETE /api/passkeys/{id}',
  'POST /api/caddy/import/caddyfile',
  'POST /api/caddy/import/config',
  'POST /api/caddy/import/nginx',
  'POST /api/caddy/import/npm',
  'POST /api/caddy/import/traefik',
  'POST /api/caddy/import/zoraxy',
])

/** Ends the session it is called with. */
const signOut = 'DELETE /api/session'

const timers = createFastTimers(1)
let sites: Sites
let admin: Browser
let user: Browser
let operations: Operation[]

before(async () => {
  sites = await startSites({ API_TOKENS: 'on' }, { timers })
  admin = await sites.signIn()
  await sites.addUser('grace', 'user')
  user = await sites.signInAs('grace')
  operations = operationsOf(await openapiDocument())
})
after(() => sites[Symbol.asyncDispose]())

const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const isWrite = ({ method }: Operation) => method !== 'GET'

/** One request as a caller would send it whose body is not right: refused for that at last, and for nothing before. */
async function send(browser: Browser, operation: Operation, headers: Record<string, string> = {}, isBare = false) {
  const path = operation.path.replaceAll(/\{\w+\}/g, 'none')
  const response = await browser.call(operation.method, path, {
    headers,
    isBare,
    ...(operation.body === undefined ? {} : { json: {} }),
  })
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) {
    await response.body?.cancel()
    return { status: response.status, body: { detail: '' } as Problem }
  }
  return { status: response.status, body: (await response.json()) as Problem }
}

const isRefused = ({ status }: { status: number }) => status === 401 || status === 403

test('every route is in a list or for administrators; the lists name no unknown route', () => {
  const known = new Set(operations.map(nameOf))
  const named = [...open, ...forUsers, ...recent].filter((name) => !known.has(name))
  assert.deepEqual(named, [])
  for (const operation of operations) {
    const name = nameOf(operation)
    const expected = open.has(name)
      ? /^(?:always|public)$/
      : forUsers.has(name)
        ? /session$|^signed-in$/
        : /admin|^editor$/
    assert.match(operation.access, expected, name)
  }
})

test('without a session only public routes respond', async () => {
  for (const operation of operations) {
    const answer = await send(sites.browser(), operation)
    if (open.has(nameOf(operation))) assert.equal(answer.status === 401, false, nameOf(operation))
    else assert.deepEqual([answer.status, answer.body.detail], [401, 'Authentication required.'], nameOf(operation))
  }
})

test('a user cannot call administrator routes; an administrator can call every route', async () => {
  for (const operation of operations.filter((one) => nameOf(one) !== signOut)) {
    const name = nameOf(operation)
    const asUser = await send(user, operation)
    if (open.has(name) || forUsers.has(name))
      assert.ok(!isRefused(asUser) || asUser.body.code === 'setup_token', `${name}: ${asUser.status}`)
    else assert.deepEqual([asUser.status, asUser.body.detail], [403, 'Administrator access is required.'], name)
    assert.ok(!isRefused(await send(admin, operation)), name)
  }
})

describe('a write', () => {
  test('without its session’s CSRF token is refused, also for sign-in and set-up', async () => {
    for (const operation of operations.filter(isWrite))
      for (const [browser, expected] of [
        [admin, [403, 'csrf']],
        [sites.browser(), open.has(nameOf(operation)) ? [403, 'csrf'] : [401, undefined]],
      ] as const) {
        const { status, body } = await send(browser, operation, {}, true)
        assert.deepEqual([status, body.code], expected, nameOf(operation))
      }
  })

  test('with another session’s CSRF token is refused', async () => {
    const others = [await user.csrf(), await sites.browser().csrf(), '', 'x'.repeat(43)]
    for (const operation of operations.filter(isWrite))
      for (const token of others) {
        const { status, body } = await send(admin, operation, { 'x-csrf-token': token }, true)
        assert.deepEqual([status, body.code], [403, 'csrf'], nameOf(operation))
      }
  })

  test('from another site is refused, even with the right token', async () => {
    const strangers: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:1` },
    ]
    for (const operation of operations.filter(isWrite))
      for (const headers of strangers) {
        const { status, body } = await send(admin, operation, headers)
        assert.deepEqual([status, body.code], [403, 'cross_origin'], `${nameOf(operation)} ${JSON.stringify(headers)}`)
      }
  })

  test('cannot get a CSRF token from another site, whose cookie could replace a session', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const response = await sites.browser().call('GET', '/api/v1/csrf', { headers: { 'sec-fetch-site': site } })
      assert.deepEqual([response.status, response.headers.getSetCookie()], [403, []])
    }
  })

  test('from the service’s own pages is accepted', async () => {
    const { port } = new URL(sites.url)
    for (const origin of [sites.url, `http://localhost:${port}`]) {
      const headers = { 'sec-fetch-site': 'same-origin', origin }
      const { status } = await admin.call('PATCH', '/api/v1/settings', { headers, json: { site_probe: true } })
      assert.equal(status, 200)
    }
  })

  test('with a form content type is refused', async () => {
    for (const operation of operations.filter((one) => isWrite(one) && one.body !== undefined)) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'none')
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const response = await fetch(`${sites.url}${path}`, {
          method: operation.method,
          body: 'username=admin',
          headers: {
            'content-type': type,
            cookie: [...admin.cookies].map((pair) => pair.join('=')).join('; '),
            'x-csrf-token': await admin.csrf(),
            'x-forwarded-for': nextAddress(),
          },
        })
        assert.equal(response.status, 415, `${nameOf(operation)} ${type}`)
      }
    }
  })
})

test('an unknown path requires a session too, and a known path lists its methods', async () => {
  assert.equal((await sites.browser().call('GET', '/api/nothing')).status, 401)
  assert.equal((await admin.call('GET', '/api/nothing')).status, 404)
  const wrong = await admin.call('PUT', '/api/users')
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, POST'])
})

test('a CSRF token from before sign-in is invalid afterwards', async () => {
  const browser = sites.browser()
  const before = await browser.csrf()
  const cookie = browser.sessionKey()
  const json = { username: 'grace', password: testPassword }
  assert.equal((await browser.call('POST', '/api/session', { json })).status, 200)
  const headers = { 'x-csrf-token': before }
  const { status } = await browser.call('POST', '/api/session/recovery-codes', { isBare: true, headers })
  assert.equal(status, 403)
  assert.notEqual(browser.sessionKey(), cookie)
})

test('while a password change is due, nothing else is allowed', async () => {
  const json = { username: 'heidi', password: testPassword, role: 'admin', password_change_required: true }
  assert.equal((await admin.call('POST', '/api/users', { json })).status, 201)
  const heidi = await sites.signInAs('heidi')
  const free = new Set(['GET /api/session', 'DELETE /api/session', 'POST /api/session/password'])
  for (const operation of operations.filter((one) => !open.has(nameOf(one)) && !free.has(nameOf(one)))) {
    const { status, body } = await send(heidi, operation)
    assert.deepEqual([status, body.code], [403, 'password_change_required'], nameOf(operation))
  }
  const change = { current_password: testPassword, new_password: 'another fine passphrase' }
  assert.equal((await heidi.call('POST', '/api/session/password', { json: change })).status, 200)
  assert.equal((await heidi.call('GET', '/api/users')).status, 200)
})

test('sensitive routes require a confirmation from the last five minutes', async () => {
  const browser = await sites.signInAs('admin')
  for (const operation of operations.filter((one) => recent.has(nameOf(one))))
    assert.ok(!isRefused(await send(browser, operation)), nameOf(operation))
  timers.jump(301_000)
  // To register a passkey the request itself may bring the proof; passkeys.test.ts has that.
  for (const operation of operations.filter((one) => nameOf(one) !== signOut && !open.has(nameOf(one)))) {
    const answer = await send(browser, operation)
    const isQueried = answer.body.code === 'reauthentication_required'
    assert.equal(isQueried, recent.has(nameOf(operation)), nameOf(operation))
  }
  const json = { password: testPassword }
  assert.equal((await browser.call('POST', '/api/session/reauthenticate', { json })).status, 200)
  assert.equal((await browser.call('POST', '/api/session/recovery-codes')).status, 200)
})
