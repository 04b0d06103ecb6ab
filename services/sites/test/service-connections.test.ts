import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { sql } from 'kysely'
import type { OpenIdClientList } from '../src/openid-provider/schema.ts'
import { testPassword } from './in-process.ts'
import { follow, issuerOf, signInAt } from './openid-place.ts'
import { must, openPortalPlace, portalHost, type PortalPlace } from './portal-place.ts'
import type { PortalVisitor, Visit } from './portal-visitor.ts'
import { caddyObstacle } from './real-caddy.ts'

const redirectUri = 'https://vpn.example.org/api/openid/callback'
const returnTo = 'https://vpn.example.org/api/openid/connection/callback'

describe('Hearth services that an administrator connects to the portal', { skip: caddyObstacle() }, () => {
  let place: PortalPlace

  before(async () => {
    place = await openPortalPlace()
    await place.addVisitor('ann', ['family', 'admins'])
  })
  after(() => place[Symbol.asyncDispose]())

  const admin = { username: 'admin', password: testPassword }

  function requestOf(change: Readonly<Record<string, string>> = {}) {
    const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
    const members = {
      service: 'vpn',
      redirect_uri: redirectUri,
      return_to: returnTo,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...change,
    }
    const url = `${issuerOf(place)}/connect?${new URLSearchParams(members).toString()}`
    return { url, state, verifier }
  }

  /** Opens the page as somebody who signs in first. */
  async function openPage(visitor: PortalVisitor, url: string, who = admin): Promise<Visit & { readonly at: URL }> {
    const page = await follow(visitor, url)
    assert.match(page.text, /To continue to Hearth VPN/)
    return signInAt(visitor, page, who)
  }

  const choose = (
    visitor: PortalVisitor,
    page: Visit & { readonly at: URL },
    fields: Readonly<Record<string, string>>,
  ) => visitor.submit(page.at, page.text, fields)

  async function allow(
    fields: Readonly<Record<string, string>> = { everybody: '1' },
    change: Readonly<Record<string, string>> = {},
  ) {
    const visitor = place.visitor()
    const { url, state, verifier } = requestOf(change)
    const answer = await choose(visitor, await openPage(visitor, url), { decision: 'allow', ...fields })
    const code = answer.location?.searchParams.get('code') ?? ''
    return { visitor, answer, state, code, verifier }
  }

  async function register(code: string, verifier: string, change: object = {}) {
    const body = JSON.stringify({
      client_name: 'whatever',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
      code_verifier: verifier,
      ...change,
    })
    const headers = {
      authorization: `Bearer ${code}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }
    const url = `${issuerOf(place)}/connect/registration`
    const visit = await place.visitor().visit(url, { method: 'POST', headers, body })
    return { status: visit.status, body: JSON.parse(visit.text) as Record<string, unknown> }
  }

  const manage = (uri: unknown, token: unknown, method = 'GET') =>
    place.visitor().visit(String(uri), { method, headers: { authorization: `Bearer ${String(token)}` } })

  const list = async () =>
    (await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')).clients.map(({ name }) => name)

  test('a service reads where it connects, before there is any application', async () => {
    const { status, text } = await place.visitor().visit(`${issuerOf(place)}/.well-known/hearth-portal`)
    const issuer = issuerOf(place)
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(text), {
      issuer,
      connect_endpoint: `${issuer}/connect`,
      registration_endpoint: `${issuer}/connect/registration`,
    })
  })

  test('an administrator chooses groups and allows; the service registers, reads its groups, and goes', async () => {
    const groups = ['admins', 'family']
    const { answer, state, code, verifier } = await allow({ 'allowed-1': 'family', 'admin-0': 'admins' })
    assert.equal(answer.status, 200)
    assert.equal(`${answer.location?.origin}${answer.location?.pathname}`, returnTo)
    assert.deepEqual(
      [answer.location?.searchParams.get('state'), answer.location?.searchParams.get('iss')],
      [state, issuerOf(place)],
    )
    const { status, body } = await register(code, verifier)
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body['client_name'], body['redirect_uris']], ['Hearth VPN', [redirectUri]])
    assert.deepEqual([body['hearth_allowed_groups'], body['hearth_admin_groups']], [groups, ['admins']])
    const [uri, token] = [body['registration_client_uri'], body['registration_access_token']]
    const found = (await must<OpenIdClientList>(place.admin, 'GET', '/api/v1/openid/clients')).clients[0]
    assert.ok(found)
    assert.deepEqual([found.name, found.preset, found.groups], ['Hearth VPN', 'hearth-vpn', groups])
    const { id, created_at: _at, last_used_at: _used, last_username: _who, admin_groups: _admins, ...values } = found
    await must(place.admin, 'PUT', `/api/v1/openid/clients/${id}`, { ...values, groups: ['family'] })
    const inUse = await place.admin.json<{ detail: string }>('DELETE', '/api/v1/portal/groups/admins')
    assert.equal(inUse.status, 409)
    assert.match(inUse.body.detail, /Hearth VPN/)
    const read = JSON.parse((await manage(uri, token)).text) as Record<string, unknown>
    assert.deepEqual([read['hearth_allowed_groups'], read['hearth_admin_groups']], [['family'], ['admins']])
    assert.doesNotMatch((await manage(uri, token)).text, /secret/)
    assert.equal((await manage(uri, token, 'DELETE')).status, 204)
    assert.equal((await manage(uri, token)).status, 401)
    assert.deepEqual(await list(), [])
    const { events } = await must<{ events: Record<string, unknown>[] }>(place.admin, 'GET', '/api/security-log')
    assert.deepEqual(
      events
        .filter(({ kind }) => String(kind).startsWith('openid_'))
        .map(({ kind, username, target, detail }) => [kind, username, target, detail]),
      [
        ['openid_disconnected', null, 'Hearth VPN', 'by the service itself'],
        ['openid_connected', 'admin', 'Hearth VPN', 'https://vpn.example.org'],
      ],
    )
  })

  test('deleted in the list of applications, the service is unknown; a second one gets another name', async () => {
    const other = 'https://vpn.home.test'
    const addresses = {
      redirect_uri: `${other}/api/openid/callback`,
      return_to: `${other}/api/openid/connection/callback`,
    }
    const [one, two] = [await allow(), await allow({ everybody: '1' }, addresses)]
    const first = (await register(one.code, one.verifier)).body
    const second = (await register(two.code, two.verifier, { redirect_uris: [addresses.redirect_uri] })).body
    assert.deepEqual(await list(), ['Hearth VPN', 'Hearth VPN (vpn.home.test)'])
    await must(place.admin, 'DELETE', `/api/v1/openid/clients/${String(first['client_id'])}`)
    assert.equal((await manage(first['registration_client_uri'], first['registration_access_token'])).status, 401)
    const [uri, token] = [second['registration_client_uri'], second['registration_access_token']]
    assert.equal((await manage(uri, first['registration_access_token'])).status, 401)
    assert.equal((await manage(uri, '')).status, 401)
    assert.equal((await manage(uri, token)).status, 200)
    assert.equal((await manage(uri, token, 'DELETE')).status, 204)
  })

  test('a service that registers again, because it lost what it got, takes the place of the first', async () => {
    const [one, two] = [await allow(), await allow()]
    const first = (await register(one.code, one.verifier)).body
    const second = (await register(two.code, two.verifier)).body
    assert.deepEqual(await list(), ['Hearth VPN'])
    assert.equal((await manage(first['registration_client_uri'], first['registration_access_token'])).status, 401)
    assert.equal((await manage(second['registration_client_uri'], second['registration_access_token'])).status, 200)
    await must(place.admin, 'DELETE', `/api/v1/openid/clients/${String(second['client_id'])}`)
  })

  test('a code is good once, with its secret, and for its redirect URI; without one nobody registers', async () => {
    const strange = await register('made-up', 'v'.repeat(43))
    assert.deepEqual([strange.status, strange.body], [401, { error: 'invalid_token' }])
    const stolen = await allow()
    assert.equal((await register(stolen.code, 'v'.repeat(43))).status, 401)
    assert.equal((await register(stolen.code, stolen.verifier)).status, 401)
    const other = await allow()
    const elsewhere = await register(other.code, other.verifier, { redirect_uris: ['https://evil.example/callback'] })
    assert.deepEqual([elsewhere.status, elsewhere.body], [400, { error: 'invalid_redirect_uri' }])
    assert.equal((await register(other.code, other.verifier)).status, 401)
    const odd = await allow()
    assert.equal((await register(odd.code, odd.verifier, { token_endpoint_auth_method: 'none' })).status, 400)
    assert.equal((await register(odd.code, odd.verifier, { redirect_uris: 'x' })).status, 400)
    const right = await register(odd.code, odd.verifier)
    assert.equal(right.status, 201)
    assert.equal((await register(odd.code, odd.verifier)).status, 401)
    await must(place.admin, 'DELETE', `/api/v1/openid/clients/${String(right.body['client_id'])}`)
    assert.deepEqual(await list(), [])
  })

  test('only a request to the service’s own addresses shows the page, and what is wrong is not repeated as HTML', async () => {
    const visitor = place.visitor()
    const hostile = [
      { return_to: 'https://evil.example/api/openid/connection/callback' },
      { redirect_uri: 'https://evil.example/api/openid/callback' },
      {
        redirect_uri: 'http://vpn.example.org/api/openid/callback',
        return_to: 'http://vpn.example.org/api/openid/connection/callback',
      },
      { service: '<script>alert(1)</script>' },
      { state: '"><script>alert(1)</script>' },
    ]
    for (const change of hostile) {
      const page = await visitor.open(requestOf(change).url)
      assert.deepEqual([page.status, page.location], [400, undefined])
      assert.doesNotMatch(page.text, /<script>|evil/)
    }
  })

  test('the page is framed by nobody, and its answer needs its token, this origin and this browser', async () => {
    const visitor = place.visitor()
    const page = await openPage(visitor, requestOf().url)
    assert.equal(page.headers['x-frame-options'], 'DENY')
    assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
    assert.match(page.text, /Hearth VPN at <strong>https:\/\/vpn\.example\.org<\/strong> wants to sign people in/)
    const fields = { decision: 'allow', everybody: '1' }
    assert.equal((await visitor.submit(page.at, page.text, { ...fields, csrf: 'another' })).status, 403)
    const other = place.visitor()
    await openPage(other, requestOf().url)
    assert.equal((await other.submit(page.at, page.text, fields)).status, 403)
    const body = new URLSearchParams(fields).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    }
    assert.equal((await visitor.visit(page.at, { method: 'POST', headers, body })).status, 403)
    const nobody = await choose(visitor, page, { decision: 'allow' })
    assert.equal(nobody.status, 400)
    assert.match(nobody.text, /Choose who may sign in there/)
    const unknown = await choose(visitor, page, { decision: 'allow', 'allowed-0': 'no-such-group' })
    assert.equal(unknown.status, 400)
    const declined = await choose(visitor, page, { decision: 'cancel' })
    assert.equal(declined.location?.searchParams.get('error'), 'access_denied')
    assert.equal(declined.location?.searchParams.get('code'), null)
  })

  test('a visitor who is no administrator is refused, also when the page was another’s', async () => {
    const visitor = place.visitor()
    const page = await openPage(visitor, requestOf().url, { username: 'ann', password: testPassword })
    assert.equal(page.status, 403)
    assert.match(page.text, /<strong>ann<\/strong>, who is no administrator/)
    const forced = await choose(visitor, page, { decision: 'allow', everybody: '1' })
    assert.deepEqual([forced.status, forced.location], [403, undefined])
    const back = await choose(visitor, page, { decision: 'cancel' })
    assert.equal(back.location?.searchParams.get('error'), 'access_denied')
  })

  test('a permission is worth nothing once its administrator is none any more', async () => {
    const second = await place.sites.addUser('second', 'admin')
    const visitor = place.visitor()
    const { url, verifier } = requestOf()
    const page = await openPage(visitor, url, { username: 'second', password: testPassword })
    const answer = await choose(visitor, page, { decision: 'allow', everybody: '1' })
    await must(place.admin, 'PATCH', `/api/users/${second.id}`, { role: 'user' })
    assert.equal((await register(answer.location?.searchParams.get('code') ?? '', verifier)).status, 401)
  })

  test('an old sign-in does not do: the administrator proves again who is there', async () => {
    const visitor = place.visitor()
    const page = await openPage(visitor, requestOf().url)
    const database = openDatabase({ file: join(place.sites.folder, 'sites.db') })
    try {
      await sql`update portal_sessions set proved_at = proved_at - 400000`.execute(database.query)
    } finally {
      await database.close()
    }
    // Every edit has the portal read its sessions again.
    await must(place.admin, 'POST', '/api/v1/portal/groups', { name: 'later', user_ids: [] })
    const decided = await choose(visitor, page, { decision: 'allow', everybody: '1' })
    assert.equal(decided.location?.pathname, '/sign-in')
    const again = await visitor.open(requestOf().url)
    assert.equal(again.location?.pathname, '/sign-in')
    assert.equal(again.location?.hostname, portalHost)
  })
})
