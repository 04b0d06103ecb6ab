import * as fc from 'fast-check'
import type { z } from 'zod'
import type { CompiledSite } from '../src/caddy/desired-state.ts'
import type { SiteCreate } from '../src/sites/schema.ts'
import { makeSite } from './site-makers.ts'

type Input = z.input<typeof SiteCreate>

/** Any text a person might put where a text belongs. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    'plain',
    'ä ö ü 日本',
    '{http.request.host}',
    'a{b}c',
    String.raw`\{x\}`,
    '{json: "{x}"}',
    '"quoted"',
    '}{',
  ),
  fc.string({ maxLength: 40 }).map((value) => value.replaceAll(/\p{Cc}/gu, ' ')),
)
const headerName = fc.constantFrom('X-One', 'X-Two', 'Cache-Control', 'server', 'Content-Security-Policy', "X-O'Odd")
const header = fc.oneof(
  fc.record({ op: fc.constantFrom('set', 'add', 'default'), name: headerName, value: text }),
  fc.record({ op: fc.constant('delete' as const), name: headerName }),
)
const headers = fc.array(header, { maxLength: 4 }) as fc.Arbitrary<NonNullable<Input['request_headers']>>
const network = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('10.0.0.0/8', '2001:db8::/32', '192.168.1.7/24', '0.0.0.0/0'),
)
const networks = fc.array(network, { maxLength: 3 })
const path = fc.stringMatching(/^\/[a-z0-9][a-z0-9._~-]{0,8}(\/[a-z0-9@:]{1,5})?\/?$/)
const port = fc.integer({ min: 1, max: 65_535 })
const host = fc.oneof(fc.domain(), fc.constantFrom('10.1.2.3', '[2001:db8::7]', 'nas'))
const scheme = fc.constantFrom('http', 'https', 'h2c')
const upstreams = fc
  .tuple(
    scheme,
    fc.array(fc.tuple(host, port, fc.option(fc.integer({ min: 1, max: 100 }))), { minLength: 1, maxLength: 4 }),
  )
  .map(([scheme, list]) =>
    list.map(([host, port, most]) => ({ url: `${scheme}://${host}:${port}`, weight: 2, max_requests: most })),
  )
const whole = (min: number, max: number) => fc.integer({ min, max })
const tenths = (max: number) => whole(1, max * 10).map((value) => value / 10)

const proxy = fc.record({
  upstreams,
  upstream_host: fc.constantFrom('client', 'upstream'),
  lb: fc.record(
    {
      policy: fc.constantFrom(
        ...([
          'random',
          'random_choose',
          'round_robin',
          'least_conn',
          'first',
          'ip_hash',
          'uri_hash',
          'header',
        ] as const),
        ...(['cookie', 'client_ip_hash', 'weighted_round_robin', 'query'] as const),
      ),
      name: fc.constant('X-Key'),
      retries: whole(0, 10),
      try_duration: tenths(60),
    },
    { requiredKeys: ['name'] },
  ),
  health: fc.record(
    {
      active: fc.record(
        {
          path,
          interval: whole(60, 3600),
          timeout: tenths(60),
          expect_status: fc.constantFrom(2, 3, 204, 404),
          fails: whole(1, 5),
        },
        { requiredKeys: ['path', 'interval'] },
      ),
      passive: fc.record(
        {
          fail_duration: tenths(60),
          max_fails: whole(1, 9),
          unhealthy_status: fc.constant([5, 429]),
          unhealthy_latency: tenths(9),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  timeouts: fc.record(
    {
      dial: tenths(9),
      read: tenths(9),
      write: tenths(9),
      flush: fc.constantFrom('auto', 'immediate'),
      websocket_close_delay: tenths(99),
    },
    { requiredKeys: [] },
  ),
  upstream_tls: fc.record(
    {
      verify: fc.boolean(),
      server_name: fc.domain(),
      http_versions: fc.subarray<'1.1' | '2'>(['1.1', '2']),
    },
    { requiredKeys: [] },
  ),
})
const target = fc.constantFrom(
  'https://new.example.org/a',
  'https://www.{http.request.host}/{http.request.uri.path.0}',
  'http://[2001:db8::1]:81',
)
const answers = fc.oneof(
  fc.record({ kind: fc.constant('redirect' as const), redirect: fc.record({ to: target, keep_path: fc.boolean() }) }),
  fc.record({
    kind: fc.constant('static' as const),
    static: fc.record({
      root: fc.constantFrom('/srv/www', '/srv/www/a b/ü'),
      browse: fc.boolean(),
      fallback: fc.constantFrom(null, '/index.html'),
    }),
  }),
  fc.record({ kind: fc.constant('respond' as const), respond: fc.record({ status: whole(200, 599), body: text }) }),
  proxy.map((members) => Object.assign(members, { kind: 'proxy' as const })),
)
const paths = fc.uniqueArray(
  fc
    .tuple(
      fc.record({ path, match: fc.constantFrom('prefix', 'exact'), strip: fc.boolean(), response_headers: headers }),
      answers,
    )
    .map(([where, what]) => Object.assign(where, what)),
  { maxLength: 4, selector: (one) => one.path.replace(/\/$/, '') },
)

const rest = fc.record(
  {
    force_https: fc.boolean(),
    hsts: fc.constantFrom(null, { max_age: 1000 }),
    request_headers: headers,
    response_headers: headers,
    compression: fc.constantFrom('off', 'gzip', 'zstd', 'both'),
    forward_auth: fc.record({
      url: fc.constant('https://auth.example.org:9091'),
      uri: path,
      copy_headers: fc.subarray(['Remote-User', 'X-A']),
    }),
    reach: fc.constantFrom('everyone', 'home', 'tunnel'),
    access: fc.record({ allow: networks, deny: networks, noindex: fc.boolean(), block_bots: fc.boolean() }),
    paths,
    redirects: fc.subarray<NonNullable<Input['redirects']>[number]>([
      { from: '/go/*', to: '/went', keep_path: true },
      { from: '/x', to: 'https://new.example.org/' },
    ]),
    max_body: whole(1, 1e9),
    error_page: text,
    maintenance_mode: fc.boolean(),
    maintenance: fc.record({ allow: networks, page: text }),
    log: fc.record({ enabled: fc.boolean() }),
  },
  { requiredKeys: [] },
)

/** A site people could store: its domains are its own, and rules find nothing. Modes of TLS that need no network. */
export function arbitrarySite(id: number): fc.Arbitrary<CompiledSite> {
  const domains = fc.subarray([`s${id}.test`, `*.s${id}.test`, `ü${id}.example.org`, `10.9.${id >> 8}.${id & 255}`], {
    minLength: 1,
  })
  const mode = fc.constantFrom('internal', 'off')
  const hash = '$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG'
  return fc.tuple(domains, mode, fc.boolean(), answers, rest).map(([domains, mode, hasUsers, what, others]) =>
    makeSite(
      id,
      {
        domains,
        ...what,
        ...(others as Partial<Input>),
        hsts: mode === 'off' ? null : (others.hsts ?? null),
        tls: { mode },
        ...(hasUsers && { basic_auth: [{ username: 'ann', password: 'long enough' }] }),
      } as Input,
      { passwordHashes: { ann: hash } },
    ),
  )
}
