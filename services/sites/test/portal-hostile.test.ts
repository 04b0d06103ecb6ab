import assert from 'node:assert/strict'
import { connect } from 'node:tls'
import { once } from 'node:events'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startSites, testPassword } from './in-process.ts'
import { must, openPortalPlace, portalHost, type PortalPlace } from './portal-place.ts'
import { hiddenFields, type PortalVisitor } from './portal-visitor.ts'
import { caddyObstacle } from './real-caddy.ts'

describe('attacks on sites that visitors sign in to', { skip: caddyObstacle() }, () => {
  let place: PortalPlace
  let ann: PortalVisitor

  before(async () => {
    place = await openPortalPlace()
    await place.addVisitor('ann', ['family'])
    await place.addVisitor('mallory', ['guests'])
    await place.protect('a.home.test', { groups: ['family'], rules: [{ path: '/open', access: 'open' }] })
    await place.protect('b.home.test', {})
    ann = place.visitor()
    assert.equal((await ann.signIn(ann.url('a.home.test'), 'ann', testPassword)).status, 200)
    assert.equal((await ann.follow(ann.url('b.home.test'))).status, 200)
  })
  after(() => place[Symbol.asyncDispose]())

  const cookieOf = (visitor: PortalVisitor, host: string, name = '__Host-hearth_site') =>
    `${name}=${visitor.cookies.get(host)?.get(name) ?? ''}`

  test('no spelling of an identity header reaches the site, signed in or not', async () => {
    const spellings = [
      'Remote-User',
      'REMOTE-USER',
      'remote_user',
      'Remote_User',
      'REMOTE_USER',
      'Remote-Groups',
      'remote_groups',
    ]
    for (const name of [...spellings, 'Remote-Email', 'Remote_Email', 'Remote-Name']) {
      const value = ['root', 'admins']
      for (const [path, hasCookies] of [
        ['/open', false],
        ['/', true],
      ] as const) {
        const begun = place.origin.requests.length
        const { status } = await ann.visit(ann.url('a.home.test', path), { headers: { [name]: value }, hasCookies })
        assert.ok(status === 200 || status === 400, `${name} is answered ${status}`)
        for (const { headers } of place.origin.requests.slice(begun)) {
          const seen = Object.entries(headers).filter(([key]) => /^remote/i.test(key))
          assert.ok(!JSON.stringify(seen).includes('root'), `${name} on ${path}: ${JSON.stringify(seen)}`)
        }
      }
    }
    for (const name of ['Remote.User', 'remote-_user', 'Remote~Groups']) {
      const begun = place.origin.requests.length
      const { status } = await ann.visit(ann.url('a.home.test'), { headers: { [name]: 'root' } })
      const seen = place.origin.requests.slice(begun).map(({ headers }) => JSON.stringify(headers))
      // A newer Caddy takes some of them away itself.
      assert.ok(status === 400 || (status === 200 && seen.every((text) => !text.includes('root'))), name)
    }
  })

  test('no spelling of a header that overrides the method gets past a rule by method', async () => {
    const rules = [{ path: '/', methods: ['GET'], access: 'open' }]
    await place.protect('methods.home.test', { rules })
    const names = ['X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override']
    const spellings = names.flatMap((name) => [
      name,
      name.toLowerCase(),
      name.replaceAll('-', '_'),
      name.replace(/-(?=[^-]*$)/, '_'),
      name.replace('-', '_'),
      name.replaceAll('-', '.'),
      name.replaceAll('-', ''),
    ])
    const overrides = new Set(['xhttpmethod', 'xhttpmethodoverride', 'xmethodoverride'])
    for (const name of spellings) {
      const begun = place.origin.requests.length
      const url = ann.url('methods.home.test')
      const { status } = await ann.visit(url, { headers: { [name]: 'DELETE' }, hasCookies: false })
      assert.ok(status === 200 || status === 400, `${name} is answered ${status}`)
      for (const { headers } of place.origin.requests.slice(begun)) {
        const seen = Object.keys(headers).filter((key) => overrides.has(key.replaceAll(/[^a-z]/g, '')))
        assert.deepEqual(seen, [], name)
      }
    }
    const header = { 'x-http_method-override': 'DELETE' }
    const elsewhere = await ann.visit(ann.url('b.home.test'), { headers: header })
    assert.equal(elsewhere.status, 200, 'where no rule names methods, it is the site’s own affair')
  })

  test('no cookie tells the id of a session', async () => {
    const sessions = await must<{ id: string }[]>(place.admin, 'GET', '/api/v1/portal/sessions')
    assert.ok(sessions.length > 0)
    for (const { id } of sessions)
      for (const [host, cookies] of ann.cookies)
        for (const [name, value] of cookies) assert.ok(!value.includes(id), `${name} of ${host}`)
  })

  test('headers cannot be taken away by naming them in Connection', async () => {
    for (const named of ['Remote-User', 'close, remote-groups', 'X-Forwarded-Uri', 'Cookie', 'Hearth-Client']) {
      const { status } = await ann.visit(ann.url('a.home.test'), { headers: { connection: named } })
      assert.equal(status, 400, named)
    }
  })

  test('what a client says about its request is not believed', async () => {
    const headers = {
      'x-forwarded-uri': '/open',
      'x-forwarded-method': 'GET',
      'x-forwarded-host': 'b.home.test',
      'x-forwarded-for': '127.0.0.1',
      'hearth-authority': 'b.home.test',
      'hearth-client': '10.0.0.1',
      'x-original-url': '/open',
    }
    const { status } = await ann.visit(ann.url('a.home.test', '/secret'), { headers, hasCookies: false })
    assert.equal(status, 401)
  })

  test('the cookie of one site opens no other, and no upstream gets to see one', async () => {
    for (const { headers } of place.origin.requests) assert.doesNotMatch(headers.cookie ?? '', /hearth/)
    const stolen = cookieOf(ann, 'b.home.test')
    const elsewhere = await ann.visit(ann.url('a.home.test'), { headers: { cookie: stolen }, hasCookies: false })
    assert.equal(elsewhere.status, 401)
    const portal = await ann.open(ann.url(portalHost), {
      headers: { cookie: stolen.replace('_site', '_portal') },
      hasCookies: false,
    })
    assert.equal(portal.status, 303, 'the portal asks to sign in')
    const mixed = `x=1; ${cookieOf(ann, 'a.home.test')}; y=2`
    const begun = place.origin.requests.length
    await ann.visit(ann.url('a.home.test'), { headers: { cookie: mixed }, hasCookies: false })
    assert.deepEqual(
      place.origin.requests.slice(begun).map(({ headers }) => headers.cookie),
      ['x=1; y=2'],
    )
    for (const [host, cookies] of ann.cookies)
      for (const name of cookies.keys()) assert.match(name, /^__Host-/, `${name} of ${host} is not bound to its host`)
  })

  test('taking the portal’s cookies away makes no other cookies', async () => {
    const own = cookieOf(ann, 'a.home.test')
    // Hosts beside the site’s can set such names, and none that begin with __Host-.
    for (const [sent, seen] of [
      [`${own}; ___Host-hearth_site=1; _Host-session=evil`, '___Host-hearth_site=1; _Host-session=evil'],
      [`x__Host-hearth_state=1; session=1; ${own}`, 'x__Host-hearth_state=1; session=1'],
      [`__Host-hearth_state=1; ${own}; x=1`, 'x=1'],
      [`x=1;${own};__Host-hearth_state=1;y=2`, 'x=1;y=2'],
      [own, ''],
    ] as const) {
      const begun = place.origin.requests.length
      await ann.visit(ann.url('a.home.test'), { headers: { cookie: sent }, hasCookies: false })
      assert.deepEqual(
        place.origin.requests.slice(begun).map(({ headers }) => headers.cookie ?? ''),
        [seen],
        sent.replaceAll(own, 'own'),
      )
    }
  })

  test('a forged or changed cookie is worth nothing', async () => {
    const real = cookieOf(ann, 'a.home.test')
    const forged = [
      `${real}x`,
      real.slice(0, -1),
      real.replace(/\.[^.]*$/, `.${'A'.repeat(43)}`),
      '__Host-hearth_site=',
      real.replace('=', '=0'),
    ]
    for (const cookie of forged) {
      const { status } = await ann.visit(ann.url('a.home.test'), { headers: { cookie }, hasCookies: false })
      assert.equal(status, 401, cookie)
    }
  })

  test('the portal leads to pages of protected sites only', async () => {
    const state = 'A'.repeat(43)
    const good = ann.url('a.home.test', '/')
    const port = String(ann.port)
    const targets = [
      'https://evil.test/',
      '//evil.test',
      'https://a.home.test.evil.test/',
      `https://evil.test:${port}/`,
      'javascript:alert(1)',
      'https://a.home.test/',
      `https://a.home.test:1/`,
      `http://a.home.test:${port}/`,
      `https://x@a.home.test:${port}/`,
      '',
      `https://evil.test\\@a.home.test:${port}/`,
      `https://b.home.test:${port}/`,
      'data:text/html,x',
      `https:a.home.test.:${port}`,
    ]
    const site = new URL((await place.visitor().open(good)).location ?? good).searchParams.get('site') ?? ''
    for (const to of targets) {
      const page = await ann.open(
        ann.url(portalHost, `/sign-in?${new URLSearchParams({ site, to, state }).toString()}`),
      )
      assert.deepEqual([page.status, page.location], [400, undefined], to)
    }
    const away = await ann.open(ann.url('a.home.test', '//evil.test/%0d%0aX:1'))
    assert.ok(away.location === undefined || away.location.hostname.endsWith('home.test'))
  })

  test('a hand-over code counts once, for one site, in one browser', async () => {
    const mallory = place.visitor()
    const begun = await mallory.open(mallory.url('b.home.test'))
    assert.ok(begun.location)
    const form = await mallory.open(begun.location)
    const done = await mallory.submit(begun.location, form.text, { username: 'mallory', password: testPassword })
    assert.ok(done.location)
    // Log-in CSRF: somebody else's browser is sent to the attacker's code.
    const victim = await place.visitor().open(done.location)
    assert.deepEqual([victim.status, victim.headers['set-cookie']], [400, undefined])
    const again = await mallory.open(done.location)
    assert.equal(again.status, 400, 'the code is used up by then')
    const next = (await mallory.open((await mallory.open(mallory.url('b.home.test'))).location ?? '')).location
    assert.ok(next)
    const other = new URL(next)
    other.hostname = 'a.home.test'
    assert.equal((await mallory.open(other)).status, 400, 'a code of another site')
    assert.equal((await mallory.open(next)).status, 400, 'and it is used up by that, too')
  })

  test('another site can neither sign a visitor in nor out', async () => {
    const page = new URL(ann.url(portalHost, '/sign-in'))
    const form = await place.visitor().open(page)
    const attacker = hiddenFields(form.text)
    const body = new URLSearchParams({ ...attacker, username: 'mallory', password: testPassword }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const attempts = [
      { ...type },
      { ...type, origin: 'https://evil.test' },
      { ...type, origin: ann.url('b.home.test', '').replace(/\/$/, ''), 'sec-fetch-site': 'same-site' },
      { ...type, 'sec-fetch-site': 'cross-site' },
    ]
    for (const path of ['/sign-in', '/sign-out', '/recovery-codes', '/passkeys/remove'])
      for (const headers of attempts) {
        const { status } = await ann.open(ann.url(portalHost, path), { method: 'POST', headers, body })
        assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`)
      }
    assert.equal((await ann.visit(ann.url('a.home.test'))).status, 200, 'still signed in')
  })

  test('decisions are not kept by anybody, and not mixed up', async () => {
    const url = ann.url('a.home.test', '/page')
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, number) => {
        const isIn = number % 2 === 0
        const { status } = await ann.visit(url, { hasCookies: isIn })
        return status === (isIn ? 200 : 401)
      }),
    )
    assert.ok(statuses.every(Boolean))
    const refused = await ann.visit(url, { hasCookies: false })
    assert.equal(refused.headers['cache-control'], 'no-store')
  })

  test('two requests that are glued together are two', async () => {
    const socket = connect({ host: '127.0.0.1', port: ann.port, servername: 'a.home.test', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const begun = place.origin.requests.length
    socket.write(
      `POST /open HTTP/1.1\r\nHost: a.home.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n` +
        `GET /secret HTTP/1.1\r\nHost: a.home.test\r\nConnection: close\r\n\r\n`,
    )
    let text = ''
    socket.on('data', (part: Buffer) => (text += part.toString()))
    await once(socket, 'close')
    const paths = place.origin.requests.slice(begun).map(({ url }) => url)
    assert.ok(!paths.includes('/secret'), `${paths.join(' ')} ${text.slice(0, 300)}`)
  })

  test('an unknown user name takes as long as a wrong password', async () => {
    const names = ['tim1', 'tim2', 'tim3']
    for (const name of names) await place.addVisitor(name)
    const page = new URL(ann.url(portalHost, '/sign-in'))
    const forms = new Map<string, { visitor: PortalVisitor; text: string }>()
    // One address may fail five times a minute.
    const formOf = async (username: string) => {
      const visitor = place.visitor(`127.0.2.${forms.size + 1}`)
      const form = forms.get(username) ?? { visitor, text: (await visitor.open(page)).text }
      forms.set(username, form)
      return form
    }
    const time = async (username: string) => {
      const { visitor, text: form } = await formOf(username)
      const begun = performance.now()
      const { status, text } = await visitor.submit(page, form, { username, password: 'not-the-password-1' })
      assert.deepEqual([status, /is wrong/.test(text)], [401, true])
      return performance.now() - begun
    }
    const [known, unknown]: number[][] = [[], []]
    // One account may be tried five times a minute, and the machine may be busy.
    for (let round = 0; round < 4; round += 1)
      for (const name of names) {
        known?.push(await time(name))
        unknown?.push(await time(`${name}x`))
      }
    const least = (values: readonly number[] = []) => Math.min(...values)
    const ratio = least(unknown) / least(known)
    // Without the work of a hash it would be a twentieth.
    assert.ok(ratio > 0.2 && ratio < 5, `${least(known)} ms and ${least(unknown)} ms`)
  })

  test('guessing is slowed down for the account, whichever address it comes from', async () => {
    const page = new URL(ann.url(portalHost, '/sign-in'))
    const statuses: number[] = []
    for (let guess = 0; guess < 7; guess += 1) {
      const visitor = place.visitor(`127.0.3.${guess + 1}`)
      const { text } = await visitor.open(page)
      const { status } = await visitor.submit(page, text, { username: 'guessed', password: `guess-${guess}-long` })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
  })

  test('the sockets of the portal cannot be the upstream of a site', async () => {
    const socket = `unix/${place.sites.folder}/portal/verify.sock`
    const json = {
      site_name: 'Deputy',
      domains: ['deputy.test'],
      tls: { mode: 'internal' },
      upstreams: [{ url: socket }],
    }
    const { status, body } = await place.admin.json<{ errors: { field: string }[] }>('POST', '/api/sites', { json })
    assert.deepEqual([status, body.errors[0]?.field], [422, 'upstreams.0.url'])
    const names = await must<{ detail?: string }>(place.admin, 'GET', '/api/v1/portal/groups')
    assert.ok(Array.isArray(names))
  })

  test('in a data directory whose path is too long for its sockets the service starts without a portal', async () => {
    const root = await mkdtemp(join(tmpdir(), 'hearth-'))
    // The socket of Caddy itself is shorter.
    const folder = join(root, 'd'.repeat(89 - root.length))
    await mkdir(folder)
    await using sites = await startSites({}, { folder, caddy: true })
    const admin = await sites.signIn()
    const json = { site_name: 'Portal', domains: ['auth.test'], kind: 'portal', tls: { mode: 'internal' } }
    const { status, body } = await admin.json<{ errors: { message: string }[] }>('POST', '/api/sites', { json })
    assert.equal(status, 422)
    assert.match(body.errors[0]?.message ?? '', /needs a shorter DATA_DIR/)
  })

  test('a site whose sign-in lacks something is refused with the member that is wrong', async () => {
    const base = {
      site_name: 'Wrong',
      domains: ['wrong.test'],
      upstreams: [{ url: place.origin.url }],
      tls: { mode: 'internal' },
    }
    const cases: [object, string][] = [
      [{ sign_in: { groups: ['nobody'] } }, 'sign_in.groups.0'],
      [{ sign_in: {}, tls: { mode: 'off' } }, 'sign_in'],
      [{ sign_in: {}, domains: ['wrong.test', '*.wrong.test'] }, 'domains.1'],
      [{ sign_in: { rules: [{ path: 'x', access: 'open' }] } }, 'sign_in.rules.0.path'],
      [{ sign_in: { rules: [{ networks: ['home'], access: 'open' }] } }, 'sign_in.rules.0.networks.0'],
      [{ sign_in: {}, basic_auth: [{ username: 'x', password: 'long enough' }] }, 'sign_in'],
      [{ kind: 'portal', upstreams: [] }, 'kind'],
    ]
    for (const [members, field] of cases) {
      const { status, body } = await place.admin.json<{ errors: { field: string }[] }>('POST', '/api/sites', {
        json: { ...base, ...members },
      })
      assert.deepEqual([status, body.errors.map((error) => error.field)], [422, [field]], JSON.stringify(members))
    }
  })
})
