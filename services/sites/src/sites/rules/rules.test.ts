import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { z } from 'zod'
import { makeRuleContext } from '../../../test/rule-contexts.ts'
import { createDomainIndex } from '../domains.ts'
import type { RuleContext } from './rule-context.ts'
import { checkSite } from './rules.ts'
import { SiteCreate } from '../schema.ts'

type Input = Partial<z.input<typeof SiteCreate>>

const base: Input = { site_name: 'a', domain: 'a.example.org', upstreams: [{ url: 'http://10.0.0.5:8080' }] }

function check(input: Input, context: Partial<RuleContext> = {}) {
  const given = input.domains ? { ...base, domain: undefined, ...input } : { ...base, ...input }
  return checkSite(SiteCreate.parse(given), makeRuleContext(context))
}
const errorsOf = (...what: Parameters<typeof check>) =>
  check(...what).errors.map(({ field, message }) => `${field}: ${message}`)

/** Fails unless the only finding is about the field and says something like the words. */
function refused(input: Input, field: string, words: RegExp, context: Partial<RuleContext> = {}): void {
  const { errors } = check(input, context)
  assert.deepEqual(
    errors.map((issue) => issue.field),
    [field],
    JSON.stringify(errors),
  )
  assert.match(errors[0]?.message ?? '', words)
}

const others: Partial<RuleContext> = {
  domains: createDomainIndex([
    { id: 7, site_name: 'Seven', domains: ['seven.example.org', '*.wild.example.org'] },
    { id: 8, site_name: 'Eight', domains: ['x.many.example.org', 'y.many.example.org'] },
  ]),
  siteOfName: (name) => (name.toLowerCase() === 'seven' ? 7 : undefined),
}

