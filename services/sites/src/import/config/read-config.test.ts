import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileConfig } from '../../caddy/compile.ts'
import type { CompiledSite } from '../../caddy/desired-state.ts'
import { makeNode, makeRecord, makeSite } from '../../../test/site-makers.ts'
import { readConfig } from './read-config.ts'

const hash = '$2a$12$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG'

/** Reads compiled sites back, as records by number. */
function back(sites: CompiledSite[], age: 'oldest' | 'newest') {
  const node = makeNode(age, { logFile: '/var/log/access.log', siteLogDirectory: '/var/log/sites' })
  const { config } = compileConfig({ sites, options: { catchAll: 'not_found' } }, node)
  // As Caddy gives it back: texts with sorted keys.
  const running: unknown = JSON.parse(JSON.stringify(config))
  const { sites: found, report } = readConfig(running, { isOurs: true, authorityOf: ([first]) => Number(first) })
  return { found, report }
}

const proxied = { upstreams: [{ url: 'http://10.0.0.5:8080' }] }
const cases: Record<string, Parameters<typeof makeSite>[1]> = {
  'plain proxy': { site_name: 'a', domains: ['a.example.org'], ...proxied },
  'every member of a proxy': {
    site_name: 'a',
    domains: ['a.example.org', 'www.example.org', '*.a.example.org'],
    upstreams: [
      { url: 'https://10.0.0.5:8443', weight: 3, max_requests: 10 },
      { url: 'https://[fd00::1]:8443', weight: 1 },
    ],
    upstream_host: 'upstream',
    lb: { policy: 'least_conn', retries: 2, try_duration: 1.5 },
    health: {
      active: { path: '/up?x=1', interval: 10, timeout: 2.5, expect_status: 204, host_header: 'up.example.org' },
      passive: { fail_duration: 20, max_fails: 3, unhealthy_status: [5, 429], unhealthy_latency: 3 },
    },
    timeouts: { dial: 3, read: 30.5, write: 20, flush: 'immediate' },
    upstream_tls: { verify: false, server_name: 'inner.example.org', http_versions: ['1.1'] },
    tls: { mode: 'internal', min_version: '1.3' },
    hsts: { max_age: 600, subdomains: true, preload: true },
    request_headers: [
      { op: 'set', name: 'X-One', value: '{http.request.host} {odd} "quoted"' },
      { op: 'delete', name: 'X-Two' },
      { op: 'default', name: 'X-Three', value: 'c' },
      { op: 'add', name: 'X-One', value: 'again' },
    ],
    response_headers: [
      { op: 'set', name: 'X-One', value: 'a' },
      { op: 'add', name: 'X-One', value: 'b' },
      { op: 'default', name: 'Cache-Control', value: 'no-cache' },
      { op: 'delete', name: 'Server' },
    ],
    compression: 'zstd',
    access: { allow: ['10.0.0.0/8'], deny: ['10.9.0.0/16', '10.8.0.1'], noindex: true, block_bots: true },
    max_body: 1_000_000,
    error_page: '<h1>{sorry}</h1>',
    log: { enabled: false },
  },
  'guards and paths': {
    site_name: 'a',
    domains: ['a.example.org'],
    ...proxied,
    force_https: false,
    basic_auth: [{ username: 'bob' }, { username: 'eve' }],
    forward_auth: {
      url: 'https://10.0.0.9:9091',
      uri: '/api/verify?rd=x',
      copy_headers: ['Remote-Groups', 'Remote-User'],
    },
    paths: [
      {
        path: '/static/files',
        strip: true,
        kind: 'static',
        static: { root: '/srv/www', browse: true, fallback: '/index.html' },
      },
      { path: '/gone', match: 'exact', kind: 'respond', respond: { status: 410, body: 'gone {for} ever' } },
      {
        path: '/api',
        strip: true,
        kind: 'proxy',
        upstreams: [{ url: 'h2c://10.0.0.6:90' }],
        request_headers: [{ op: 'set', name: 'X', value: 'y' }],
        response_headers: [{ op: 'set', name: 'X', value: 'y' }],
      },
      { path: '/old', kind: 'redirect', redirect: { to: 'https://old.example.org', keep_path: true } },
      { path: '/', kind: 'respond', respond: {} },
    ],
    redirects: [
      { from: '/elsewhere/*', to: 'https://other.example.org/x', code: 301, keep_path: true },
      { from: '/moved/*', to: '/new', code: 302 },
      { from: '/three/*', to: '/four', keep_path: true },
      { from: '/one', to: '/two' },
    ],
    maintenance_mode: true,
    maintenance: { allow: ['192.0.2.0/24'], retry_after: 60, page: '<p>{soon}</p>' },
    log: { own_file: true },
  },
  'redirect to another host': {
    site_name: 'a',
    domains: ['a.example.org'],
    kind: 'redirect',
    redirect: { to: 'https://b.example.org/x', code: 301 },
  },
  'redirect to a path': {
    site_name: 'a',
    domains: ['a.example.org'],
    kind: 'redirect',
    redirect: { to: '/x', keep_path: false, code: 302 },
  },
  'redirect that keeps its host': {
    site_name: 'a',
    domains: ['a.example.org'],
    kind: 'redirect',
    redirect: { to: '/x' },
  },
  files: {
    site_name: 'a',
    domains: ['a.example.org'],
    kind: 'static',
    static: { root: '/srv/{www}', index: ['index.htm', 'x.html'] },
    tls: { mode: 'off' },
    force_https: false,
  },
  'an answer': {
    site_name: 'a',
    domains: ['192.0.2.1', '::1'],
    kind: 'respond',
    respond: { status: 404, body: '{"a":1}', content_type: 'application/json' },
    tls: { mode: 'internal' },
  },
  'on demand from another authority': {
    site_name: 'a',
    domains: ['a.example.org'],
    ...proxied,
    tls: { mode: 'on_demand', acme_ca: 'https://ca.example.org/dir' },
  },
  'staging, without a public name': {
    site_name: 'a',
    domains: ['a.test'],
    ...proxied,
    tls: { staging: true },
    compression: 'off',
  },
}

describe('compiled configurations are read back', () => {
  for (const age of ['oldest', 'newest'] as const)
    for (const [name, input] of Object.entries(cases))
      test(`${name}, ${age} Caddy`, () => {
        const hashes = Object.fromEntries((input.basic_auth ?? []).map(({ username }) => [username, hash]))
        const { found, report } = back([makeSite(7, input, { passwordHashes: hashes })], age)
        assert.deepEqual(report, [])
        assert.equal(found.length, 1)
        assert.equal(found[0]?.id, 7)
        assert.deepEqual(found[0]?.hashes, hashes)
        const expected = makeRecord({ ...input, site_name: input.domains?.[0] ?? '' })
        // Shares count only with the policy that reads them.
        for (const upstream of expected.upstreams) upstream.weight = 1
        assert.deepEqual(makeRecord(found[0].site), expected)
      })
})
