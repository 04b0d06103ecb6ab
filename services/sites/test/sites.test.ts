import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { Site } from '../src/sites/schema.ts'
import type { Preview } from '../src/sites/preview-schema.ts'
import { startSites } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

const start = () => startSites({}, { caddy: true })

test('the server searches, filters, sorts and pages the list', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const bodies = ['alpha', 'beta', 'gamma'].map((name) => sayingSite(name, name))
  const redirect = {
    site_name: 'Elsewhere',
    domains: ['old.test'],
    kind: 'redirect',
    tls: { mode: 'off' },
    redirect: { to: 'https://new.example.org' },
    enabled: false,
  }
  await Promise.all([...bodies, redirect].map((json) => makeSite(admin, json)))
  const list = async (query: string) => {
    const { status, headers, body } = await admin.json<Site[]>('GET', `/api/sites${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return [Number(headers.get('x-total-count')), body.map((site) => site.site_name)]
  }
  assert.deepEqual(await list(''), [4, ['alpha', 'beta', 'Elsewhere', 'gamma']])
  assert.deepEqual(await list('?search=A.TEST'), [3, ['alpha', 'beta', 'gamma']])
  assert.deepEqual(await list('?search=%25'), [0, []])
  assert.deepEqual(await list('?kind=redirect'), [1, ['Elsewhere']])
  assert.deepEqual(await list('?enabled=true&order=desc&limit=2'), [3, ['gamma', 'beta']])
  assert.deepEqual(await list('?limit=1&offset=3'), [4, ['gamma']])
  assert.deepEqual(await list('?failed=true'), [0, []])
  for (const wrong of ['?limit=0', '?limit=1001', '?sort=secret', '?other=1'])
    assert.equal((await admin.call('GET', `/api/sites${wrong}`)).status, 400, wrong)
})

test('an edit applies only to the revision it was made for', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const site = await makeSite(admin, sayingSite('tagged', 'one'))
  const read = await admin.json<Site>('GET', `/api/sites/${site.id}`)
  assert.equal(read.headers.get('etag'), `"${site.revision}"`)
  const edit = (body: string, tag: string) =>
    admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, {
      json: { respond: { body } },
      headers: { 'if-match': tag },
    })
  const first = await edit('two', `"${site.revision}"`)
  assert.deepEqual([first.status, first.headers.get('etag')], [200, `"${site.revision + 1}"`])
  const late = await edit('three', `"${site.revision}"`)
  assert.deepEqual([late.status, late.body.code], [412, 'revision_changed'])
  assert.equal((await edit('four', 'nonsense')).status, 412)
  assert.equal((await edit('two', '*')).body.status, 'no_change')
  assert.equal((await admin.call('DELETE', `/api/sites/${site.id}`, { headers: { 'if-match': '"1"' } })).status, 412)
  assert.equal((await askHost(sites.caddyPorts[0], 'tagged.test')).text, 'two')
})

test('domains and names are unique, also between simultaneous requests', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await makeSite(admin, sayingSite('mine', 'mine'))
  const answer = async (json: unknown) => {
    const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json })
    return [status, body.code]
  }
  assert.deepEqual(await answer({ ...sayingSite('other', 'x'), domains: ['MINE.test.'] }), [409, 'domain_taken'])
  assert.deepEqual(await answer({ ...sayingSite('new', 'x'), site_name: 'Mine' }), [409, 'name_taken'])
  await admin.csrf()
  const race = await Promise.all(
    [1, 2, 3].map((index) => answer({ ...sayingSite('race', 'x'), site_name: `Race ${index}` })),
  )
  assert.deepEqual(
    race.map(([status]) => Number(status)).sort((a, b) => a - b),
    [201, 409, 409],
  )
})

test('all errors of a site are reported at once, each with its field', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const json = {
    site_name: 'Wrong',
    domains: ['wrong.test'],
    upstreams: [{ url: 'http://169.254.169.254' }],
    tls: { mode: 'auto' },
    request_headers: [{ op: 'set', name: 'X-Key', value: '{env.SECRET}' }],
  }
  const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json })
  assert.equal(status, 422)
  const fields = body.errors?.map(({ field }) => field)
  for (const field of ['upstreams.0.url', 'request_headers.0.value'])
    assert.ok(fields?.includes(field), `${field} is not among ${fields?.join(', ')}`)
  const shape = await admin.json<EditAnswer>('POST', '/api/sites', { json: { ...json, upstream: 1 } })
  assert.equal(shape.status, 422)
  const self = {
    ...json,
    site_name: 'Self',
    domains: ['self.test'],
    tls: { mode: 'off' },
    request_headers: [],
    upstreams: [{ url: sites.url }],
  }
  const mirror = await admin.json<EditAnswer>('POST', '/api/sites', { json: self })
  assert.equal(mirror.status, 422)
  assert.match(mirror.body.errors?.[0]?.message ?? '', /this service/)
  assert.deepEqual((await admin.json('GET', '/api/sites')).body, [])
})

test('passwords are verified by Caddy, kept when omitted, and shown nowhere', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` })
  const site = await makeSite(admin, {
    ...sayingSite('guarded', 'inside'),
    basic_auth: [{ username: 'ada', password: 'correct horse' }],
  })
  assert.deepEqual(site.basic_auth, [{ username: 'ada' }])
  const statusOf = async (password: string) =>
    (await askHost(port, 'guarded.test', { headers: basic(password) })).status
  assert.deepEqual([await statusOf('correct horse'), await statusOf('wrong horse')], [200, 401])
  const same = { json: { basic_auth: [{ username: 'ada' }], respond: { body: 'still' } } }
  assert.equal((await admin.call('PATCH', `/api/sites/${site.id}`, same)).status, 200)
  assert.equal(await statusOf('correct horse'), 200)
  const unknown = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, {
    json: { basic_auth: [{ username: 'eve' }] },
  })
  assert.deepEqual([unknown.status, unknown.body.errors?.[0]?.field], [422, 'basic_auth'])
  const change = { json: { basic_auth: [{ username: 'ada', password: 'another horse' }] } }
  assert.equal((await admin.call('PATCH', `/api/sites/${site.id}`, change)).status, 200)
  assert.deepEqual([await statusOf('correct horse'), await statusOf('another horse')], [401, 200])
  const texts = await Promise.all(
    ['/api/sites', '/api/revisions', '/api/revisions/2/diff', `/api/sites/${site.id}`].map(async (path) =>
      (await admin.call('GET', path)).text(),
    ),
  )
  assert.doesNotMatch(texts.join('\n'), /\$2[aby]\$|JDJ|horse/)
})

