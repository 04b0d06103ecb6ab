// What the service withstands, and which tests show it. Files without a folder are in `test/`; `src/` is that of the service,
// `kits/` that of the repository.
// A test of this file begins with its row.
//
//  1 admin endpoint   src/deploy/nodes/admin-address.test.ts (all), src/deploy/nodes/admin-client.test.ts "redirects are not followed", "a name that
//                     resolves to …", "proxy variables of the environment …"; hostile-caddy.test.ts (all: other servers, sizes, depth);
//                     node-guards.test.ts "a TCP admin endpoint causes …", "onboarding again does not replace …";
//                     src/deploy/nodes/caddy-process.test.ts "Caddy runs with a private socket …"; src/sites/rules/rules.test.ts "an upstream is
//                     never this service …", src/sites/rules/upstream-addresses.test.ts (all); sites.test.ts "all errors of a site …"
//  2 own requests     src/traffic/upstreams/upstream-states.test.ts "metadata addresses …"; live-traffic.test.ts "everybody
//                     sees totals …"; src/sites/rules/rules.test.ts and upstream-addresses.test.ts as above; hostile-caddy.test.ts "… its
//                     text is not passed on"; src/certificates/ssl-labs/scans.test.ts
//  3 headers          here; src/sites/rules/rules.test.ts "header names are tokens …"; serves-guards.test.ts "headers are set …"
//  4 placeholders     src/sites/rules/rules.test.ts "header names are tokens …"; literal-texts.test.ts (all); serves-sites.test.ts "a fixed
//                     response is sent verbatim …"; settings.test.ts "an invalid value …"; raw-directives.test.ts
//  5 injection        here; accepted-by-caddy.test.ts, golden.test.ts; src/sites/domains.test.ts; hostile-input.test.ts
//  6 raw directives   raw-directives.test.ts (all), raw-sites.test.ts "raw directives require a confirmation …", "no symlink leads
//                     out …"; src/sites/raw/raw-text.test.ts; sites.test.ts "raw directives require …"; settings.test.ts "allowing
//                     raw directives …"; src/import/imports.test.ts "raw sites are created only …"
//  7 sessions         sessions.test.ts (all); passkeys.test.ts; access.test.ts "a CSRF token from before sign-in …"; users.test.ts "a role
//                     change …"; events.test.ts "signing out, a new password …"
//  8 other sites      access.test.ts "a write …" (every route); sign-in and setting up are among them
//  9 guessing         sign-in.test.ts "guessing …"; limits.test.ts (every route); src/config.test.ts,
//                     kits/accounts/src/attempts/attempts.test.ts
// 10 roles            access.test.ts (every route × nobody, user, administrator); secrets.test.ts "a user sees no configuration …";
//                     hostile-caddy.test.ts "only administrators see the errors …"; src/events/events.test.ts "a user learns …"
// 11 secrets          secrets.test.ts (all); src/caddy/diffs.test.ts "a displayed configuration …"; apply.test.ts "the last applied
//                     configuration …"; settings.test.ts "the registration’s e-mail address …"; users.test.ts; sessions.test.ts "the cookie …"
// 12 certificates     src/certificates/uploads/*.test.ts; certificates.test.ts "an uploaded certificate …"
// 13 paths            src/sites/rules/rules.test.ts "static files stay …"; raw-sites.test.ts "no symlink leads out …"; node-guards.test.ts "a server
//                     writes its log …"; serves-sites.test.ts "static files …"
// 14 programs         here
// 15 on demand        here; on-demand.test.ts; serves-tls.test.ts "on demand …"
// 16 domains          here; sites.test.ts "domains and names …"; src/sites/rules/rules.test.ts "a domain …", "overlapping wildcards …";
//                     raw-sites.test.ts "restoring a revision whose name …"
// 17 cost             here; serves-guards.test.ts "basic authentication …"
// 18 imports          here (adopting); hostile-import.test.ts (all); src/import/config/read-config-any.test.ts,
//                     src/import/caddyfile/caddyfile-dangers.test.ts, src/import/npm/npm-database.test.ts,
//                     src/import/run-import.test.ts, imports.test.ts
// 19 markup           here; hostile-text.browser.test.ts; src/traffic/access-log/log-line.test.ts "unusual hosts and paths …"
// 20 next_url         kits/accounts/src/next-url.test.ts; passkeys.test.ts "sign-in redirects only …"
// 21 first run        here; set-up.test.ts (all)
// 22 open documents   here; conformance.test.ts
// 23 floods           here; hostile-input.test.ts "a body that is too deep …", "HEAD on …"; src/events/events.test.ts "the number
//                     of streams …", "a client that does not read …"; events.test.ts "an eleventh stream …"; src/traffic/live-tail.test.ts;
//                     passkeys.test.ts "is dropped as the oldest …", "a credential …"; limits.test.ts;
//                     kits/accounts/src/passkeys/passkeys.test.ts
// 24 forward auth     serves-guards.test.ts "forward authentication checks first …"
// 25 unknown outcome  src/deploy/apply-to-node.test.ts "a lost response is resolved …"; src/deploy/nodes/admin-client.test.ts "a refused
//                     connection is …"; external-caddy.test.ts "while Caddy is down …"

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { operationsOf, type Operation } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'
import { makeSite, sayingSite, type EditAnswer } from './served.ts'

