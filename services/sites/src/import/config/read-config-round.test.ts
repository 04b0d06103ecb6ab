import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { makeNode, makeRecord, makeSite } from '../../../test/site-makers.ts'
import { canonicalJson } from '../../caddy/canonical-json.ts'
import { compileConfig } from '../../caddy/compile.ts'
import { sortPaths } from '../../caddy/path-routes.ts'
import type { HeaderChange } from '../../sites/guard-schema.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import { readConfig } from './read-config.ts'

const hash = '$2a$12$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG'
const value = fc.oneof(
  fc.constantFrom(
    '{http.request.host}',
    String.raw`\{http.request.host}`,
    'a {b} c',
    '}',
    '{',
    String.raw`\}`,
    String.raw`\} {x`,
    String.raw`\\{y}`,
    '{{http.request.uri}}',
    '',
    'é "q"',
  ),
  fc.string({ maxLength: 20 }),
)
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { freq: 2, nil: undefined })
const names = fc.constantFrom('X-One', 'x-one', 'X-Two', 'Cache-Control', 'Server')
const header = fc
  .record({ op: fc.constantFrom('set', 'add', 'delete', 'default'), name: names, value })
  .map(({ op, name, value: text }): HeaderChange => ({ op, name, value: op === 'delete' ? '' : text }))
const headers = fc.array(header, { maxLength: 5 })
const seconds = fc.integer({ min: 100, max: 60_000 }).map((milliseconds) => milliseconds / 1000)
const wholeSeconds = fc.integer({ min: 2, max: 60 })

const scheme = fc.constantFrom('http', 'https', 'h2c')
const proxy = fc
  .record({
    scheme,
    ports: fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { minLength: 2, maxLength: 4 }),
    policy: fc.constantFrom('random', 'round_robin', 'least_conn', 'first', 'ip_hash', 'uri_hash'),
    most: fc.option(fc.integer({ min: 1, max: 9 })),
    upstream_host: fc.constantFrom('client', 'upstream'),
    health: fc.record({
      active: fc.option(
        fc.record({
          path: fc.constantFrom('/', '/up?x'),
          interval: wholeSeconds,
          timeout: seconds,
          expect_status: fc.constantFrom(2, 3, 204),
          host_header: fc.option(fc.constantFrom('x.test', 'a{b}')),
        }),
      ),
      passive: fc.option(
        fc.record({
          fail_duration: wholeSeconds,
          max_fails: wholeSeconds,
          unhealthy_status: fc.uniqueArray(fc.constantFrom(5, 404, 429)),
          unhealthy_latency: fc.option(seconds),
        }),
      ),
    }),
    timeouts: fc.record({
      dial: fc.option(seconds),
      read: fc.option(seconds),
      write: fc.option(seconds),
      flush: fc.constantFrom('auto', 'immediate'),
    }),
    retries: fc.integer({ min: 0, max: 10 }),
    verify: fc.boolean(),
    versions: fc.constantFrom([], ['1.1'], ['2'], ['1.1', '2']),
  })
  .map(({ scheme: protocol, ports, policy, most, verify, versions, retries, ...rest }) =>
    Object.assign(rest, {
      kind: 'proxy' as const,
      upstreams: ports.map((port) => ({ url: `${protocol}://10.0.0.5:${port}`, max_requests: most })),
      lb: { policy, retries, try_duration: retries / 4 },
      upstream_tls: { verify: protocol === 'https' ? verify : true, http_versions: protocol === 'h2c' ? [] : versions },
    }),
  )
const redirect = fc
  .record({
    to: fc.constantFrom('https://b.test', 'https://b.test/x{y}', '/x', '/x/y'),
    code: fc.constantFrom(301, 302, 307, 308),
    keep_path: fc.boolean(),
  })
  .map((target) => ({ kind: 'redirect' as const, redirect: target }))
const files = fc
  .record({
    root: fc.constantFrom('/srv', '/srv/{a}'),
    index: fc.constantFrom(['index.html'], ['a.html', 'b.html'], []),
    browse: fc.boolean(),
    fallback: fc.option(fc.constant('/index.html')),
  })
  .map((target) => ({ kind: 'static' as const, static: target }))
const respond = fc
  .record({
    status: fc.constantFrom(200, 404, 503),
    body: value,
    content_type: fc.constantFrom('text/html', 'text/plain; charset=utf-8'),
  })
  .map((answer) => ({ kind: 'respond' as const, respond: answer }))
const target = fc.oneof(proxy, redirect, files, respond)

const path = fc
  .record({
    at: fc.constantFrom('/a', '/a/b', '/c', '/c/d/e', '/'),
    match: fc.constantFrom('prefix', 'exact'),
    strip: fc.boolean(),
    request_headers: headers,
    response_headers: headers,
    target,
  })
  .map(({ at, match, strip, target: what, ...rest }) =>
    Object.assign(rest, what, {
      match,
      path: at,
      strip: strip && match === 'prefix' && at !== '/' && what.kind !== 'redirect',
    }),
  )
