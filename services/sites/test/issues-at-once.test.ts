import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../src/sites/schema.ts'
import { startSites } from './in-process.ts'
import { makeSite, sayingSite, type EditAnswer } from './served.ts'

const fieldsOf = ({ errors = [] }: EditAnswer) =>
  errors.map(({ field = '' }) => field).toSorted((a, b) => (a < b ? -1 : 1))

test('one response lists schema errors and rule violations of a site', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const wrong = {
    site_name: 'wrong',
    domains: ['wrong.test'],
    tls: { mode: 'off' },
    upstreams: [{ url: 'http://169.254.169.254' }],
    compression: 'brotli',
    hsts: { max_age: 'long' },
    basic_auth: [{ username: 'ada' }],
    forward_auth: { url: 'ftp://nowhere', uri: '/' },
    unknown_member: 1,
  }
  const expected = [
    'basic_auth',
    'compression',
    'forward_auth.url',
    'hsts.max_age',
    'unknown_member',
    'upstreams.0.url',
  ]
  const site = await makeSite(admin, sayingSite('there', 'there'))
  const path = `/api/sites/${site.id}`
  const { site_name: _, domains: __, ...changes } = wrong
  for (const [method, where, json] of [
    ['POST', '/api/sites', wrong],
    ['POST', '/api/sites/preview', wrong],
    ['PUT', path, wrong],
    ['PATCH', path, { ...changes, kind: 'proxy' }],
    ['POST', `${path}/preview`, { ...changes, kind: 'proxy' }],
  ] as const) {
    const { status, body } = await admin.json<EditAnswer>(method, where, { json })
    assert.deepEqual([status, fieldsOf(body)], [422, expected], `${method} ${where}: ${JSON.stringify(body)}`)
  }
  const { body } = await admin.json<EditAnswer>('POST', '/api/sites', { json: { upstreams: [{ url: 'ftp://a' }] } })
  assert.deepEqual(fieldsOf(body), ['domains', 'site_name', 'upstreams.0.url'])
})

test('an unreadable change to an unknown site reports only the schema errors', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  for (const [method, path] of [
    ['PATCH', '/api/sites/1'],
    ['POST', '/api/sites/1/preview'],
  ] as const) {
    const { status, body } = await admin.json<EditAnswer>(method, path, { json: { compression: 'brotli' } })
    assert.deepEqual([status, fieldsOf(body)], [422, ['compression']], `${method} ${path}: ${JSON.stringify(body)}`)
  }
})

test('a user without a password is reported along with everything else', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const json = { ...sayingSite('users', ''), basic_auth: [{ username: 'ada' }], tls: { mode: 'custom' } }
  const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json })
  assert.deepEqual([status, fieldsOf(body)], [422, ['basic_auth', 'tls.certificate_id']])
})

test('directives for a site of another kind are refused while raw is off, and nothing is stored', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const json = { ...sayingSite('tame', 'tame'), raw_directives: 'respond "wild"' }
  const made = await admin.json<EditAnswer>('POST', '/api/sites', { json })
  assert.deepEqual([made.status, fieldsOf(made.body)], [422, ['raw_directives']], JSON.stringify(made.body))
  const site = await makeSite(admin, sayingSite('tame', 'tame'))
  for (const name of ['raw_directives', 'caddy_directives']) {
    const edit = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { [name]: 'respond "wild"' } })
    assert.deepEqual([edit.status, fieldsOf(edit.body)], [422, ['raw_directives']])
  }
  assert.equal((await admin.json<Site>('GET', `/api/sites/${site.id}`)).body.raw_directives, null)
  const none = { ...sayingSite('tame', 'other'), raw_directives: null }
  assert.equal((await admin.call('PATCH', `/api/sites/${site.id}`, { json: none })).status, 200)
})
