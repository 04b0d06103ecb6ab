import type { Draft } from './draft.ts'

type Path = Draft['paths'][number]

/** One more server behind a site. */
export const blankUpstream: Draft['upstreams'][number] = { url: '', weight: 1, max_requests: null }

const proxy: Pick<Path, 'upstreams' | 'upstream_host' | 'lb' | 'health' | 'timeouts' | 'upstream_tls'> = {
  upstreams: [blankUpstream],
  upstream_host: 'client',
  lb: { policy: 'round_robin', name: null, choose: 2, retries: 0, try_duration: 0 },
  health: { active: null, passive: null },
  timeouts: { dial: null, read: null, write: null, flush: 'auto', websocket_close_delay: null },
  upstream_tls: { verify: true, server_name: null, ca_id: null, http_versions: [] },
}

const answers = {
  redirect: { to: '', code: 308 as const, keep_path: true },
  static: { root: '', index: ['index.html'], browse: false, fallback: null },
  respond: { status: 200, body: '', content_type: 'text/plain; charset=utf-8' },
}

/** A new site before anything was typed: the server's defaults, which a test holds it to. */
export const blankDraft: Draft = {
  site_name: '',
  domains: [],
  kind: 'proxy',
  enabled: true,
  ...proxy,
  ...answers,
  status_page: null,
  tls: {
    mode: 'auto',
    min_version: '1.2',
    acme_ca: null,
    staging: false,
    certificate_id: null,
    client_auth_ca_id: null,
  },
  force_https: true,
  hsts: null,
  request_headers: [],
  response_headers: [],
  compression: 'both',
  basic_auth: [],
  forward_auth: null,
  sign_in: null,
  access: { allow: [], deny: [], noindex: false, block_bots: false },
  reach: 'everyone',
  check: {
    enabled: true,
    interval_seconds: 60,
    path: '/',
    expected_status: '200-499',
    expected_text: null,
    timeout_seconds: 10,
    failures: 3,
    verify_tls: true,
    follow_redirects: false,
  },
  paths: [],
  redirects: [],
  max_body: null,
  error_page: null,
  maintenance_mode: false,
  maintenance: { allow: [], retry_after: 300, page: null },
  log: { enabled: true, own_file: false },
  raw_directives: null,
}

/** One more path of a site. */
export const blankPath: Path = {
  match: 'prefix',
  path: '',
  strip: false,
  kind: 'proxy',
  ...proxy,
  ...answers,
  request_headers: [],
  response_headers: [],
}

/** HSTS as it is when it is switched on: half a year, which is long enough for the best grade. */
export const blankHsts: NonNullable<Draft['hsts']> = { max_age: 15_552_000, subdomains: false, preload: false }

/** Health checks as they are when they are switched on. */
export const blankActive: NonNullable<Draft['health']['active']> = {
  path: '/',
  interval: 30,
  timeout: 5,
  expect_status: 2,
  host_header: null,
  passes: 1,
  fails: 1,
}
export const blankPassive: NonNullable<Draft['health']['passive']> = {
  fail_duration: 30,
  max_fails: 1,
  unhealthy_status: [],
  unhealthy_latency: null,
}

/** Another server that decides, as it is when it is switched on. */
export const blankForwardAuth: NonNullable<Draft['forward_auth']> = { url: '', uri: '/', copy_headers: [] }

/** Sign-in as it is when it is switched on: for every user. */
export const blankSignIn: NonNullable<Draft['sign_in']> = { groups: [], rules: [] }

/** One more exception of a protected site. */
export const blankSignInRule: NonNullable<Draft['sign_in']>['rules'][number] = {
  match: 'prefix',
  path: '/',
  methods: [],
  networks: [],
  access: 'open',
  groups: [],
}