let sites: Sites
let admin: Browser
let operations: Operation[]

before(async () => {
  sites = await startSites({ PUBLIC_ORIGIN: 'http://sites.localhost:8104', API_TOKENS: 'on' }, { caddy: true })
  operations = operationsOf(await openapiDocument())
})
after(() => sites[Symbol.asyncDispose]())

const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const placeOf = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, '1')
const create = (members: object) =>
  admin.json<EditAnswer>('POST', '/api/sites', { json: { ...sayingSite('one', 'x'), ...members } })

test('row 21: before set-up every route except the public ones responds only with setup_required', async () => {
  const open =
    /^(GET \/api\/v1\/(health|ready|build-info|csrf|on-demand\/ask)|POST \/api\/setup|GET \/(docs|redoc|openapi\.json))$/
  const visitor = sites.browser()
  for (const operation of operations.filter((one) => !open.test(nameOf(one)))) {
    const { status, body } = await visitor.json<EditAnswer>(operation.method, placeOf(operation), { json: undefined })
    assert.deepEqual([status, body.code], [403, 'setup_required'], nameOf(operation))
  }
  admin = await sites.signIn()
})

test('row 23: no route except file uploads accepts a body over 1 MiB', async () => {
  const body = `{"x":"${'y'.repeat(1_050_000)}"}`
  const large = /^POST \/api\/caddy\/import\//
  const token = await admin.csrf()
  const cookie = [...admin.cookies].map((pair) => pair.join('=')).join('; ')
  const headers = { 'content-type': 'application/json', cookie, 'x-csrf-token': token }
  const withBody = operations.filter((one) => one.body !== undefined && !large.test(nameOf(one)))
  assert.ok(withBody.length > 15)
  for (const operation of withBody) {
    const response = await fetch(sites.url + placeOf(operation), { method: operation.method, headers, body })
    assert.equal(response.status, 413, nameOf(operation))
    await response.body?.cancel()
  }
})

test('row 3: headers of a site are few, short and single-line', async () => {
  const header = (name: string, value: string) => ({ op: 'set', name, value })
  for (const response_headers of [
    Array.from({ length: 65 }, (_, index) => header(`X-${index}`, 'v')),
    Array.from({ length: 3 }, (_, index) => header(`X-${index}`, 'v'.repeat(3000))),
    [header('X', 'a\r\nSet-Cookie: stolen=1')],
    [header('X\r\nSet-Cookie', 'a')],
    [header('X', 'a\0b')],
    [header('Transfer-Encoding', 'chunked')],
    [header('Content-Length', '0')],
    [{ op: 'eval', name: 'X', value: 'a' }],
  ]) {
    const { status, body } = await create({ response_headers })
    assert.deepEqual(
      [status, body.errors?.[0]?.field?.startsWith('response_headers')],
      [422, true],
      JSON.stringify(body),
    )
  }
})

