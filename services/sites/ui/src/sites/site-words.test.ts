import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf } from './site.ts'
import { gistOf, stateOf, targetOf, saveMessage, withMore } from './site-words.ts'

const tls = (mode: 'auto' | 'off') => ({
  mode,
  min_version: '1.2' as const,
  acme_ca: null,
  staging: false,
  certificate_id: null,
  client_auth_ca_id: null,
})

test('a site’s address shows a port only if it is not the default, and no wildcard', () => {
  const usual = { http: 80, https: 443 }
  const domains = ['*.example.org', 'example.org']
  assert.equal(addressOf({ domains, tls: tls('auto') }, usual), 'https://example.org/')
  assert.equal(addressOf({ domains, tls: tls('off') }, { http: 8080, https: 443 }), 'http://example.org:8080/')
  assert.equal(addressOf({ domains: ['*.example.org'], tls: tls('auto') }, usual), undefined)
})

test('the reason a site is not served comes first', () => {
  const state = (enabled: boolean, apply: 'applied' | 'failed' | 'pending' | 'disabled', isAtWork: boolean) =>
    stateOf({ enabled, apply_state: apply, applied_revisions: { caddy: 1 }, maintenance_mode: isAtWork }).text
  assert.equal(state(true, 'applied', false), 'Served')
  assert.equal(state(true, 'applied', true), 'Maintenance')
  assert.equal(state(true, 'failed', true), 'Change refused')
  assert.equal(state(false, 'disabled', true), 'Off')
  assert.equal(state(true, 'pending', false), 'Pending')
})

test('served, served but failing, and not served differ', () => {
  const site = {
    enabled: true,
    apply_state: 'applied',
    applied_revisions: { caddy: 1 },
    maintenance_mode: false,
  } as const
  const [up, down, unknown] = [{ up: true }, { up: false }, { up: null }]
  assert.deepEqual(stateOf(site, [up, unknown]), { tone: 'good', text: 'Served' })
  assert.deepEqual(stateOf(site, [up, down]), { tone: 'warn', text: 'Degraded' })
  assert.deepEqual(stateOf(site, [down, down]), { tone: 'bad', text: 'Failing' })
  const refused = { ...site, apply_state: 'failed', applied_revisions: {} } as const
  assert.deepEqual(stateOf(refused, [up]), { tone: 'bad', text: 'Not served' })
})

test('a target shows the first upstream and counts the others', () => {
  assert.equal(withMore(['a', 'b', 'c']), 'a and 2 more')
  const upstreams = [{ url: 'http://10.0.0.5:80', weight: 1, max_requests: null }]
  assert.equal(
    targetOf({ kind: 'proxy', upstreams, redirect: null, static: null, respond: null, status_page: null }),
    'http://10.0.0.5:80',
  )
})

test('the end of Caddy’s message is shown as its summary', () => {
  const words =
    'loading new config: loading http app module: compiling matcher regexp ([: error parsing regexp: missing closing ]'
  assert.equal(gistOf(words), 'compiling matcher regexp ([: error parsing regexp: missing closing ]')
  assert.equal(gistOf('short'), 'short')
})

test('the message of an edit is plain when Caddy has it, and names the problem otherwise', () => {
  const message = (sync_status: 'synced' | 'no_change' | 'pending' | 'unknown', sync_error: string | null = null) =>
    saveMessage({ sync_status, sync_error }, 'Saved')
  assert.equal(message('synced'), 'Saved')
  assert.equal(message('no_change'), 'Saved')
  assert.equal(message('pending'), 'Saved. Caddy receives the change shortly.')
  assert.match(message('unknown'), /^Saved\. The connection to Caddy broke off/)
  assert.equal(message('pending', 'caddy is not reachable'), 'Saved. caddy is not reachable')
})
