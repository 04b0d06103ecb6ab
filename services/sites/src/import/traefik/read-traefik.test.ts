import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteCreate } from '../../sites/schema.ts'
import { readTraefik } from './read-traefik.ts'

const bcrypt = `$2y$05$${'a'.repeat(53)}`

const file = `
http:
  routers:
    shop:
      rule: "Host(\`shop.example.org\`)"
      entryPoints: [websecure]
      service: shop
      middlewares: [secured]
      tls: { certResolver: letsencrypt }
    shop-http:
      rule: "Host(\`shop.example.org\`)"
      entryPoints: [web]
      middlewares: [to-https]
      service: noop@internal
    shop-api:
      rule: "Host(\`shop.example.org\`) && PathPrefix(\`/api\`)"
      service: api
      middlewares: [secured, strip-api, slow]
      tls: {}
    plain:
      rule: "Host(\`plain.home.arpa\`)"
      service: api@file
    panel:
      rule: "Host(\`panel.example.org\`)"
      service: api@internal
    pattern:
      rule: "HostRegexp(\`.+\`)"
      service: api
  middlewares:
    secured:
      chain:
        middlewares: [headers, people, small]
    headers:
      headers:
        stsSeconds: 31536000
        stsIncludeSubdomains: true
        frameDeny: true
        customRequestHeaders: { X-From: traefik, X-Secret: "" }
    people:
      basicAuth:
        users: ["ada:${bcrypt}", "bob:$apr1$H6uskkkW$IgXLP6ewTrSuBkTrqE8wj/"]
    small:
      compress: {}
    strip-api:
      stripPrefix: { prefixes: [/api] }
    slow:
      rateLimit: { average: 10 }
    to-https:
      redirectScheme: { scheme: https, permanent: true }
  services:
    shop:
      loadBalancer:
        servers: [{ url: "https://10.0.0.5:8443/" }, { url: "https://10.0.0.6:8443" }]
        sticky: { cookie: { name: shop } }
        healthCheck: { path: /health, interval: 10s, timeout: 500ms }
        serversTransport: lax
    api:
      loadBalancer:
        passHostHeader: false
        servers: [{ url: "http://10.0.0.7:3000" }]
  serversTransports:
    lax: { insecureSkipVerify: true }
tcp:
  routers:
    mail: { rule: "HostSNI(\`*\`)", service: mail }
`

const siteOf = (text: string, domain: string) => {
  const found = readTraefik(text).sites.find(({ site }) => site.domains?.includes(domain))
  assert.ok(found !== undefined, domain)
  assert.ok(SiteCreate.safeParse(found.site).success, JSON.stringify(SiteCreate.safeParse(found.site).error?.issues))
  return found
}

test('routers with the same host become one site with its paths, users, headers and upstreams', () => {
  const { site, hashes } = siteOf(file, 'shop.example.org')
  assert.equal(site.enabled, true)
  assert.deepEqual(hashes, { ada: bcrypt })
  assert.deepEqual(
    { ...site, paths: undefined },
    {
      site_name: 'shop.example.org',
      domains: ['shop.example.org'],
      kind: 'proxy',
      upstreams: [{ url: 'https://10.0.0.5:8443' }, { url: 'https://10.0.0.6:8443' }],
      upstream_host: 'client',
      lb: { policy: 'cookie', name: 'shop' },
      health: { active: { path: '/health', interval: 10, timeout: 0.5 } },
      upstream_tls: { verify: false },
      paths: undefined,
      basic_auth: [{ username: 'ada' }],
      access: { allow: [] },
      forward_auth: null,
      request_headers: [
        { op: 'set', name: 'X-From', value: 'traefik' },
        { op: 'delete', name: 'X-Secret', value: '' },
      ],
      response_headers: [{ op: 'set', name: 'X-Frame-Options', value: 'DENY' }],
      compression: 'both',
      max_body: null,
      tls: { mode: 'auto' },
      force_https: true,
      hsts: { max_age: 31_536_000, subdomains: true, preload: false },
      enabled: true,
    },
  )
  const [path] = site.paths ?? []
  assert.deepEqual(
    [path?.match, path?.path, path?.strip, path?.upstreams, path?.upstream_host],
    ['prefix', '/api', true, [{ url: 'http://10.0.0.7:3000' }], 'upstream'],
  )
})

test('a router without TLS becomes a site without it', () => {
  const { site } = siteOf(file, 'plain.home.arpa')
  assert.deepEqual([site.tls, site.force_https, site.hsts], [{ mode: 'off' }, false, null])
})

test('what a site cannot do is in the report, with its place', () => {
  const lines = readTraefik(file).report.map(({ outcome, path, what }) => `${outcome} ${path}: ${what}`)
  for (const line of [
    /^left_out \/http\/routers\/panel: the service api@internal/,
    /^left_out \/http\/routers\/pattern: a rule with HostRegexp/,
    /^left_out \/tcp\/routers\/mail: a router for TCP/,
    /^lost \/http\/routers\/shop: the password of bob, which is not hashed with bcrypt/,
    /^lost \/http\/routers\/shop-api: the middleware slow \(rateLimit\)/,
  ])
    assert.ok(
      lines.some((one) => line.test(one)),
      `${line} in ${lines.join('\n')}`,
    )
})