describe('site rules', () => {
  test('a plain site passes, and all errors are reported at once', () => {
    assert.deepEqual(check({}), { errors: [], warnings: [] })
    const found = errorsOf({
      upstreams: [{ url: 'ftp://x' }],
      access: { allow: ['10.0.0.0/33'] },
      tls: { mode: 'custom' },
      redirects: [{ from: 'old', to: 'new' }],
    })
    assert.equal(found.length, 5, found.join('\n'))
  })

  test('a domain and a site name are unique', () => {
    refused({ domain: 'seven.example.org' }, 'domains.0', /belongs to the site "Seven"/, others)
    assert.deepEqual(errorsOf({ domain: 'seven.example.org', site_name: 'SEVEN' }, { ...others, siteId: 7 }), [])
    refused({ site_name: 'SEVEN' }, 'site_name', /another site/, others)
    refused({ domain: 'Sites.House.test', tls: { mode: 'internal' } }, 'domains.0', /this service itself/)
  })

  test('overlapping wildcards are allowed and reported', () => {
    const internal = { tls: { mode: 'internal' } } as const
    const warningsOf = (domain: string) => check({ domain, ...internal }, others).warnings.map(({ message }) => message)
    assert.deepEqual(warningsOf('a.wild.example.org'), [
      'a.wild.example.org is taken out of *.wild.example.org of the site "Seven"',
    ])
    assert.deepEqual(warningsOf('*.many.example.org'), [
      'x.many.example.org stays with the site "Eight"',
      'y.many.example.org stays with the site "Eight"',
    ])
    assert.deepEqual(warningsOf('a.b.wild.example.org'), [])
  })

  test('public certificates require public names', () => {
    for (const domain of ['192.0.2.1', '2001:db8::1', 'nas', 'nas.local', 'a.internal', 'b.test', 'c.home.arpa'])
      refused({ domain }, 'domains.0', /no public authority signs/)
    refused({ domain: '*.example.org' }, 'domains.0', /proof by DNS/)
    for (const mode of ['internal', 'off'] as const)
      assert.deepEqual(errorsOf({ domain: 'nas 192.0.2.1', tls: { mode } }), [])
    assert.deepEqual(errorsOf({ domain: '*.example.org', tls: { mode: 'on_demand' } }), [])
    refused({ tls: { mode: 'on_demand' } }, 'tls.mode', /on_demand_ask/, { hasOnDemandAsk: false })
  })

  test('TLS fields are allowed only in their modes', () => {
    refused({ tls: { mode: 'custom' } }, 'tls.certificate_id', /required/)
    refused({ tls: { mode: 'custom', certificate_id: 9 } }, 'tls.certificate_id', /no uploaded/)
    refused({ tls: { mode: 'internal', certificate_id: 1 } }, 'tls.certificate_id', /custom/)
    refused({ tls: { mode: 'internal', staging: true } }, 'tls.staging', /auto/)
    refused({ tls: { acme_ca: 'https://ca.example.org/{env.X}' } }, 'tls.acme_ca', /braces/)
    refused(
      { domain: '192.0.2.1', tls: { mode: 'internal', client_auth_ca_id: 1 } },
      'tls.client_auth_ca_id',
      /names no server/,
    )
    refused(
      { domain: '192.0.2.1', tls: { mode: 'internal', min_version: '1.3' } },
      'tls.min_version',
      /names no server/,
    )
    refused({ tls: { mode: 'off' }, hsts: {} }, 'hsts', /TLS/)
    refused({ hsts: { preload: true } }, 'hsts.preload', /subdomains/)
  })

  test('each kind requires its own fields', () => {
    refused({ upstreams: [] }, 'upstreams', /at least one/)
    refused({ kind: 'redirect' }, 'redirect', /required/)
    refused({ kind: 'static' }, 'static', /required/)
    refused({ kind: 'respond' }, 'respond', /required/)
    refused({ kind: 'raw' }, 'raw_directives', /required/)
    refused({ kind: 'raw', raw_directives: 'respond ok' }, 'kind', /allow_raw/, { allowsRaw: false })
    refused({ paths: [{ path: '/x', kind: 'proxy' }] }, 'paths.0.upstreams', /at least one/)
  })

  test('an upstream is never this service, the admin API or a metadata service, under any name', () => {
    const hosts = [
      '127.0.0.1',
      'localhost',
      'LOCALHOST',
      'x.localhost',
      '127.9.9.9',
      '[::1]',
      '0.0.0.0',
      '[::ffff:127.0.0.1]',
      '192.168.1.10',
      'server.house.test',
      'localhost.',
    ]
    for (const host of hosts)
      for (const port of [8104, 2019])
        refused({ upstreams: [{ url: `http://${host}:${port}` }] }, 'upstreams.0.url', /must not be a site/)
    refused({ upstreams: [{ url: 'unix//run/caddy/admin.sock' }] }, 'upstreams.0.url', /must not be a site/)
    refused({ forward_auth: { url: 'http://localhost:2019' } }, 'forward_auth.url', /must not be a site/)
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', 'metadata.google.internal'])
      refused({ upstreams: [{ url: `http://${host}:80` }] }, 'upstreams.0.url', /metadata/)
    for (const host of ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '10.0.0.256'])
      refused({ upstreams: [{ url: `http://${host}:8104` }] }, 'upstreams.0.url', /four plain numbers/)
    assert.deepEqual(errorsOf({ upstreams: [{ url: 'http://127.0.0.1:3000' }, { url: 'http://10.0.0.1:2019' }] }), [])
  })

  test('an upstream has only scheme, host and port', () => {
    for (const [url, words] of [
      ['10.0.0.1:80', /must start with/],
      ['ftp://a:1', /must start with/],
      ['http://u:p@a:1', /user name/],
      ['http://a:1/path', /no more than/],
      ['http://a:1?x', /no more than/],
      ['http://a:0', /port/],
      ['http://a:65536', /port/],
      ['http://{env.X}:1', /host name/],
      ['http://[1::2::3]:1', /IPv6/],
      ['unix//run/apps/../caddy/admin.sock', /absolute path/],
      ['unix//run/other/a.sock', /directories/],
    ] as const)
      refused({ upstreams: [{ url }] }, 'upstreams.0.url', words)
    refused({ upstreams: [{ url: 'http://a:1' }, { url: 'https://b:1' }] }, 'upstreams', /all be/)
    assert.deepEqual(errorsOf({ upstreams: [{ url: 'unix//run/apps/a.sock' }, { url: 'http://a' }] }), [])
    assert.match(check({ upstreams: [{ url: 'http://127.0.0.1:80' }] }).warnings[0]?.message ?? '', /circle/)
  })

  test('header names are tokens, values are single-line and contain no machine placeholders', () => {
    const header = (name: string, value = '', op: 'set' | 'delete' = 'set') => ({
      response_headers: [{ op, name, value }],
    })
    for (const name of ['X Y', 'X:Y', 'X\r\nY', 'Ü', '{env.X}', 'X*'])
      refused(header(name), 'response_headers.0.name', /header name/)
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Upgrade'])
      refused(header(name), 'response_headers.0.name', /cannot be changed/)
    for (const value of ['a\r\nb', 'a\nb', 'a\0b'])
      refused(header('X', value), 'response_headers.0.value', /line breaks/)
    for (const value of [
      '{env.HOME}',
      '{ENV.HOME}',
      '{file./etc/passwd}',
      '{system.hostname}',
      '{$HOME}',
      '{http.vars.x}',
    ])
      refused(header('X', value), 'response_headers.0.value', /placeholder/)
    refused(header('X', 'v', 'delete'), 'response_headers.0.value', /empty/)
    refused({ request_headers: [{ op: 'set', name: 'X', value: 'x'.repeat(8192) }] }, 'request_headers', /8192/)
    assert.deepEqual(errorsOf(header('Content-Security-Policy', "default-src 'self'; {http.request.host} {json}")), [])
  })

  test('networks must be addresses or CIDR ranges', () => {
    const bad = ['10.0.0.0/33', '10.0.0', 'fe80::1%eth0', '10.0.0.0/08', 'private_ranges', '::/129', '{env.X}']
    for (const network of bad)
      refused({ access: { allow: [network] } }, 'access.allow.0', /must be an address|too long/)
    refused({ maintenance: { allow: ['x'] } }, 'maintenance.allow.0', /must be/)
    assert.deepEqual(errorsOf({ access: { allow: ['10.0.0.0/8', '::1', '2001:db8::/32'], deny: ['10.1.2.3'] } }), [])
  })

  test('user names are unique, and passwords fit bcrypt’s length limit', () => {
    const user = (username: string, password?: string) => ({ username, ...(password !== undefined && { password }) })
    refused({ basic_auth: [user('ann')] }, 'basic_auth', /ann needs a password/)
    assert.deepEqual(errorsOf({ basic_auth: [user('ann')] }, { storedUsers: ['ann'] }), [])
    refused({ basic_auth: [user('a:b', 'long enough')] }, 'basic_auth.0.username', /colons/)
    refused({ basic_auth: [user('ann', 'long enough'), user('ann', 'long enough')] }, 'basic_auth.1.username', /twice/)
    refused({ basic_auth: [user('ann', 'ü'.repeat(40))] }, 'basic_auth.0.password', /72 bytes/)
  })

  test('static files stay below the configured directories', () => {
    const root = (path: string) => ({ kind: 'static', static: { root: path } }) as const
    for (const path of [
      '/etc',
      '/srv',
      '/srv/wwwroot',
      '/srv/www/../../etc',
      '/srv/www/./x',
      'srv/www',
      '/srv/www/{env.X}',
      '/srv//www',
    ])
      refused(root(path), 'static.root', /must/)
    refused(root('/srv/www'), 'static.root', /no directory/, { staticBases: [] })
    for (const path of ['/srv/www', '/srv/www/', '/srv/www/a b/ü']) assert.deepEqual(errorsOf(root(path)), [])
    const files = (members: object) => ({ kind: 'static', static: { root: '/srv/www', ...members } }) as const
    refused(files({ index: ['../x'] }), 'static.index.0', /plain name/)
    refused(files({ fallback: '/../x' }), 'static.fallback', /path of a file/)
  })

  test('redirects never loop and never follow a host chosen by the visitor', () => {
    const to = (target: string) => ({ kind: 'redirect', redirect: { to: target, keep_path: false } }) as const
    refused(to('/here'), 'redirect.to', /itself/)
    refused(to('//evil.test'), 'redirect.to', /must be an http/)
    refused(to('javascript:alert(1)'), 'redirect.to', /must be an http/)
    refused(to('https://{http.request.uri.query.to}/'), 'redirect.to', /fixed host/)
    refused(to('https://good.test@evil.test/'), 'redirect.to', /fixed host/)
    refused(to('https://x.test/{env.HOME}'), 'redirect.to', /placeholder/)
    refused(to('https://x.test/a\r\nb'), 'redirect.to', /blanks/)
    refused({ kind: 'redirect', redirect: { to: 'https://x.test/?a', keep_path: true } }, 'redirect.to', /appended/)
    assert.deepEqual(errorsOf(to('https://www.{http.request.host}/')), [])
    const from = (path: string, target = '/new') => ({ redirects: [{ from: path, to: target }] })
    for (const path of ['x', '/a b', '/a*', '/{env.X}', '/a/../b', '/a%20b'])
      refused(from(path), 'redirects.0.from', /must/)
    refused(from('/a/*', '/a/b'), 'redirects.0.to', /itself/)
    refused({ redirects: [{ from: '/a', to: '/b', keep_path: true }] }, 'redirects.0.keep_path', /\/\*/)
  })

  test('paths are normalised and unique', () => {
    const path = (...paths: string[]) => ({
      paths: paths.map((one) => ({ path: one, kind: 'respond', respond: {} }) as const),
    })
    for (const bad of ['x', '/a*', '/a//b', '/a/../b', '/%61', '/a?b', '/{x}'])
      refused(path(bad), 'paths.0.path', /must/)
    refused(path('/a', '/A/'), 'paths.1.path', /twice/)
    assert.deepEqual(errorsOf(path('/', '/a', '/a/b', '/ü')), [])
    refused({ paths: [{ path: '/a', kind: 'redirect', redirect: { to: '/a/b' } }] }, 'paths.0.redirect.to', /itself/)
  })

  test('load balancing and health checks must be complete', () => {
    refused({ lb: { policy: 'header' } }, 'lb.name', /required/)
    refused({ lb: { policy: 'cookie', name: 'a b' } }, 'lb.name', /letters/)
    refused({ health: { active: { path: 'x' } } }, 'health.active.path', /start with/)
    refused({ health: { active: { interval: 2, timeout: 5 } } }, 'health.active.timeout', /longer/)
    refused({ upstream_tls: { ca_id: 5 } }, 'upstream_tls.ca_id', /authority/)
  })
})