const networks = fc.uniqueArray(fc.constantFrom('10.0.0.0/8', '192.0.2.1', 'fd00::/8'), { maxLength: 3 })
const site = fc.record({
  target,
  domains: fc.uniqueArray(fc.constantFrom('a.example.org', 'b.example.org', 'www.example.org'), { minLength: 1 }),
  wildcards: fc.uniqueArray(fc.constantFrom('*.example.org', '*.b.example.org')),
  tls: fc.constantFrom(
    {},
    { mode: 'internal' },
    { mode: 'off' },
    { mode: 'on_demand' },
    { staging: true },
    { acme_ca: 'https://ca.test/dir', min_version: '1.3' },
    { mode: 'custom', certificate_id: 4 },
    { mode: 'internal', client_auth_ca_id: 3 },
  ),
  force: fc.boolean(),
  members: fc.record(
    {
      hsts: fc.record({
        max_age: fc.integer({ min: 0, max: 63_072_000 }),
        subdomains: fc.boolean(),
        preload: fc.boolean(),
      }),
      request_headers: headers,
      response_headers: headers,
      compression: fc.constantFrom('off', 'gzip', 'zstd', 'both'),
      basic_auth: fc.constant([{ username: 'bob' }, { username: 'é' }]),
      forward_auth: fc.record({
        url: fc.constantFrom('http://a.test:9091', 'https://a.test:443'),
        uri: fc.constantFrom('/', '/x?y={z}'),
        copy_headers: fc.uniqueArray(fc.constantFrom('Remote-User', 'Remote-Groups')),
      }),
      access: fc.record({ allow: networks, deny: networks, noindex: fc.boolean(), block_bots: fc.boolean() }),
      max_body: fc.integer({ min: 1, max: 1_000_000_000 }),
      error_page: value,
      log: fc.record({ enabled: fc.boolean() }),
    },
    { requiredKeys: [] },
  ),
  maintenance: some(
    fc.record({ allow: networks, retry_after: wholeSeconds, page: fc.option(value.filter((text) => text !== '')) }),
  ),
  paths: fc.uniqueArray(path, {
    maxLength: 4,
    selector: ({ at: _at, match, path: where }: { at?: string; match: string; path: string }) => `${match} ${where}`,
  }),
  redirects: fc.uniqueArray(
    fc
      .record({
        from: fc.constantFrom('/old', '/older/*', '/oldest/of', '/*'),
        to: fc.constantFrom('/new', 'https://c.test/x'),
        code: fc.constantFrom(301, 308),
        keep_path: fc.boolean(),
      })
      .map(({ keep_path: keeps, from, ...to }) => Object.assign(to, { from, keep_path: keeps && from.endsWith('/*') })),
    { maxLength: 3, selector: ({ from }) => from },
  ),
})

/** Changes of different headers may come in any order; those of one header keep theirs. */
const inOrder = (changes: readonly HeaderChange[]) =>
  changes.toSorted((one, other) => one.name.toLowerCase().localeCompare(other.name.toLowerCase()))

const withOrder = <T extends Pick<SiteRecord, 'request_headers' | 'response_headers'>>(one: T): T => ({
  ...one,
  request_headers: inOrder(one.request_headers),
  response_headers: inOrder(one.response_headers),
})

/** The record that is expected to come back; see `readConfig`. */
function expectedOf(record: SiteRecord): SiteRecord {
  const isPlain = record.tls.mode === 'off'
  return {
    ...withOrder(record),
    site_name: record.domains[0] ?? '',
    hsts: isPlain ? null : record.hsts,
    force_https: !isPlain && (record.force_https || record.tls.client_auth_ca_id !== null),
    paths: sortPaths(record.paths).map(withOrder),
    redirects: [...record.redirects].sort((one, other) => other.from.length - one.from.length),
  }
}

const externalAccounts = new Map([['https://ca.test/dir', { keyId: 'kid', key: 'a2V5' }]])

for (const age of ['oldest', 'newest'] as const)
  test(`any record survives the round trip through its configuration, ${age} Caddy`, () => {
    fc.assert(
      fc.property(site, ({ target: what, domains, wildcards, force, members, maintenance, paths, ...rest }) => {
        const input = {
          site_name: 'a',
          ...what,
          ...members,
          ...rest,
          domains: [...domains, ...wildcards],
          force_https: force,
          paths,
          ...(maintenance && { maintenance_mode: true, maintenance }),
        } as unknown as Parameters<typeof makeSite>[1]
        const users = members.basic_auth ?? []
        const compiled = makeSite(3, input, {
          passwordHashes: Object.fromEntries(users.map(({ username }) => [username, hash])),
          certificate: { form: 'pem', certificate: 'LEAF', key: 'KEY' },
          clientAuthorities: ['QUJD'],
        })
        const node = makeNode(age, { logFile: '/var/log/access.log' })
        const options = { catchAll: 'abort', externalAccounts } as const
        const { config } = compileConfig({ sites: [compiled], options }, node)
        const { sites, report } = readConfig(JSON.parse(canonicalJson(config)), { isOurs: true, authorityOf: () => 3 })
        assert.deepEqual(
          report.filter(({ what: text }) => !text.startsWith('never reached')),
          [],
        )
        const [found] = sites
        assert.ok(found)
        assert.equal(sites.length, 1)
        const back = makeRecord(found.site)
        assert.deepEqual({ ...withOrder(back), paths: back.paths.map(withOrder) }, expectedOf(compiled.record))
      }),
      { numRuns: 150 },
    )
  })
