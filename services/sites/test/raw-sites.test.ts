import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import type { Revision } from '../src/deploy/schema.ts'
import { startSites, testPassword, type Browser } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

const raw = (name: string, text: string) => ({
  site_name: name,
  domains: [`${name}.test`],
  kind: 'raw',
  tls: { mode: 'off' },
  raw_directives: text,
})

const allowRaw = async (admin: Browser, isAllowed = true) =>
  assert.equal((await admin.call('PATCH', '/api/v1/settings', { json: { allow_raw: isAllowed } })).status, 200)

test('raw directives require a confirmation within five minutes, on every route', async () => {
  const timers = createFastTimers(1)
  await using sites = await startSites({}, { timers, caddy: true })
  const admin = await sites.signIn()
  await allowRaw(admin)
  const site = await makeSite(admin, raw('mine', 'respond first'))
  const before = (await admin.json<Revision[]>('GET', '/api/revisions')).body[0]?.id ?? 0
  const path = `/api/sites/${site.id}`
  assert.equal((await admin.call('PATCH', path, { json: sayingSite('mine', 'tame') })).status, 200)
  const ways: [string, string, object?][] = [
    ['POST', '/api/sites', raw('other', 'respond x')],
    ['PUT', path, raw('mine', 'respond x')],
    ['PATCH', path, { kind: 'raw' }],
    ['PATCH', path, { raw_directives: 'respond x' }],
    ['PATCH', path, { caddy_directives: 'respond x' }],
    ['POST', `/api/revisions/${before}/return`],
  ]
  timers.jump(301_000)
  for (const [method, where, json] of ways) {
    const { status, body } = await admin.json<EditAnswer>(method, where, json === undefined ? {} : { json })
    assert.deepEqual([status, body.code], [403, 'reauthentication_required'], `${method} ${JSON.stringify(json)}`)
  }
  assert.equal((await askHost(sites.caddyPorts[0], 'mine.test')).text, 'tame')
  const proof = { json: { password: testPassword } }
  assert.equal((await admin.call('POST', '/api/session/reauthenticate', proof)).status, 200)
  await allowRaw(admin, false)
  const off = await admin.json<EditAnswer>('POST', `/api/revisions/${before}/return`)
  assert.deepEqual([off.status, off.body.errors?.[0]?.field], [422, 'kind'])
  await allowRaw(admin)
  assert.equal((await admin.call('POST', `/api/revisions/${before}/return`)).status, 200)
  assert.equal((await askHost(sites.caddyPorts[0], 'mine.test')).text, 'first')
})

test('no symlink leads out of the static directories or to the admin socket', async () => {
  await using place = await temporaryDirectory('links')
  const [base, secrets] = [join(place.path, 'www'), join(place.path, 'secrets')]
  await mkdir(join(base, 'good'), { recursive: true })
  await mkdir(secrets)
  await writeFile(join(base, 'good', 'a.txt'), 'good')
  await writeFile(join(secrets, 'a.txt'), 'secret')
  await symlink(secrets, join(base, 'out'))
  await symlink(join(base, 'good'), join(base, 'in'))
  await using sites = await startSites({ STATIC_DIRS: base, SOCKET_DIRS: place.path }, { caddy: true })
  await symlink(join(sites.folder, 'caddy', 'admin.sock'), join(place.path, 'app.sock'))
  const admin = await sites.signIn()
  await allowRaw(admin)
  const plain = (name: string, members: object) => ({
    site_name: name,
    domains: [`${name}.test`],
    tls: { mode: 'off' },
    ...members,
  })
  const files = (root: string) => ({ kind: 'static', static: { root } })
  for (const [site, field] of [
    [plain('a', files(join(base, 'out'))), 'static.root'],
    [plain('b', files(join(base, 'out', 'deeper', '..'))), 'static.root'],
    [
      plain('c', { kind: 'respond', respond: {}, paths: [{ path: '/x', ...files(join(base, 'out')) }] }),
      'paths.0.static.root',
    ],
    [raw('d', `root * ${join(base, 'out')}\nfile_server`), 'raw_directives'],
    [raw('e', `file_server {\n\troot ${join(base, 'out')}\n}`), 'raw_directives'],
    [plain('f', { upstreams: [{ url: `unix/${join(place.path, 'app.sock')}` }] }), 'upstreams.0.url'],
    [raw('g', `reverse_proxy unix/${join(place.path, 'app.sock')}`), 'raw_directives'],
  ] as const) {
    const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json: site })
    assert.deepEqual([status, body.errors?.[0]?.field], [422, field], JSON.stringify(body))
  }
  await makeSite(admin, plain('h', files(join(base, 'in'))))
  const ask = async (path: string) => (await askHost(sites.caddyPorts[0], 'h.test', { path })).text
  assert.equal(await ask('/a.txt'), 'good')
  for (const path of [
    '/../../secrets/a.txt',
    '/%2e%2e/%2e%2e/secrets/a.txt',
    '/..%2f..%2fsecrets/a.txt',
    '/..\\..\\secrets\\a.txt',
  ])
    assert.doesNotMatch(await ask(path), /secret/, path)
})

test('a site’s user may be named like an object member, and still needs a password', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  for (const username of ['constructor', 'toString', '__proto__']) {
    const json = { ...sayingSite('odd', 'inside'), basic_auth: [{ username }] }
    const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json })
    assert.deepEqual([status, body.errors?.[0]?.field], [422, 'basic_auth'], username)
  }
  const users = ['constructor', '__proto__'].map((username) => ({ username, password: 'correct horse' }))
  await makeSite(admin, { ...sayingSite('odd', 'inside'), basic_auth: users })
  for (const [username, password, status] of [
    ['constructor', 'correct horse', 200],
    ['__proto__', 'correct horse', 200],
    ['__proto__', 'wrong', 401],
  ] as const) {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    assert.equal((await askHost(sites.caddyPorts[0], 'odd.test', { headers: { authorization } })).status, status)
  }
})

test('restoring a revision whose name or domain is now taken is refused with a message', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const site = await makeSite(admin, sayingSite('first', 'one'))
  const before = (await admin.json<Revision[]>('GET', '/api/revisions')).body[0]?.id ?? 0
  const rename = { site_name: 'renamed', domains: ['renamed.test'] }
  assert.equal((await admin.call('PATCH', `/api/sites/${site.id}`, { json: rename })).status, 200)
  const other = await makeSite(admin, { ...sayingSite('first', 'two'), domains: ['x.test'], enabled: false })
  for (const [json, code] of [
    [{ domains: ['x.test'] }, 'name_taken'],
    [{ site_name: 'other', domains: ['first.test'] }, 'domain_taken'],
  ] as const) {
    assert.equal((await admin.call('PATCH', `/api/sites/${other.id}`, { json })).status, 200)
    const back = await admin.json<EditAnswer>('POST', `/api/revisions/${before}/return`)
    assert.deepEqual([back.status, back.body.code], [409, code])
  }
  assert.equal((await askHost(sites.caddyPorts[0], 'renamed.test')).text, 'one')
})
