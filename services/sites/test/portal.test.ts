import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { createAuthenticator, eventually } from '@hearth/testing'
import type { VisitExplanation } from '../src/portal/schema.ts'
import { testPassword } from './in-process.ts'
import { must, openPortalPlace, portalHost, type PortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'
import { makeSite } from './served.ts'

describe('sites that visitors sign in to, behind a real Caddy', { skip: caddyObstacle() }, () => {
  let place: PortalPlace

  before(async () => {
    place = await openPortalPlace()
    await place.addVisitor('ann', ['family'])
    await place.addVisitor('bob', ['guests'])
  })
  after(() => place[Symbol.asyncDispose]())

  test('a visitor signs in once and reaches every site that lets them pass', async () => {
    const { protect, visitor, origin } = place
    await protect('files.home.test', { groups: ['family'] })
    await protect('photos.other.test', {})
    const ann = visitor()
    const begun = origin.requests.length
    const page = await ann.signIn(ann.url('files.home.test', '/a%20page?x=1'), 'ann', testPassword)
    assert.deepEqual([page.status, page.text], [200, 'inside /a%20page?x=1'])
    assert.equal(origin.requests.length, begun + 1, 'nothing reached the site before the sign-in')
    const seen = origin.requests.at(-1)?.headers ?? {}
    assert.deepEqual(
      [seen['remote-user'], seen['remote-groups'], seen['remote-email'], seen.cookie ?? ''],
      ['ann', 'family', 'ann@home.test', ''],
    )
    const other = await ann.follow(ann.url('photos.other.test', '/'))
    assert.deepEqual([other.status, other.text], [200, 'inside /'], 'a site under another domain asks for nothing more')
  })

  test('whoever is in none of the groups is told so, and a script learns it by the status', async () => {
    const { visitor, protect } = place
    await protect('family.home.test', { groups: ['family'] })
    const bob = visitor()
    const page = await bob.signIn(bob.url('family.home.test'), 'bob', testPassword)
    assert.equal(page.status, 403)
    assert.match(page.text, /signed in as <strong>bob<\/strong>/)
    const script = await bob.visit(bob.url('family.home.test', '/api'))
    assert.deepEqual([script.status, script.text.trim()], [403, 'You may not visit this address'])
    const stranger = await visitor().visit(bob.url('family.home.test', '/api'), { method: 'POST', body: 'x' })
    assert.deepEqual([stranger.status, stranger.headers['www-authenticate']], [401, 'Bearer'])
  })

  test('rules open and close paths, methods and networks, and the explanation says which', async () => {
    const { visitor, protect, admin } = place
    const rules = [
      { path: '/share', access: 'open' },
      { path: '/hook', methods: ['POST'], access: 'open' },
      { path: '/lan', networks: ['127.0.0.0/8'], access: 'open' },
      { path: '/far', networks: ['10.0.0.0/8'], access: 'open' },
      { path: '/gone', access: 'denied' },
    ]
    await protect('rules.home.test', { groups: ['family'], rules })
    const somebody = visitor()
    const status = async (path: string, method = 'GET') =>
      (await somebody.visit(somebody.url('rules.home.test', path), { method })).status
    assert.deepEqual(
      [await status('/share/x'), await status('/hook', 'POST'), await status('/hook'), await status('/lan')],
      [200, 200, 401, 200],
    )
    assert.deepEqual(
      [await status('/far'), await status('/gone'), await status('/share/../x'), await status('/share/%2e%2e/x')],
      // The last two may lead to /gone, as far as anybody can tell.
      [401, 403, 403, 403],
    )
    const explain = (json: object) => must<VisitExplanation>(admin, 'POST', '/api/v1/portal/explain', json)
    const open = await explain({ url: 'https://rules.home.test/share/x' })
    assert.deepEqual([open.outcome, open.rule], ['allow', 1])
    const users = await must<{ id: string; username: string }[]>(admin, 'GET', '/api/users')
    const bob = users.find((user) => user.username === 'bob')
    const refused = await explain({ url: 'https://rules.home.test/', user_id: bob?.id ?? '' })
    assert.deepEqual([refused.outcome, refused.rule], ['forbidden', null])
    assert.match(refused.reason, /members of family pass, and bob is in guests/)
    const unknown = await explain({ url: 'https://rules.home.test/lan' })
    assert.deepEqual([unknown.outcome, unknown.rule], ['sign_in', null])
    assert.match(unknown.reason, /the address of the visitor is not known/)
    const small = await somebody.visit(somebody.url('rules.home.test', '/hook'), { method: 'post' })
    assert.equal(small.status, 200, 'a method in small letters')
  })

  test('the explanation is about the site that answers for a host', async () => {
    const { admin, protect, origin } = place
    const tls = { mode: 'off' }
    const upstreams = [{ url: origin.url }]
    await protect('inner.explained.test', {})
    const wide = await makeSite(admin, { site_name: 'Wide', domains: ['*.explained.test'], tls, upstreams })
    const shop = await makeSite(admin, { site_name: 'Shop', domains: ['shop.explained.test'], tls, upstreams })
    const explain = async (host: string) => {
      const json = { url: `https://${host}/` }
      const told = await must<VisitExplanation>(admin, 'POST', '/api/v1/portal/explain', json)
      return [told.outcome, told.site_id]
    }
    assert.deepEqual(await explain('shop.explained.test'), ['allow', shop.id])
    assert.deepEqual(await explain('other.explained.test'), ['allow', wide.id])
    assert.equal((await explain('inner.explained.test'))[0], 'sign_in')
    assert.deepEqual(await explain('nobody.test'), ['allow', null])
  })

  test('headers that a site sets are on its own answers, and change none of the portal’s', async () => {
    const { visitor, protect } = place
    const response_headers = [
      { op: 'set', name: 'Cache-Control', value: 'public, max-age=86400' },
      { op: 'delete', name: 'Set-Cookie' },
      { op: 'set', name: 'X-Frame-Options', value: 'SAMEORIGIN' },
      { op: 'set', name: 'X-Own', value: 'yes' },
    ]
    const hsts = { max_age: 86_400, subdomains: false, preload: false }
    await protect('headers.home.test', { groups: ['family'] }, { response_headers, hsts, access: { noindex: true } })
    const [ann, bob] = [visitor(), visitor()]
    const url = ann.url('headers.home.test', '/page')
    const asked = await ann.open(url)
    assert.equal(asked.status, 302)
    assert.match(String(asked.headers['set-cookie']), /__Host-hearth_state=/)
    const script = await ann.visit(url)
    const page = await ann.signIn(url, 'ann', testPassword)
    const refused = await bob.signIn(url, 'bob', testPassword)
    assert.deepEqual([script.status, page.text, refused.status], [401, 'inside /page', 403])
    for (const { headers, status } of [asked, script, refused]) {
      assert.equal(headers['cache-control'], 'no-store', String(status))
      assert.deepEqual([headers['x-frame-options'], headers['x-own']], ['DENY', undefined])
    }
    const { headers } = page
    assert.deepEqual([headers['cache-control'], headers['x-own']], ['public, max-age=86400', 'yes'])
    for (const answer of [asked, script, page, refused])
      assert.deepEqual(
        [answer.headers['strict-transport-security'], answer.headers['x-robots-tag']],
        ['max-age=86400', 'noindex, nofollow'],
      )
  })

  test('a path that is too long is refused at once, and a long query is not', async () => {
    const { visitor, protect } = place
    const rules = Array.from({ length: 49 }, (_, number) => ({ path: `/area-${number}`, access: 'denied' }))
    await protect('long.home.test', { rules: [{ path: '/open', access: 'open' }, ...rules] })
    const somebody = visitor()
    const status = async (path: string) => (await somebody.visit(somebody.url('long.home.test', path))).status
    assert.equal(await status(`/${'%EF%B7%BA'.repeat(3000)}`), 414)
    assert.equal(await status(`/open/${'x'.repeat(8000)}`), 200)
    assert.equal(await status(`/open?q=${'x'.repeat(12_000)}`), 200)
  })

  test('a passkey that is removed at the portal ends the user’s other sessions, and not this one', async () => {
    const { sites, visitor, protect, admin } = place
    await sites.addUser('gina', 'user')
    await protect('gina.home.test', {})
    const [old, here] = [visitor(), visitor()]
    const url = old.url('gina.home.test')
    const service = await sites.signInAs('gina')
    assert.equal((await old.signIn(url, 'gina', testPassword)).status, 200)
    assert.equal((await here.signIn(url, 'gina', testPassword)).status, 200)
    const page = new URL(here.url(portalHost))
    const csrf = async () => /name="csrf" value="([^"]+)"/.exec((await here.open(page)).text)?.[1] ?? ''
    const post = async (path: string, fields: object) =>
      here.open(new URL(path, page), {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: page.origin },
        body: JSON.stringify({ csrf: await csrf(), ...fields }),
      })
    const { options } = JSON.parse((await post('/passkeys/start', {})).text) as { options: object }
    const credential = createAuthenticator(page.origin).create(options)
    assert.equal((await post('/passkeys/finish', { credential, device_name: 'Phone' })).status, 200)
    const [, id = ''] = /name="id" value="([^"]+)"/.exec((await here.open(page)).text) ?? []
    assert.equal((await post('/passkeys/remove', { id: 'x' })).status, 404)
    assert.equal((await old.visit(url)).status, 200, 'nothing ends when nothing was removed')
    assert.equal((await post('/passkeys/remove', { id })).status, 303)
    assert.equal((await old.visit(url)).status, 401, 'a sign-in at the portal elsewhere')
    assert.equal((await service.call('GET', '/api/session')).status, 401, 'a session of the service')
    assert.equal((await here.visit(url)).status, 200)
    const sessions = await must<{ username: string }[]>(admin, 'GET', '/api/v1/portal/sessions')
    assert.equal(sessions.filter(({ username }) => username === 'gina').length, 1)
  })

  test('edits, revoked sessions and disabled users count with the next request', async () => {
    const { visitor, protect, admin, addVisitor } = place
    const carl = await addVisitor('carl', ['edits'])
    const site = await protect('edits.home.test', { groups: ['edits'] })
    const browser = visitor()
    const url = browser.url('edits.home.test')
    const status = async () => (await browser.visit(url)).status
    assert.equal((await browser.signIn(url, 'carl', testPassword)).status, 200)
    await must(admin, 'PUT', '/api/v1/portal/groups/edits', { user_ids: [] })
    assert.equal(await status(), 403, 'no longer in the group')
    await must(admin, 'PUT', '/api/v1/portal/groups/edits', { user_ids: [carl.id] })
    assert.equal(await status(), 200)
    await must(admin, 'PATCH', `/api/sites/${site.id}`, { sign_in: { groups: ['family'] } })
    assert.equal(await status(), 403, 'other groups')
    await must(admin, 'PATCH', `/api/sites/${site.id}`, { sign_in: { groups: ['edits'] } })
    assert.equal(await status(), 200)
    const sessions = await must<{ id: string; username: string }[]>(admin, 'GET', '/api/v1/portal/sessions')
    const session = sessions.find(({ username }) => username === 'carl')
    await must(admin, 'DELETE', `/api/v1/portal/sessions/${session?.id}`)
    assert.equal(await status(), 401, 'the session was ended')
    assert.equal((await browser.signIn(url, 'carl', testPassword)).status, 200)
    await must(admin, 'PATCH', `/api/users/${carl.id}`, { is_active: false })
    assert.equal(await status(), 401, 'the user was disabled')
    await must(admin, 'PATCH', `/api/users/${carl.id}`, { is_active: true })
    assert.equal(await status(), 401, 'a disabled user’s sessions are over')
  })

  test('a program visits one site with its token, which the site does not see', async () => {
    const { visitor, protect, admin, origin, addVisitor } = place
    const robot = await addVisitor('robot', ['robots'])
    const site = await protect('api.home.test', { groups: ['robots'] })
    await protect('api2.home.test', {})
    const json = { name: 'backup', site_id: site.id, user_id: robot.id }
    const { token, id } = await must<{ token: string; id: string }>(admin, 'POST', '/api/v1/portal/tokens', json)
    const program = visitor()
    const headers = { authorization: `Bearer ${token}` }
    const visit = (host: string, method = 'GET', body?: Buffer) =>
      program.visit(program.url(host, '/v1'), { headers, method, ...(body && { body }) })
    assert.equal((await visit('api.home.test')).status, 200)
    const seen = origin.requests.at(-1)?.headers ?? {}
    assert.deepEqual([seen.authorization, seen['remote-user']], [undefined, 'robot'])
    assert.equal((await visit('api2.home.test')).status, 401, 'a token is for one site')
    const large = Buffer.alloc(20_000_000, 'x')
    assert.equal((await visit('api.home.test', 'PUT', large)).status, 200)
    assert.equal(origin.requests.at(-1)?.body.length, large.length, 'an upload arrives whole')
    const own = await program.visit(program.url('api.home.test'), { headers: { authorization: 'Basic eDp5' } })
    assert.equal(own.status, 401)
    await must(admin, 'DELETE', `/api/v1/portal/tokens/${id}`)
    assert.equal((await visit('api.home.test')).status, 401, 'a revoked token is worth nothing at once')
  })

  test('a WebSocket opens for whoever may visit the site, and for nobody else', async () => {
    const server = createServer((_incoming, answer) => void answer.end('page'))
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
      const user = String(incoming.headers['remote-user'])
      socket.on('error', () => socket.destroy())
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${user}`)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await place.protect('ws.home.test', { groups: ['family'] }, { upstreams: [{ url }] })
    const ann = place.visitor()
    const upgrade = async (cookie: string) => {
      const headers = { host: `ws.home.test:${ann.port}`, connection: 'Upgrade', upgrade: 'websocket', cookie }
      const options = { host: '127.0.0.1', port: ann.port, servername: 'ws.home.test', rejectUnauthorized: false }
      const asking = request({ ...options, headers, agent: false })
      asking.end()
      const opened = once(asking, 'upgrade').then(([, socket]) => socket as Duplex)
      const refused = once(asking, 'response').then(([answer]) => (answer as IncomingMessage).statusCode)
      const first = await Promise.race([opened, refused])
      if (typeof first === 'number' || first === undefined) return first
      const [text] = (await once(first, 'data')) as [Buffer]
      first.destroy()
      return text.toString()
    }
    assert.equal(await upgrade(''), 401)
    assert.equal((await ann.signIn(ann.url('ws.home.test'), 'ann', testPassword)).text, 'page')
    const key = ann.cookies.get('ws.home.test')?.get('__Host-hearth_site') ?? ''
    assert.equal(await upgrade(`__Host-hearth_site=${key}`), 'ann')
    server.close()
    server.closeAllConnections()
  })

  test('a visitor changes a password that is over, and signs out of all sites', async () => {
    const { visitor, protect, admin } = place
    const json = { username: 'dora', password: testPassword, sites_only: true, password_change_required: true }
    await must(admin, 'POST', '/api/users', json)
    await protect('dora.home.test', {})
    const dora = visitor()
    const url = dora.url('dora.home.test')
    const refused = await dora.open(url)
    assert.ok(refused.location)
    const form = await dora.open(refused.location)
    const again = await dora.submit(refused.location, form.text, { username: 'dora', password: testPassword })
    assert.match(again.text, /name="new_password"/)
    const next = 'brisk-otter-under-moon-3'
    const fields = { username: 'dora', password: testPassword, new_password: next }
    const done = await dora.submit(refused.location, again.text, fields)
    assert.equal((await dora.follow(done.location ?? url)).status, 200)
    const account = await dora.follow(dora.url('dora.home.test', '/.hearth/sign-out'))
    assert.match(account.text, /signed in as <strong>dora/)
    await dora.submit(new URL(dora.url(portalHost)), account.text, {})
    assert.equal((await dora.visit(url)).status, 401)
  })

  test('a password that is changed at the portal ends all other sessions, and is in the security log', async () => {
    const { sites, visitor, protect, admin } = place
    const { id } = await sites.addUser('emil', 'user')
    await protect('emil.home.test', {})
    const [old, fresh] = [visitor(), visitor()]
    const url = old.url('emil.home.test')
    assert.equal((await old.signIn(url, 'emil', testPassword)).status, 200)
    const session = await sites.signInAs('emil')
    await must(admin, 'PATCH', `/api/users/${id}`, { password_change_required: true })
    const { location } = await fresh.open(url)
    assert.ok(location)
    const fields = { username: 'emil', password: testPassword, new_password: 'brisk-otter-under-moon-3' }
    const done = await fresh.submit(location, (await fresh.open(location)).text, fields)
    assert.equal((await fresh.follow(done.location ?? url)).status, 200)
    assert.equal((await old.visit(url)).status, 401, 'a sign-in at the portal from before')
    assert.equal((await session.call('GET', '/api/session')).status, 401, 'a session of the service from before')
    const log = '/api/security-log?kind=password_changed'
    const { events } = await must<{ events: { username: string; detail: string }[] }>(admin, 'GET', log)
    assert.deepEqual(
      events.filter(({ username }) => username === 'emil').map(({ detail }) => detail),
      ['at the portal'],
    )
  })

  test('a recovery code is not used up while the password must be changed', async () => {
    const { visitor, addVisitor, admin } = place
    const { id } = await addVisitor('frida')
    const frida = visitor()
    const page = new URL(frida.url(portalHost, '/sign-in'))
    const submit = async (password: string) =>
      frida.submit(page, (await frida.open(frida.url(portalHost, '/sign-in?again=1'))).text, {
        username: 'frida',
        password,
      })
    assert.equal((await submit(testPassword)).status, 303)
    const account = await frida.open(frida.url(portalHost))
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(account.text) ?? []
    const codes = await frida.open(frida.url(portalHost, '/recovery-codes'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: page.origin },
      body: new URLSearchParams({ csrf }).toString(),
    })
    const [, code = ''] = /<code>([\w-]+)/.exec(codes.text) ?? []
    await must(admin, 'PATCH', `/api/users/${id}`, { password_change_required: true })
    const refused = await submit(code)
    assert.deepEqual([refused.status, /while the password must be changed/.test(refused.text)], [401, true])
    await must(admin, 'PATCH', `/api/users/${id}`, { password_change_required: false })
    assert.equal((await submit(code)).status, 303)
    assert.equal((await submit(code)).status, 401, 'it counts once')
  })

  test('two tabs that asked to sign in both arrive', async () => {
    const { visitor, protect } = place
    await protect('tabs.home.test', {})
    const ann = visitor()
    const first = await ann.open(ann.url('tabs.home.test', '/first'))
    const second = await ann.open(ann.url('tabs.home.test', '/second'))
    assert.ok(first.location && second.location)
    const forms = [await ann.open(first.location), await ann.open(second.location)]
    const pages: string[] = []
    for (const [index, at] of [first.location, second.location].entries()) {
      const done = await ann.submit(at, forms[index]?.text ?? '', { username: 'ann', password: testPassword })
      pages.push((await ann.follow(done.location ?? at)).text)
    }
    assert.deepEqual(pages, ['inside /first', 'inside /second'])
  })

  test('whoever may not visit a page signs in as somebody else, and arrives there', async () => {
    const { visitor, protect } = place
    await protect('switch.home.test', { groups: ['family'] })
    const browser = visitor()
    const refused = await browser.signIn(browser.url('switch.home.test', '/page?x=1'), 'bob', testPassword)
    const [, link = ''] = /<a\s+href="([^"]+)"/.exec(refused.text) ?? []
    const asked = await browser.open(browser.url('switch.home.test', link))
    assert.ok(asked.location)
    const form = await browser.open(asked.location)
    assert.match(form.text, /To continue to switch\.home\.test/)
    const done = await browser.submit(asked.location, form.text, { username: 'ann', password: testPassword })
    assert.equal((await browser.follow(done.location ?? asked.location)).text, 'inside /page?x=1')
  })

  test('failed sign-ins of one address are limited for all accounts together, also after a restart', async () => {
    const { sites, visitor } = place
    const page = new URL(visitor().url(portalHost, '/sign-in'))
    const signIn = async (address: string, username: string, password: string) => {
      const guest = visitor(address)
      return (await guest.submit(page, (await guest.open(page)).text, { username, password })).status
    }
    const statuses: number[] = []
    assert.equal(await signIn('127.0.1.1', 'ann', testPassword), 303)
    for (let number = 0; number < 6; number += 1)
      statuses.push(await signIn('127.0.1.1', `guess${number}`, 'some-guess-of-mine'))
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    assert.equal(await signIn('127.0.1.1', 'ann', testPassword), 429)
    assert.equal(await signIn('127.0.1.2', 'ann', testPassword), 303)
    await sites.restart()
    const after = await eventually(
      () => signIn('127.0.1.1', 'ann', testPassword),
      (status) => status !== 503,
      { everyMs: 100 },
    )
    assert.equal(after, 429)
  })

  test('users of sites have no way into the service itself', async () => {
    const { sites, admin } = place
    const { status } = await sites
      .browser()
      .json('POST', '/api/session', { json: { username: 'ann', password: testPassword } })
    assert.equal(status, 401)
    const refused = await admin.json<{ errors: { field: string }[] }>('POST', '/api/users', {
      json: { username: 'eve', password: testPassword, role: 'admin', sites_only: true },
    })
    assert.deepEqual([refused.status, refused.body.errors[0]?.field], [422, 'sites_only'])
  })

  test('while the service is away protected sites stay closed, with a page that says so', async () => {
    const { sites, visitor, protect } = place
    await protect('away.home.test', {})
    const ann = visitor()
    const url = ann.url('away.home.test')
    assert.equal((await ann.signIn(url, 'ann', testPassword)).status, 200)
    await sites.service.app.close()
    const page = await ann.open(url)
    assert.deepEqual([page.status, page.headers['cache-control']], [503, 'no-store'])
    assert.match(page.text, /Sign-in is not available/)
    await sites.restart()
    const back = await eventually(
      () => ann.open(url),
      ({ status }) => status === 200,
      { everyMs: 100 },
    )
    assert.equal(back.text, 'inside /')
  })
})
