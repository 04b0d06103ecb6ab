import type { CompiledSite, DesiredState, NodeProfile } from '../src/caddy/desired-state.ts'
import { makeNode, makeSite } from './site-makers.ts'

const internal = { tls: { mode: 'internal' } } as const
const one = { domains: ['one.test'], ...internal }
const upstreams = [{ url: 'http://10.0.0.1:8080' }, { url: 'http://10.0.0.2:8080' }]
/** An authority that is only read as far as its form; the tests that load it put a real one in its place. */
const authority = 'AUTHORITY'
const passwordHashes = { ann: '$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG' }

/** One small state for everything a site can be; the configurations of all are kept as files, to see what a change changes. */
export const goldenSites: Readonly<Record<string, readonly CompiledSite[]>> = {
  empty: [],
  proxy: [makeSite(1, { ...one, upstreams })],
  'proxy-everything': [
    makeSite(
      1,
      {
        ...one,
        upstreams: [
          { url: 'https://10.0.0.1', weight: 3, max_requests: 50 },
          { url: 'https://[2001:db8::1]:8443', weight: 1 },
        ],
        upstream_host: 'upstream',
        lb: { policy: 'weighted_round_robin', retries: 2, try_duration: 5 },
        health: {
          active: { path: '/health', host_header: 'one.test', expect_status: 204, passes: 2, fails: 3 },
          passive: { max_fails: 3, unhealthy_status: [5, 429], unhealthy_latency: 2.5 },
        },
        timeouts: { dial: 2, read: 30, write: 30, flush: 'immediate', websocket_close_delay: 60 },
        upstream_tls: { server_name: 'origin.test', ca_id: 4, http_versions: ['1.1', '2'] },
      },
      { upstreamAuthorities: { 4: [authority] } },
    ),
  ],
  'proxy-socket-and-h2c': [
    makeSite(1, { ...one, upstreams: [{ url: 'unix//run/apps/one.sock' }] }),
    makeSite(2, { domains: ['two.test'], ...internal, upstreams: [{ url: 'h2c://10.0.0.1:9000' }] }),
  ],
  'proxy-query-policy': [makeSite(1, { ...one, upstreams, lb: { policy: 'query', name: 'key' } })],
  redirect: [makeSite(1, { ...one, kind: 'redirect', redirect: { to: 'https://two.test/' } })],
  static: [
    makeSite(1, { ...one, kind: 'static', static: { root: '/srv/www', fallback: '/index.html', browse: true } }),
  ],
  respond: [
    makeSite(1, {
      ...one,
      kind: 'respond',
      respond: { status: 410, body: '{"gone": "{http.request.host}"}', content_type: 'application/json' },
    }),
  ],
  raw: [
    makeSite(
      1,
      { ...one, kind: 'raw', raw_directives: 'respond raw' },
      { rawRoutes: [{ handle: [{ handler: 'static_response', body: 'raw' }] }] },
    ),
  ],
  paths: [
    makeSite(1, {
      ...one,
      upstreams,
      paths: [
        { path: '/api', strip: true, kind: 'proxy', upstreams: [{ url: 'http://10.0.0.3:3000' }] },
        { path: '/api/status', match: 'exact', kind: 'respond', respond: { body: 'ok' } },
        {
          path: '/files/',
          kind: 'static',
          static: { root: '/srv/www/files' },
          response_headers: [{ op: 'set', name: 'X-Files', value: '1' }],
        },
      ],
      redirects: [{ from: '/blog/*', to: 'https://blog.test', keep_path: true }],
    }),
  ],
  guards: [
    makeSite(
      1,
      {
        ...one,
        upstreams,
        access: { allow: ['10.0.0.0/8', '2001:db8::/32'], deny: ['10.6.6.6'], noindex: true, block_bots: true },
        basic_auth: [{ username: 'ann', password: 'long enough' }],
        forward_auth: { url: 'http://10.0.0.9:9091', uri: '/check', copy_headers: ['Remote-User'] },
        max_body: 1_048_576,
        error_page: '<h1>Down</h1>',
        hsts: { subdomains: true, preload: true },
        request_headers: [{ op: 'default', name: 'X-Request', value: '{http.request.uuid}' }],
        response_headers: [
          { op: 'delete', name: 'Server' },
          { op: 'set', name: 'X-Frame-Options', value: 'DENY' },
        ],
      },
      { passwordHashes },
    ),
  ],
  reach: [
    makeSite(1, { ...one, upstreams }),
    makeSite(2, { domains: ['home.test', '*.home.test'], ...internal, upstreams, reach: 'home' }),
    makeSite(3, { domains: ['tunnel.test'], upstreams, reach: 'tunnel', tls: { mode: 'off' } }),
  ],
  maintenance: [
    makeSite(1, { ...one, upstreams, maintenance_mode: true, maintenance: { allow: ['10.0.0.1'], retry_after: 600 } }),
  ],
  'tls-modes': [
    makeSite(1, {
      domains: ['auto.example.org'],
      upstreams,
      tls: { mode: 'auto', acme_ca: 'https://127.0.0.1:1/directory' },
    }),
    makeSite(2, { domains: ['internal.test', '192.0.2.1'], upstreams, tls: { mode: 'internal', min_version: '1.3' } }),
    makeSite(
      3,
      { domains: ['*.own.test', 'own.test'], upstreams, tls: { mode: 'custom', certificate_id: 5 } },
      { certificate: { form: 'pem', certificate: 'CERTIFICATE', key: 'KEY' } },
    ),
    makeSite(4, {
      domains: ['*.shop.example.org'],
      upstreams,
      tls: { mode: 'on_demand', acme_ca: 'https://127.0.0.1:1/directory' },
    }),
    makeSite(5, { domains: ['plain.test'], upstreams, tls: { mode: 'off' } }),
    makeSite(6, { domains: ['both.test'], upstreams, ...internal, force_https: false }),
    makeSite(
      7,
      { domains: ['members.test'], upstreams, tls: { mode: 'internal', client_auth_ca_id: 4 } },
      { clientAuthorities: [authority] },
    ),
    makeSite(8, { domains: ['sub.own.test'], upstreams, ...internal }),
  ],
  logs: [
    makeSite(1, { ...one, upstreams, log: { own_file: true } }),
    makeSite(2, { domains: ['quiet.test'], ...internal, upstreams, log: { enabled: false } }),
  ],
  disabled: [makeSite(1, { ...one, upstreams, enabled: false })],
}

/** The state a golden file is made of. */
export function goldenState(name: string): DesiredState {
  const options = {
    catchAll: 'not_found',
    acmeEmail: 'operator@example.org',
    onDemandAsk: 'http://127.0.0.1:1/ask',
    reach: { home: ['192.168.1.0/24', '2001:db8:1::/64'], tunnel: ['10.8.0.0/24', 'fd08::/64'] },
  } as const
  return { sites: goldenSites[name] ?? [], options }
}

/** The node a golden file is made for; `directory` is where its logs and certificates lie. */
export function goldenNode(age: 'oldest' | 'newest', directory = '/var/lib/caddy'): NodeProfile {
  return makeNode(age, {
    storageRoot: `${directory}/storage`,
    logFile: `${directory}/log/access.log`,
    siteLogDirectory: `${directory}/log`,
    trustedProxies: ['10.0.0.0/8'],
  })
}