test('PUT replaces the whole site with what is sent', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const site = await makeSite(admin, { ...sayingSite('whole', 'one'), compression: 'gzip', max_body: 1000 })
  const put = await admin.json<EditAnswer>('PUT', `/api/sites/${site.id}`, { json: sayingSite('whole', 'two') })
  assert.equal(put.status, 200)
  assert.deepEqual(
    [put.body.site.compression, put.body.site.max_body, put.body.site.respond?.body],
    ['both', null, 'two'],
  )
  assert.equal((await admin.call('PUT', '/api/sites/999', { json: sayingSite('x', 'x') })).status, 404)
})

test('a preview shows the differences and Caddy’s verdict, and changes nothing', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const site = await makeSite(admin, sayingSite('shown', 'before'))
  const preview = async (path: string, json: unknown) => {
    const { status, body } = await admin.json<Preview>('POST', path, { json })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const good = await preview(`/api/sites/${site.id}/preview`, { respond: { body: 'after' } })
  assert.deepEqual([good.is_good, good.issues], [true, []])
  assert.deepEqual(
    good.sites.map(({ site_name: name, change }) => [name, change]),
    [['shown', 'changed']],
  )
  assert.deepEqual(good.sites[0]?.fields, [{ field: 'respond.body', before: 'before', after: 'after' }])
  assert.ok(good.config.some(({ before, after }) => before === 'before' && after === 'after'))
  const fresh = await preview('/api/sites/preview', sayingSite('another', 'x'))
  assert.deepEqual([fresh.is_good, fresh.sites[0]?.change], [true, 'added'])
  const wrong = await preview('/api/sites/preview', { ...sayingSite('wrong', 'x'), domains: ['shown.test'] })
  assert.equal(wrong.is_good, null)
  assert.match(wrong.issues[0]?.field ?? '', /^domains/)
  assert.equal((await askHost(sites.caddyPorts[0], 'shown.test')).text, 'before')
})