const withMiddleware = (middleware: string, more = '') => `
http:
  routers:
    a: { rule: "Host(\`a.example.org\`)", service: s, middlewares: [m], tls: {} }
${more}
  middlewares:
    ${middleware}
  services:
    s: { loadBalancer: { servers: [{ url: "http://10.0.0.7:3000" }] } }
`

test('a site that would stand more open than before is switched off', () => {
  for (const middleware of [
    'other: { compress: {} }',
    'm: { digestAuth: { users: ["a:b:c"] } }',
    'm: { plugin: { bouncer: {} } }',
    'm: { basicAuth: { usersFile: /etc/users } }',
    'm: { basicAuth: { users: ["a:{SHA}abc"] } }',
    'm: { ipAllowList: { sourceRange: [] } }',
    'm: { replacePath: { path: /x } }',
    'm: { forwardAuth: { address: "not an address" } }',
    'm: { redirectRegex: { regex: x, replacement: y } }',
  ])
    assert.equal(siteOf(withMiddleware(middleware), 'a.example.org').site.enabled, false, middleware)
  const admins = `    b: { rule: "Host(\`a.example.org\`) && PathPrefix(\`/admin\`)", service: s, middlewares: [n], tls: {} }`
  const two = withMiddleware('m: { ipAllowList: { sourceRange: [10.0.0.0/8] } }', admins)
  const other = two.replace('  services:', '    n: { ipAllowList: { sourceRange: [10.1.0.0/16] } }\n  services:')
  assert.equal(siteOf(other, 'a.example.org').site.enabled, false)
})

test('what one path asks of visitors holds for the whole site', () => {
  const open = `    b: { rule: "Host(\`a.example.org\`) && PathPrefix(\`/open\`)", service: s, tls: {} }`
  const text = withMiddleware('m: { ipWhiteList: { sourceRange: [10.0.0.0/8] } }', open)
  const { site } = siteOf(text, 'a.example.org')
  assert.deepEqual([site.enabled, site.access?.allow], [true, ['10.0.0.0/8']])
  assert.match(JSON.stringify(readTraefik(text).report), /now holds for the whole site/)
})

test('a forward authentication comes along', () => {
  const { site } = siteOf(
    withMiddleware(
      'm: { forwardAuth: { address: "http://10.0.0.9:9091/api/verify?rd=x", authResponseHeaders: [Remote-User] } }',
    ),
    'a.example.org',
  )
  assert.deepEqual(site.forward_auth, {
    url: 'http://10.0.0.9:9091',
    uri: '/api/verify?rd=x',
    copy_headers: ['Remote-User'],
  })
})

test('client certificates and options that are not there switch a site off', () => {
  for (const options of [
    '{ default: {}, strict: { clientAuth: { clientAuthType: RequireAndVerifyClientCert } } }',
    '{}',
  ]) {
    const text = `${withMiddleware('m: { compress: {} }').replace('tls: {}', 'tls: { options: strict }')}\ntls:\n  options: ${options}\n`
    assert.equal(siteOf(text, 'a.example.org').site.enabled, false, options)
  }
})

test('TOML is read like YAML', () => {
  const text = `
[http.routers.a]
  rule = "Host(\`a.example.org\`)"
  service = "s"
[[http.services.s.loadBalancer.servers]]
  url = "http://10.0.0.7:3000"
`
  assert.deepEqual(siteOf(text, 'a.example.org').site.upstreams, [{ url: 'http://10.0.0.7:3000' }])
})

test('a text that is no dynamic configuration says why', () => {
  for (const [text, reason] of [
    ['entryPoints:\n  web: { address: ":80" }', /static configuration/],
    ['just words', /holds no configuration/],
    ['http: [', /cannot be read as YAML/],
    ['[http.routers.a]\nrule = ', /cannot be read as TOML/],
    ['other: 1', /has none of http, tcp, udp and tls/],
    [
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from('bcdefgh', (to, at) => `${to}: &${to} [${Array(10).fill(`*${'abcdefg'[at]}`).join()}]`).join('\n')}`,
      /cannot be read as YAML|has none/,
    ],
  ] as const)
    assert.throws(() => readTraefik(text), reason, text.slice(0, 40))
})

test('names that every object has are no services and no middlewares', () => {
  const text = withMiddleware('m: { compress: {} }').replace('service: s,', 'service: __proto__,')
  assert.deepEqual(readTraefik(text).sites, [])
  const other = withMiddleware('m: { constructor: {} }')
  assert.equal(siteOf(other, 'a.example.org').site.enabled, false)
})
