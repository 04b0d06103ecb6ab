import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fetchUserInfo, refreshTokenGrant, type TokenEndpointResponse } from 'openid-client'
import { testPassword } from './in-process.ts'
import { callback, follow, issuerOf, openApplication, register, signInAt, type Application } from './openid-place.ts'
import { must, openPortalPlace, portalHost, type PortalPlace } from './portal-place.ts'
import type { PortalVisitor, Visit } from './portal-visitor.ts'
import { caddyObstacle } from './real-caddy.ts'

const ann = { username: 'ann', password: testPassword }
const bob = { username: 'bob', password: testPassword }
const isAtApplication = ({ at }: { at: URL }) => at.href.startsWith(callback)
const errorOf = ({ at }: { at: URL }) => at.searchParams.get('error')

describe('hostile applications and visitors of the OpenID Connect provider', { skip: caddyObstacle() }, () => {
  let place: PortalPlace
  let application: Application
  let other: Application

  before(async () => {
    place = await openPortalPlace()
    await place.addVisitor('ann', ['family'])
    await place.addVisitor('bob')
    application = await openApplication(place, 'Application', {
      post_logout_redirect_uris: ['https://app.home.test/bye'],
    })
    other = await openApplication(place, 'Other')
  })
  after(() => place[Symbol.asyncDispose]())

  let addresses = 0
  /** A visitor from an address of its own, so that nobody has to wait for another. */
  const newVisitor = () => place.visitor(`127.0.1.${(addresses += 1)}`)

  /** A browser in which Ann is signed in at the portal. */
  async function signedIn(person = ann): Promise<PortalVisitor> {
    const browser = newVisitor()
    const attempt = await application.begin()
    await signInAt(browser, await follow(browser, attempt.url), person)
    return browser
  }

  /** A code of Ann's with its attempt. */
  async function newCode(browser: PortalVisitor, of = application, more: Readonly<Record<string, string>> = {}) {
    const attempt = await of.begin(more)
    const answer = await follow(browser, attempt.url)
    assert.ok(isAtApplication(answer), `a code: ${answer.status} ${answer.at.href} ${answer.text}`)
    return { attempt, answer: answer.at, code: answer.at.searchParams.get('code') ?? '' }
  }

  /** Sends a form to an endpoint as a program does. */
  async function post(path: string, fields: Readonly<Record<string, string>>, as?: { id: string; secret: string }) {
    const body = new URLSearchParams(fields).toString()
    const secret = as && `Basic ${Buffer.from(`${as.id}:${as.secret}`).toString('base64')}`
    const visit = await newVisitor().visit(`${issuerOf(place)}${path}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(body)),
        ...(secret !== undefined && { authorization: secret }),
      },
    })
    const json = (visit.text.startsWith('{') ? JSON.parse(visit.text) : {}) as Partial<TokenEndpointResponse> & {
      error?: string
    }
    return { ...visit, json }
  }

  const redeem = (code: string, verifier: string | undefined, as: { id: string; secret: string } = application) =>
    post(
      '/oidc/token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        ...(verifier !== undefined && { code_verifier: verifier }),
      },
      as,
    )

  const userinfo = async (token: string) =>
    (await newVisitor().visit(`${issuerOf(place)}/oidc/userinfo`, { headers: { authorization: `Bearer ${token}` } }))
      .status

  test('a redirect URI that differs in anything is answered with a page, and nobody is sent there', async () => {
    const browser = await signedIn()
    const { url } = await application.begin()
    for (const uri of [
      `${callback}/`,
      callback.replace('callback', 'Callback'),
      `${callback}?a=b`,
      callback.replace('https://', 'https://user@'),
      callback.replace('.test', '.test:444'),
      callback.replace('.test', '.test:443'),
      `${callback}#x`,
      callback.replace('https', 'http'),
      callback.replace('app.', 'app..'),
      'https://evil.test/callback',
      `https://evil.test/?${callback}`,
      `${callback}%2f..`,
      'javascript:alert(1)',
      '//app.home.test/callback',
      '',
    ]) {
      url.searchParams.set('redirect_uri', uri)
      const visit = await browser.open(url)
      assert.equal(visit.status, 400, uri)
      assert.equal(visit.location, undefined, uri)
    }
    url.searchParams.delete('redirect_uri')
    assert.equal((await browser.open(url)).status, 400, 'it is never assumed')
  })

  test('an unknown client shows a page without an echo, and a hostile one no HTML of its own', async () => {
    const { url } = await application.begin()
    for (const id of ['nobody', '<script>alert(1)</script>', '\0', 'a'.repeat(3000), "' or 1=1 --"]) {
      url.searchParams.set('client_id', id)
      url.searchParams.set('redirect_uri', 'https://evil.test/"><script>alert(2)</script>')
      url.searchParams.set('state', '<img src=x onerror=alert(3)>')
      const visit = await newVisitor().open(url)
      assert.equal(visit.status, 400, id)
      assert.doesNotMatch(visit.text, /<script|<img|evil/)
      assert.match(visit.text, /Sign-in is not possible/)
    }
  })

  test('no page of a sign-in can be framed, and none is kept', async () => {
    const browser = newVisitor()
    const page = await follow(browser, (await application.begin()).url)
    const error = await browser.open(`${issuerOf(place)}/oidc/auth?client_id=x`)
    const signOut = await (await signedIn()).open(`${issuerOf(place)}/oidc/session/end`)
    for (const { headers, text } of [page, error, signOut] as Visit[]) {
      assert.equal(headers['x-frame-options'], 'DENY', text)
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
      assert.equal(headers['cache-control'], 'no-store')
    }
  })

  test('a code counts once; used twice, what it gave ends', async () => {
    const { attempt, code } = await newCode(await signedIn())
    const first = await redeem(code, attempt.verifier)
    assert.equal(first.status, 200, first.text)
    assert.equal(await userinfo(first.json.access_token ?? ''), 200)
    const second = await redeem(code, attempt.verifier)
    assert.deepEqual([second.status, second.json.error], [400, 'invalid_grant'])
    assert.equal(await userinfo(first.json.access_token ?? ''), 401)
    const refreshed = await post(
      '/oidc/token',
      { grant_type: 'refresh_token', refresh_token: first.json.refresh_token ?? '' },
      application,
    )
    assert.equal(refreshed.json.error, 'invalid_grant')
  })

  test('of requests with one code at once, one at most gets tokens', async () => {
    const browser = await signedIn()
    for (let round = 0; round < 5; round += 1) {
      const { attempt, code } = await newCode(browser)
      const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(code, attempt.verifier)))
      const given = answers.filter(({ status }) => status === 200)
      assert.ok(given.length <= 1, `${given.length} got tokens`)
      for (const { json } of given) assert.equal(await userinfo(json.access_token ?? ''), 401, 'and they ended')
    }
  })

  test('a code of one application is worth nothing to another, nor without its verifier', async () => {
    const browser = await signedIn()
    const { attempt, code } = await newCode(browser)
    const stolen = await redeem(code, attempt.verifier, other)
    assert.deepEqual([stolen.status, stolen.json.error], [400, 'invalid_grant'])
    assert.equal((await redeem(code, undefined)).json.error, 'invalid_grant')
    assert.equal((await redeem(code, 'a'.repeat(43))).json.error, 'invalid_grant')
    assert.equal((await redeem(code, attempt.verifier)).status, 200, 'it is still good for whom it is')
  })

  test('PKCE cannot be left out or weakened', async () => {
    const browser = await signedIn()
    const begin = async (change: (query: URLSearchParams) => void) => {
      const { url } = await application.begin()
      change(url.searchParams)
      return follow(browser, url)
    }
    const without = await begin((query) => {
      query.delete('code_challenge')
      query.delete('code_challenge_method')
    })
    assert.equal(errorOf(without), 'invalid_request')
    assert.equal(errorOf(await begin((query) => query.set('code_challenge_method', 'plain'))), 'invalid_request')
    assert.equal(errorOf(await begin((query) => query.delete('code_challenge_method'))), 'invalid_request')
    assert.equal(errorOf(await begin((query) => query.set('code_challenge', 'not base64url!'))), 'invalid_request')
    const phone = await register(place, 'Phone', { is_public: true })
    const { url } = await application.begin()
    url.searchParams.set('client_id', phone.client.id)
    url.searchParams.delete('code_challenge')
    url.searchParams.delete('code_challenge_method')
    assert.equal(errorOf(await follow(browser, url)), 'invalid_request', 'a public client never may')
    const verifier = { id: phone.client.id, secret: '' }
    assert.equal((await redeem('x', 'y', verifier)).status, 400)
  })

  test('an application that may leave PKCE out cannot be tricked by a code that was begun with it', async () => {
    const old = await openApplication(place, 'Old', { pkce_required: false })
    const browser = await signedIn()
    const { attempt, code } = await newCode(browser, old)
    assert.equal((await redeem(code, undefined, old)).json.error, 'invalid_grant')
    const next = await newCode(browser, old)
    assert.equal((await redeem(next.code, next.attempt.verifier, old)).status, 200, attempt.state)
  })

  test('only codes in the query are offered', async () => {
    const browser = await signedIn()
    for (const [name, value] of [
      ['response_type', 'token'],
      ['response_type', 'id_token'],
      ['response_type', 'code id_token'],
      ['response_type', 'none'],
      ['response_mode', 'fragment'],
      ['response_mode', 'form_post'],
      ['response_mode', 'web_message'],
      ['request', 'eyJhbGciOiJub25lIn0.e30.'],
      ['request_uri', 'https://evil.test/request'],
      ['registration', '{}'],
    ] as const) {
      const { url } = await application.begin({ [name]: value })
      const visit = await browser.open(url)
      const location = visit.location ?? new URL('none:')
      const query = location.hash === '' ? location.searchParams : new URLSearchParams(location.hash.slice(1))
      assert.equal(query.get('code'), null, `${name}=${value}`)
      assert.ok(visit.status === 400 || query.get('error') !== null, `${name}=${value} ${visit.status} ${visit.text}`)
      if (visit.location !== undefined) assert.equal(query.get('iss'), issuerOf(place), `${name}=${value}`)
    }
    const said = JSON.parse(
      (await browser.visit(`${issuerOf(place)}/.well-known/openid-configuration`)).text,
    ) as Record<string, unknown>
    assert.deepEqual(said['response_types_supported'], ['code'])
    assert.deepEqual(said['code_challenge_methods_supported'], ['S256'])
    assert.deepEqual(said['grant_types_supported'], ['authorization_code', 'refresh_token'])
    for (const name of [
      'registration_endpoint',
      'device_authorization_endpoint',
      'pushed_authorization_request_endpoint',
    ])
      assert.equal(said[name], undefined)
  })

  test('every answer says who it is from and returns the state as it came, errors too', async () => {
    const browser = await signedIn()
    const state = 'a b&c=d"<>\'%20'
    for (const more of [
      {},
      { prompt: 'none' },
      { scope: 'openid \u0007' },
      { max_age: 'x' },
      { prompt: 'none login' },
    ]) {
      const answer = await follow(browser, (await application.begin({ ...more, state })).url)
      assert.equal(answer.at.searchParams.get('iss'), issuerOf(place), JSON.stringify(more))
      assert.equal(answer.at.searchParams.get('state'), state, JSON.stringify(more))
    }
    const { attempt, answer } = await newCode(browser)
    const mixed = new URL(answer)
    mixed.searchParams.set('iss', 'https://evil.test')
    await assert.rejects(application.finish(attempt, mixed), 'the application notices a mix-up')
    const nonce = 'n-"<>&'
    const told = await newCode(browser, application, { nonce })
    assert.equal((await application.finish({ ...told.attempt, nonce }, told.answer)).claims()?.nonce, nonce)
  })

  test('a sign-in goes on in the browser alone in which it began', async () => {
    const [victim, attacker] = [newVisitor(), newVisitor()]
    const page = await follow(attacker, (await application.begin()).url)
    const uid = page.at.searchParams.get('application') ?? ''
    assert.match(uid, /^[\w-]{43}$/)
    const lured = await signInAt(victim, await follow(victim, page.at), ann)
    assert.equal(lured.status, 400, 'the victim signs in, and gets no further')
    assert.match(lured.text, /began in another browser/)
    const resumed = await victim.open(`${issuerOf(place)}/oidc/auth/${uid}`)
    assert.equal(resumed.status, 400)
    // A host beside the portal's may set such a cookie for it, though not the one that names the browser.
    victim.cookies.get(portalHost)?.set('__Secure-hearth_interaction', uid)
    const planted = await victim.open(`${issuerOf(place)}/oidc/interaction/${uid}`)
    assert.deepEqual([planted.status, planted.location], [400, undefined])
    const guessed = await victim.open(`${issuerOf(place)}/oidc/interaction/${'a'.repeat(43)}`)
    assert.equal(guessed.status, 400)
    for (const wrong of ['..', 'x', '%00', `${uid}/..`, "'"]) {
      const visit = await victim.open(`${issuerOf(place)}/sign-in?application=${wrong}`)
      assert.equal(visit.status, 400, wrong)
    }
  })

  test('a decision needs the token of its page, and the question must be the one that is open', async () => {
    const asking = await openApplication(place, 'Asking', { consent: 'asked' })
    const browser = await signedIn()
    const attempt = await asking.begin()
    const page = await follow(browser, attempt.url)
    assert.match(page.text, /Asking gets to know/)
    const forged = await browser.submit(page.at, page.text, { csrf: 'x' })
    assert.equal(forged.status, 403)
    const foreign = await browser.open(page.at, {
      method: 'POST',
      headers: { origin: 'https://evil.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'decision=allow',
    })
    assert.equal(foreign.status, 403)
    const declined = await browser.submit(page.at, page.text, { decision: 'cancel' })
    assert.equal(errorOf(await follow(browser, declined.location ?? '')), 'access_denied')
    const family = await openApplication(place, 'Family', { groups: ['family'] })
    const stranger = await signedIn(bob)
    const refused = await follow(stranger, (await family.begin()).url)
    assert.equal(refused.status, 403)
    const pushed = await stranger.submit(refused.at, refused.text, { decision: 'allow' })
    assert.equal(errorOf(await follow(stranger, pushed.location ?? '')), 'access_denied', 'no decision helps')
  })

  test('consent is asked once, for what was asked, and by prompt=consent again', async () => {
    const asking = await openApplication(place, 'Asks once', { consent: 'asked' })
    const browser = await signedIn()
    const attempt = await asking.begin({ scope: 'openid profile' })
    const page = await follow(browser, attempt.url)
    const agreed = await browser.submit(page.at, page.text, {})
    const answer = await follow(browser, agreed.location ?? '')
    const tokens = await asking.finish(attempt, answer.at)
    const person = await fetchUserInfo(asking.configuration, tokens.access_token, tokens.claims()?.sub ?? '')
    assert.deepEqual([person.preferred_username, person.email], ['ann', undefined])
    await newCode(await signedIn(), asking, { scope: 'openid profile' })
    const more = await follow(browser, (await asking.begin({ scope: 'openid profile email' })).url)
    assert.match(more.text, /your e-mail address/)
    const again = await follow(browser, (await asking.begin({ scope: 'openid profile', prompt: 'consent' })).url)
    assert.match(again.text, /Sign in to Asks once/)
    assert.equal(errorOf(await follow(browser, (await asking.begin({ prompt: 'none' })).url)), 'consent_required')
  })

  test('signing out leads to registered addresses alone, and asks', async () => {
    const browser = await signedIn()
    const { attempt, answer } = await newCode(browser)
    const hint = (await application.finish(attempt, answer)).id_token ?? ''
    const end = (query: Record<string, string>) =>
      browser.open(`${issuerOf(place)}/oidc/session/end?${new URLSearchParams(query).toString()}`)
    for (const uri of ['https://evil.test/', 'https://app.home.test/bye/', callback, 'javascript:alert(1)']) {
      const refused = await end({ id_token_hint: hint, post_logout_redirect_uri: uri })
      assert.deepEqual([refused.status, refused.location], [400, undefined], uri)
    }
    const nameless = await end({ post_logout_redirect_uri: 'https://evil.test/' })
    assert.doesNotMatch(nameless.text, /evil/)
    const forged = await end({
      id_token_hint: `${hint.slice(0, -4)}AAAA`,
      post_logout_redirect_uri: 'https://app.home.test/bye',
    })
    assert.equal(forged.status, 400)
    const asked = await end({ id_token_hint: hint, post_logout_redirect_uri: 'https://app.home.test/bye', state: 's' })
    assert.match(asked.text, /Sign out\?/)
    const at = new URL(`${issuerOf(place)}/oidc/session/end`)
    const forgery = await browser.submit(at, asked.text, { xsrf: 'x', logout: 'yes' })
    assert.equal(forgery.status, 400)
    assert.ok(isAtApplication(await follow(browser, (await application.begin()).url)), 'still signed in')
    const ended = await browser.submit(at, asked.text, { logout: 'yes' })
    assert.equal(ended.location?.href, 'https://app.home.test/bye?state=s')
    assert.match((await follow(browser, (await application.begin()).url)).text, /To continue to Application/)
    const nobody = await end({ client_id: application.id, post_logout_redirect_uri: 'https://app.home.test/bye' })
    assert.equal(nobody.status, 200, 'one who is signed out already passes through')
  })

  test('staying signed in while leaving one application ends that application alone', async () => {
    const browser = await signedIn()
    const { attempt, answer } = await newCode(browser)
    const tokens = await application.finish(attempt, answer)
    const asked = await browser.open(`${issuerOf(place)}/oidc/session/end?client_id=${application.id}`)
    await browser.submit(new URL(`${issuerOf(place)}/oidc/session/end`), asked.text, {})
    assert.equal(await userinfo(tokens.access_token), 401)
    await newCode(browser, other)
  })

  test('wrong secrets are refused alike, and limited', async () => {
    const { attempt, code } = await newCode(await signedIn())
    const wrong = { id: application.id, secret: 'x'.repeat(43) }
    const first = await redeem(code, attempt.verifier, wrong)
    const unknown = await redeem(code, attempt.verifier, { id: 'nobody', secret: 'x' })
    assert.deepEqual([first.status, first.json], [401, unknown.json])
    const none = await redeem(code, attempt.verifier, { id: application.id, secret: '' })
    assert.ok(none.status >= 400)
    // Of another address of this machine, so that nobody else waits.
    const statuses: number[] = []
    for (let tries = 0; tries < 25; tries += 1) {
      const visit = await place.visitor('127.0.0.9').visit(`${issuerOf(place)}/oidc/token`, {
        method: 'POST',
        body: `grant_type=authorization_code&client_id=${application.id}&client_secret=${tries}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      statuses.push(visit.status)
    }
    assert.equal(statuses.at(0), 401)
    assert.equal(statuses.at(-1), 429)
    assert.equal((await redeem(code, attempt.verifier)).status, 200, 'others do not wait')
  })

  test('tokens end with the session of the portal, the user and the group', async () => {
    const family = await openApplication(place, 'For the family', { groups: ['family'] })
    const browser = await signedIn()
    const { attempt, answer } = await newCode(browser, family)
    const tokens = await family.finish(attempt, answer)
    const refresh = () => refreshTokenGrant(family.configuration, tokens.refresh_token ?? '')
    assert.equal(await userinfo(tokens.access_token), 200)
    await must(place.admin, 'PUT', '/api/v1/portal/groups/family', { user_ids: [] })
    assert.equal(await userinfo(tokens.access_token), 401, 'out of the group')
    await assert.rejects(refresh())
    const users = await must<{ id: string; username: string }[]>(place.admin, 'GET', '/api/users')
    const id = users.find(({ username }) => username === 'ann')?.id ?? ''
    await must(place.admin, 'PUT', '/api/v1/portal/groups/family', { user_ids: [id] })
    const next = await newCode(browser, family)
    const later = await family.finish(next.attempt, next.answer)
    const pending = await newCode(browser, family)
    const account = await browser.open(issuerOf(place))
    await browser.submit(new URL(issuerOf(place)), account.text, {})
    assert.equal(await userinfo(later.access_token), 401, 'the session is over')
    await assert.rejects(refreshTokenGrant(family.configuration, later.refresh_token ?? ''))
    await assert.rejects(family.finish(pending.attempt, pending.answer), 'nor is a code good that waited')
  })

  test('a refresh token counts once; used twice, all that came of it ends', async () => {
    const { attempt, answer } = await newCode(await signedIn())
    const tokens = await application.finish(attempt, answer)
    const next = await refreshTokenGrant(application.configuration, tokens.refresh_token ?? '')
    assert.notEqual(next.refresh_token, tokens.refresh_token)
    await assert.rejects(refreshTokenGrant(application.configuration, tokens.refresh_token ?? ''))
    await assert.rejects(refreshTokenGrant(application.configuration, next.refresh_token ?? ''))
    const stolen = { grant_type: 'refresh_token', refresh_token: next.refresh_token ?? '' }
    assert.equal((await post('/oidc/token', stolen, other)).json.error, 'invalid_grant')
  })

  test('two users of one browser get their own tokens', async () => {
    const browser = await signedIn()
    const before = await newCode(browser)
    const tokens = await application.finish(before.attempt, before.answer)
    const attempt = await application.begin({ prompt: 'login' })
    const answer = await signInAt(browser, await follow(browser, attempt.url), bob)
    const next = await application.finish(attempt, answer.at)
    assert.notEqual(next.claims()?.sub, tokens.claims()?.sub)
    assert.equal(await userinfo(tokens.access_token), 401, 'the first session is over')
    const hinted = await application.begin({ id_token_hint: tokens.id_token ?? '', prompt: 'none' })
    assert.equal(errorOf(await follow(browser, hinted.url)), 'login_required')
  })

  test('forged headers, cookies and hosts change nothing', async () => {
    const { url } = await application.begin()
    const headers = {
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'host=evil.test',
      'x-original-url': '/oidc/jwks',
      'hearth-authority': 'evil.test',
      cookie: '__Host-hearth_oidc=portal.0190c0de-0000-7000-8000-000000000000; __Secure-hearth_interaction=x',
    }
    const strange = await newVisitor().open(url, { headers, hasCookies: false })
    assert.equal(strange.location?.host, new URL(issuerOf(place)).host, 'the page of this portal')
    const said = await newVisitor().visit(`${issuerOf(place)}/.well-known/openid-configuration`, { headers })
    assert.doesNotMatch(said.text, /evil|http:/)
    const elsewhere = await newVisitor().visit(`${issuerOf(place)}/oidc/jwks`, { headers: { host: 'evil.test' } })
    assert.notEqual(elsewhere.status, 200)
    const sessions = await must<{ id: string }[]>(place.admin, 'GET', '/api/v1/portal/sessions')
    for (const { id } of sessions) {
      const cookie = `__Host-hearth_oidc=portal.${id}`
      const visit = await newVisitor().open(url, { headers: { cookie }, hasCookies: false })
      assert.ok(visit.location?.hostname === portalHost, 'the id of a session is no key to it')
    }
  })

  test('the id of a session is no key to it, however the cookie is written', async () => {
    await signedIn()
    const sessions = await must<{ id: string }[]>(place.admin, 'GET', '/api/v1/portal/sessions')
    const id = `portal.${sessions.at(-1)?.id}`
    const name = '__Host-hearth_oidc'
    const { url } = await application.begin({ prompt: 'none' })
    for (const cookie of [
      `${name}="${id}"`,
      `${name}="${id}`,
      `${name}=""${id}""`,
      `${name}= ${id}`,
      `${name}=\t"${id}"`,
      `${name} =${id}`,
      `x=1;${name}="${id}"`,
      `x=1;   ${name}="${id}" ; y=2`,
      `x=1;\t${name}="${id}"`,
      `${name}=x; ${name}="${id}"`,
      `${name}="${id}"; ${name}=x`,
      `${name}=${id}; ${name}="${id}"`,
      `${name}=${id.replace('.', '%2e')}`,
      `${name}=%22${id}%22`,
      `${name}="${id.toUpperCase()}"`,
      `${name.toUpperCase()}="${id}"`,
      `"${name}"="${id}"`,
      `${name}=\\"${id}\\"`,
      `${name}.sig=x; ${name}="${id}"`,
    ]) {
      const visit = await newVisitor().open(url, { headers: { cookie }, hasCookies: false })
      const query = visit.location?.searchParams
      assert.deepEqual([query?.get('code'), query?.get('error')], [null, 'login_required'], cookie)
    }
  })

  test('a decision is about the question that was answered, whatever other cookies a browser sends', async () => {
    const asking = await openApplication(place, 'Asking twice', { consent: 'asked' })
    const browser = await signedIn()
    const other = await follow(browser, (await asking.begin()).url)
    const asked = await follow(browser, (await asking.begin({ scope: 'openid' })).url)
    const uid = asked.at.pathname.split('/').at(-1) ?? ''
    // A host beside the portal's may set such a cookie for it.
    const cookies = browser.cookies.get(portalHost) ?? new Map<string, string>()
    const own = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const planted = `__Secure-hearth_interaction=${other.at.pathname.split('/').at(-1)}`
    browser.cookies.set(portalHost, new Map([['x', `1; ${planted}; ${own}`]]))
    const allowed = await browser.submit(asked.at, asked.text, {})
    assert.equal(allowed.location?.pathname, `/oidc/auth/${uid}`)
  })

  test('an old question of a session that is over leads on as whoever signed in since', async () => {
    const asking = await openApplication(place, 'Asking late', { consent: 'asked' })
    const family = await openApplication(place, 'Family alone', { groups: ['family'] })
    const endSessions = async () => {
      const sessions = await must<{ id: string }[]>(place.admin, 'GET', '/api/v1/portal/sessions')
      for (const { id } of sessions) await must(place.admin, 'DELETE', `/api/v1/portal/sessions/${id}`)
    }
    const signInAgain = async (browser: PortalVisitor) => {
      const page = new URL(`${issuerOf(place)}/sign-in`)
      assert.equal((await browser.submit(page, (await browser.open(page)).text, ann)).status, 303)
    }
    const browser = await signedIn()
    const question = await follow(browser, (await asking.begin({ scope: 'openid' })).url)
    await endSessions()
    await signInAgain(browser)
    const pressed = await browser.submit(question.at, question.text, {})
    assert.ok(pressed.status < 500, `${pressed.status} ${pressed.text}`)
    const next = await follow(browser, pressed.location ?? '')
    assert.match(next.text, /Sign in to Asking late/)
    const agreed = await browser.submit(next.at, next.text, {})
    assert.ok(isAtApplication(await follow(browser, agreed.location ?? '')))
    const stranger = await signedIn(bob)
    const refusal = await follow(stranger, (await family.begin()).url)
    assert.equal(refusal.status, 403)
    await endSessions()
    await signInAgain(stranger)
    const back = await stranger.submit(refusal.at, refusal.text, {})
    assert.ok(isAtApplication(await follow(stranger, back.location ?? '')), 'as a user who may use it')
  })

  test('an old question without a newer sign-in says that it is over', async () => {
    const asking = await openApplication(place, 'Asking in vain', { consent: 'asked' })
    const [browser, elsewhere] = [await signedIn(), await signedIn()]
    const question = await follow(browser, (await asking.begin({ scope: 'openid' })).url)
    // The session of another tab, which began before the question.
    const key = elsewhere.cookies.get(portalHost)?.get('__Host-hearth_portal') ?? ''
    browser.cookies.get(portalHost)?.set('__Host-hearth_portal', key)
    const pressed = await browser.submit(question.at, question.text, {})
    assert.equal(pressed.status, 400)
    assert.match(pressed.text, /This sign-in is over/)
  })

  test('too much is refused', async () => {
    const { url } = await application.begin({ state: 'x'.repeat(9000) })
    assert.equal((await newVisitor().open(url)).status, 414)
    const large = await post(
      '/oidc/token',
      { grant_type: 'authorization_code', code: 'x'.repeat(100_000) },
      application,
    )
    assert.equal(large.status, 413)
    const twice = await application.begin()
    const doubled = await (await signedIn()).open(`${twice.url.href}&client_id=${other.id}`)
    assert.equal(doubled.status, 400)
  })

  test('other origins may call for applications without a secret alone', async () => {
    const phone = await register(place, 'In the browser', { is_public: true })
    const call = (clientId: string, origin: string) =>
      newVisitor().visit(`${issuerOf(place)}/oidc/token`, {
        method: 'POST',
        body: `grant_type=authorization_code&client_id=${clientId}&code=x&code_verifier=${'x'.repeat(43)}&redirect_uri=${encodeURIComponent(callback)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      })
    const allowed = await call(phone.client.id, 'https://app.home.test')
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://app.home.test')
    const foreign = await call(phone.client.id, 'https://evil.test')
    assert.equal(foreign.headers['access-control-allow-origin'], undefined)
    const page = await place
      .visitor()
      .open((await application.begin()).url, { headers: { origin: 'https://evil.test' } })
    assert.equal(page.headers['access-control-allow-origin'], undefined)
    for (const { headers } of [allowed, foreign, page])
      assert.equal(headers['access-control-allow-credentials'], undefined)
  })

  test('nothing else of the provider is reachable, and nothing without applications', async () => {
    const browser = newVisitor()
    for (const path of [
      '/oidc/reg',
      '/oidc/device',
      '/oidc/request',
      '/oidc/token/introspection',
      '/oidc/',
      '/oidc/interaction/',
      '/me',
      '/reg',
    ])
      assert.ok([404, 400].includes((await browser.open(`${issuerOf(place)}${path}`)).status), path)
  })
})