test('raw directives require the setting and a recent confirmation', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const raw = {
    site_name: 'Raw',
    domains: ['raw.test'],
    kind: 'raw',
    tls: { mode: 'off' },
    raw_directives: 'respond "raw words" 418',
  }
  const off = await admin.json<EditAnswer>('POST', '/api/sites', { json: raw })
  assert.deepEqual([off.status, off.body.errors?.[0]?.field], [422, 'kind'])
  assert.equal((await admin.call('PATCH', '/api/v1/settings', { json: { allow_raw: true } })).status, 200)
  const site = await makeSite(admin, raw)
  const served = await askHost(sites.caddyPorts[0], 'raw.test')
  assert.deepEqual([served.status, served.text], [418, 'raw words'])
  for (const text of [
    'import /etc/passwd',
    'respond {env.HOME}',
    'respond a\n}\nother.test {\nrespond b',
    'root * /etc\nfile_server',
    'reverse_proxy 169.254.169.254',
  ]) {
    const refused = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { raw_directives: text } })
    assert.equal(refused.status, 422, text)
    assert.doesNotMatch(JSON.stringify(refused.body), /root:x/)
  }
})

test('a site in maintenance says so, and is served again afterwards', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  const site = await makeSite(admin, sayingSite('closed', 'open'))
  await admin.call('PATCH', `/api/sites/${site.id}`, { json: { maintenance_mode: true } })
  const closed = await askHost(port, 'closed.test')
  assert.equal(closed.status, 503)
  assert.ok(closed.headers['retry-after'] !== undefined)
  await admin.call('PATCH', `/api/sites/${site.id}`, { json: { maintenance_mode: false } })
  assert.deepEqual(
    [(await askHost(port, 'closed.test')).status, (await askHost(port, 'closed.test')).text],
    [200, 'open'],
  )
  await admin.call('PATCH', `/api/sites/${site.id}`, { json: { enabled: false } })
  assert.equal((await askHost(port, 'closed.test')).status, 404)
  assert.equal((await admin.json<Site>('GET', `/api/sites/${site.id}`)).body.apply_state, 'disabled')
})

test('a request behaves as explained', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await makeSite(admin, {
    ...sayingSite('clear', 'as explained'),
    redirects: [{ from: '/old', to: '/new', code: 301 }],
  })
  const explain = async (url: string) =>
    (
      await admin.json<{ site: { site_name: string } | null; answer: { kind: string; status?: number } }>(
        'GET',
        `/api/sites/explain?url=${encodeURIComponent(url)}`,
      )
    ).body
  const page = await explain('http://clear.test/page')
  assert.deepEqual([page.site?.site_name, page.answer.kind, page.answer.status], ['clear', 'respond', 200])
  assert.equal(
    (await explain('http://clear.test/old')).answer.status,
    (await askHost(sites.caddyPorts[0], 'clear.test', { path: '/old' })).status,
  )
  assert.equal((await explain('http://nobody.test/')).site, null)
  assert.equal((await admin.call('GET', '/api/sites/explain?url=ftp://x')).status, 400)
})

test('the root certificate of Caddy’s internal CA can be downloaded', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await makeSite(admin, { ...sayingSite('internal', 'x'), tls: { mode: 'internal' } })
  const file = await admin.call('GET', '/api/nodes/1/authority')
  assert.equal(file.status, 200)
  assert.match(await file.text(), /^-----BEGIN CERTIFICATE-----/)
})

test('a preview validates directives and is not affected by a quarantined site', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await admin.call('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
  const directives = (text: string) => ({ kind: 'raw', tls: { mode: 'off' }, raw_directives: text })
  const odd = '@odd header_regexp X-Test ([\nrespond @odd hello'
  const raw = await makeSite(admin, { site_name: 'raw', domains: ['raw.test'], ...directives('respond before') })
  const preview = async (path: string, json: unknown) => (await admin.json<Preview>('POST', path, { json })).body
  const good = await preview(`/api/sites/${raw.id}/preview`, { raw_directives: 'respond after' })
  assert.deepEqual([good.is_good, good.config_changes > 0], [true, true])
  const refused = await preview(`/api/sites/${raw.id}/preview`, { raw_directives: odd })
  assert.equal(refused.is_good, false)
  assert.match(refused.caddy_error ?? '', /regexp/)
  const unknown = await preview(`/api/sites/${raw.id}/preview`, { raw_directives: 'nonsense' })
  assert.deepEqual([unknown.is_good, unknown.issues[0]?.field], [null, 'raw_directives'])
  const bad = { site_name: 'bad', domains: ['bad.test'], ...directives(odd) }
  assert.equal((await admin.call('POST', '/api/sites?wait=false', { json: bad })).status, 201)
  await eventually(
    async () => (await admin.json<Site[]>('GET', '/api/sites?search=bad')).body[0]?.apply_state,
    (state) => state === 'failed',
  )
  assert.equal((await preview('/api/sites/preview', sayingSite('fine', 'fine'))).is_good, true)
})
