import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankDraft, blankPath, blankUpstream } from './blank-draft.ts'
import { carriedOver, changesOf, typedMembers, upstreamsOf, valueAt, wireOf, withValue } from './draft.ts'

test('only changed fields are sent, and a reverted change is not', () => {
  const changed = withValue(withValue(blankDraft, 'tls.staging', true), 'site_name', 'Shop')
  assert.deepEqual(changesOf(blankDraft, changed), { site_name: 'Shop', tls: { ...blankDraft.tls, staging: true } })
  assert.deepEqual(changesOf(blankDraft, withValue(withValue(changed, 'tls.staging', false), 'site_name', '')), {})
})

test('a trailing empty row is not sent, an emptied row between others is', () => {
  assert.deepEqual(wireOf(blankDraft).upstreams, [])
  const rows = ['http://a:1', '', 'http://b:1', ' '].map((url) => Object.assign({}, blankUpstream, { url }))
  assert.deepEqual(
    wireOf({ ...blankDraft, upstreams: rows }).upstreams?.map(({ url }) => url),
    ['http://a:1', '', 'http://b:1'],
  )
})

test('fields of another kind stay in the draft and are not sent', () => {
  const draft = withValue(withValue(blankDraft, 'kind', 'redirect'), 'redirect.to', 'https://example.org')
  const { upstreams, redirect, respond, raw_directives: raw } = wireOf(draft)
  assert.deepEqual([upstreams, respond, raw], [[], null, null])
  assert.equal(redirect?.to, 'https://example.org')
})

test('a password that was not typed is not sent, so the stored one is kept', () => {
  const users = [
    { username: 'ada', password: '' },
    { username: 'bob', password: 'tall-giraffe' },
  ]
  assert.deepEqual(wireOf({ ...blankDraft, basic_auth: users }).basic_auth, [
    { username: 'ada' },
    { username: 'bob', password: 'tall-giraffe' },
  ])
})

test('local changes are merged into a version stored by somebody else', () => {
  const mine = withValue(blankDraft, 'compression', 'gzip')
  const theirs = { ...blankDraft, site_name: 'Renamed', compression: 'off' as const }
  const { site_name: name, compression } = carriedOver(blankDraft, mine, theirs)
  assert.deepEqual([name, compression], ['Renamed', 'gzip'])
})

test('a field path reaches into rows', () => {
  const draft = { ...blankDraft, paths: [blankPath] }
  const next = withValue(draft, 'paths.0.lb.retries', 3)
  assert.equal(valueAt(next, 'paths.0.lb.retries'), 3)
  assert.equal(valueAt(draft, 'paths.0.lb.retries'), 0)
  assert.equal(valueAt(draft, 'paths.7.lb.retries'), undefined)
})

const rowsOf = (...urls: string[]) => urls.map((url) => ({ url, weight: 1, max_requests: null }))

test('the upstreams of a proxy and its paths are checked once each, except incomplete ones', () => {
  const upstreams = rowsOf('http://10.0.0.5:8080 ', 'http://', '', '10.0.0.6', 'unix//run/app.sock')
  const paths = [
    { ...blankPath, kind: 'proxy' as const, upstreams: rowsOf('http://10.0.0.5:8080', 'https://a.test') },
    { ...blankPath, kind: 'respond' as const, upstreams: rowsOf('http://b.test') },
  ]
  assert.deepEqual(upstreamsOf({ ...blankDraft, upstreams, paths }), [
    'http://10.0.0.5:8080',
    'unix//run/app.sock',
    'https://a.test',
  ])
  assert.deepEqual(upstreamsOf({ ...blankDraft, kind: 'respond', upstreams }), [])
})

test('the fields typed for a new site are listed without passwords', () => {
  const typed = typedMembers({
    site_name: 'Shop',
    domains: ['shop.test'],
    tls: { ...blankDraft.tls, mode: 'off' },
    basic_auth: [{ username: 'ada', password: 'tall-giraffe' }],
  })
  assert.deepEqual(typed, [
    { field: 'domains', after: ['shop.test'] },
    { field: 'tls.mode', after: 'off' },
    { field: 'basic_auth', after: ['ada'] },
  ])
})
