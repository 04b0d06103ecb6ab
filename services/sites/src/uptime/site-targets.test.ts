import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRecord } from '../../test/site-makers.ts'
import { offReason, siteTarget } from './site-targets.ts'

const site = (members: object, isServed = true) => ({
  id: 1,
  name: 'A',
  servers: isServed ? [{ id: 1, name: 'caddy', endpoint: undefined }] : [],
  record: makeRecord({ site_name: 'A', domains: ['a.test'], upstreams: [{ url: 'http://10.0.0.5' }], ...members }),
})

test('a name is requested where there is one, and one below the wildcard otherwise', () => {
  const hostOf = (domains: string[]) => siteTarget(site({ domains }), false).host
  assert.equal(hostOf(['*.a.test', 'b.test']), 'b.test')
  assert.equal(hostOf(['*.a.test']), 'hearth-check.a.test')
})

test('only certificates of public authorities must be trusted by this machine', () => {
  const needs = (tls: object, hasOwnAuthority = false) => siteTarget(site({ tls }), hasOwnAuthority).needsTrust
  assert.equal(needs({ mode: 'auto' }), true)
  assert.equal(needs({ mode: 'auto' }, true), false)
  assert.equal(needs({ mode: 'auto', staging: true }), false)
  assert.equal(needs({ mode: 'auto', acme_ca: 'https://ca.test/directory' }), false)
  assert.equal(needs({ mode: 'internal' }), false)
})

test('what is off, not served, or would order a certificate is not checked', () => {
  assert.equal(offReason(site({})), undefined)
  assert.match(offReason(site({ enabled: false })) ?? '', /switched off/)
  assert.match(offReason(site({ check: { enabled: false } })) ?? '', /Checks/)
  assert.match(offReason(site({}, false)) ?? '', /not serve/)
  assert.match(offReason(site({ domains: ['*.a.test'], tls: { mode: 'on_demand' } })) ?? '', /order a certificate/)
  assert.equal(offReason(site({ domains: ['a.test'], tls: { mode: 'on_demand' } })), undefined)
})