test('row 5: unknown fields and out-of-range numbers are refused', async () => {
  for (const members of [
    { '@id': 'site-1' },
    { handle: [{ handler: 'file_server' }] },
    { tls: { mode: 'off', '@id': 'x' } },
    { respond: { body: 'x', handler: 'templates' } },
    { paths: [{ path: '/x', kind: 'respond', respond: {}, '@id': 'x' }] },
    { domains: ['a.test{env.HOME}'] },
    { domains: ['a.test\nb.test'] },
    { domains: ['a.test, {\n}'] },
    { lb: { policy: 'header', name: 'X', field: 'y' } },
  ])
    assert.equal((await create(members)).status, 422, JSON.stringify(members))
  for (const id of ['1%20or%201', '1;2', '-1', '1e1', 'site-1', '9'.repeat(30)]) {
    const { status } = await admin.call('GET', `/api/sites/${id}`)
    assert.ok(status === 400 || status === 404, `${id}: ${status}`)
  }
})

test('row 14: the only program started is Caddy, with fixed arguments and no shell', async () => {
  const starting: string[] = []
  for await (const file of glob('**/*.ts', { cwd: new URL('../src', import.meta.url).pathname })) {
    const text = await readFile(new URL(`../src/${file}`, import.meta.url), 'utf8')
    if (/(?:from|import\() ?'(?:execa|(?:node:)?child_process)'/.test(text) && !file.endsWith('.test.ts'))
      starting.push(file)
    assert.doesNotMatch(text, /shell: true|\bexecSync\(|\bnew Function\(|\beval\(/, file)
  }
  assert.deepEqual(starting.sort(), [
    'command-line/stored-sites.ts',
    'deploy/nodes/caddy-process.ts',
    'deploy/nodes/own-caddy.ts',
  ])
})

test('row 15: on-demand certificates require the permission endpoint on loopback', async () => {
  await using elsewhere = await startSites({ BIND_ADDRESS: '192.0.2.1' })
  const json = { ...sayingSite('any', 'x'), domains: ['any.example.org'], tls: { mode: 'on_demand' } }
  const { status, body } = await (await elsewhere.signIn()).json<EditAnswer>('POST', '/api/sites', { json })
  assert.deepEqual([status, body.errors?.[0]?.field], [422, 'tls.mode'])
})

test('row 16: the service’s own host cannot be a site, and a wildcard over it is reported', async () => {
  for (const domain of ['sites.localhost', 'SITES.localhost.']) {
    const { status, body } = await create({ domains: [domain] })
    assert.equal(status, 422)
    assert.match(body.errors?.[0]?.message ?? '', /host of this service itself/)
  }
  const json = { ...sayingSite('wild', 'x'), domains: ['*.localhost'] }
  const preview = await admin.json<{ notes: string[] }>('POST', '/api/sites/preview', { json })
  assert.match(preview.body.notes.join('\n'), /sites\.localhost.*this service/)
})

test('row 17: passwords use bcrypt cost 12, and Caddy caches verified hashes', async () => {
  await makeSite(admin, { ...sayingSite('costly', 'x'), basic_auth: [{ username: 'ada', password: 'correct horse' }] })
  const node = await sites.service.app.deploy.nodes.get(1)
  const text = JSON.stringify((await node?.client.readConfig())?.config)
  assert.match(text, /"password":"\$2[aby]\$12\$/)
  assert.match(text, /"hash_cache":\{\}/)
})

test('row 19: untrusted text is sent as data, to pages that execute none of it', async () => {
  const name = `<img src=x onerror="alert(1)"></script>`
  await makeSite(admin, { ...sayingSite('marked', name), site_name: name })
  const list = await admin.call('GET', '/api/sites?search=onerror')
  assert.match(list.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(list.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(((await list.json()) as { site_name: string }[])[0]?.site_name, name)
  for (const path of ['/', '/sites', `/sites?search=${encodeURIComponent(name)}`, '/docs']) {
    const page = await admin.call('GET', path)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/, path)
    assert.match(/script-src [^;]*/.exec(policy)?.[0] ?? '', /^script-src 'self'(?: 'nonce-[\w-]+')?$/, path)
    assert.ok(!(await page.text()).includes('onerror'), path)
  }
})

test('row 22: the API documentation contains no data and loads nothing external', async () => {
  await makeSite(admin, sayingSite('unheard-of', 'x'))
  for (const path of ['/openapi.json', '/docs', '/redoc']) {
    const text = await (await sites.browser().call('GET', path)).text()
    for (const word of ['unheard-of', sites.folder, 'admin.sock', 'onerror']) assert.ok(!text.includes(word), path)
    assert.doesNotMatch(text, /(?:src|href)="?(?:https?:)?\/\//, path)
  }
})

test('row 18: foreign changes in Caddy are adopted only within the site rules', async () => {
  const site = await makeSite(admin, sayingSite('adopted', 'before'))
  const node = await sites.service.app.deploy.nodes.get(1)
  const { config, etag } = (await node?.client.readConfig()) ?? {}
  const proxy = { handler: 'reverse_proxy', upstreams: [{ dial: '169.254.169.254:80' }] }
  const changed = JSON.parse(JSON.stringify(config), (_, value: { body?: unknown } | null) =>
    value?.body === 'before' ? proxy : value,
  ) as object
  assert.notDeepEqual(changed, config)
  assert.deepEqual(await node?.client.replaceConfig(changed, etag), { kind: 'accepted' })
  const { status, body } = await admin.json<EditAnswer>('POST', '/api/caddy/drift/adopt')
  assert.equal(status, 422, JSON.stringify(body))
  assert.match(body.errors?.[0]?.message ?? '', /metadata/)
  assert.equal((await admin.call('POST', '/api/caddy/drift/restore')).status, 200)
  const kept = await admin.json<{ kind: string }>('GET', `/api/sites/${site.id}`)
  assert.equal(kept.body.kind, 'respond')
})

test('of simultaneous edits of one revision, one succeeds', async () => {
  const site = await makeSite(admin, sayingSite('raced', 'start'))
  const headers = { 'if-match': `"${site.revision}"` }
  const statuses = await Promise.all(
    [1, 2, 3, 4].map(async (index) => {
      const json = { respond: { body: `edit ${index}` } }
      return (await admin.call('PATCH', `/api/sites/${site.id}`, { json, headers })).status
    }),
  )
  assert.deepEqual(
    statuses.sort((one, other) => one - other),
    [200, 412, 412, 412],
  )
})

test('the files named in the table above exist', async () => {
  const [table = ''] = (await readFile(new URL(import.meta.url), 'utf8')).split('\nimport ')
  const names = [...table.matchAll(/(?<=[\s,])(src\/)?([\w./-]+\.test\.ts)/g)]
  assert.ok(names.length > 60, `${names.length}`)
  let folder = ''
  for (const [, isSource, name = ''] of names) {
    // A name without a folder after one with a folder may stand in the same.
    const places = isSource === undefined ? [name, `../src/${folder}/${name}`, `../../../${name}`] : [`../src/${name}`]
    if (isSource !== undefined) folder = name.replace(/\/[^/]*$/, '')
    const found = places.filter((place) => existsSync(new URL(place, import.meta.url)))
    assert.ok(found.length > 0, name)
  }
})
