import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraefik } from './read-traefik.ts'

const bcrypt = `$2y$05$${'a'.repeat(53)}`
const people = { basicAuth: { users: [`ada:${bcrypt}`] } }
const near = { ipAllowList: { sourceRange: ['10.0.0.0/8'] } }
const services = { s: { loadBalancer: { servers: [{ url: 'http://10.0.0.7:1' }] } } }
const middlewares = { people, near, gone: { plugin: { bouncer: {} } }, small: { compress: {} } }
const open = { rule: 'Host(`a.example.org`)', service: 's', tls: {} }

const fileOf = (routers: object, more: object = {}) =>
  JSON.stringify({ http: { routers, middlewares, services }, ...more })
const sitesOf = (text: string) => readTraefik(text).sites.map(({ site }) => site)
const enabledOf = (text: string) =>
  Object.fromEntries(sitesOf(text).flatMap(({ domains = [], enabled }) => domains.map((domain) => [domain, enabled])))
const linesOf = (text: string) =>
  readTraefik(text).report.map(({ outcome, path, what, site }) => `${outcome} ${path} ${site ?? '-'}: ${what}`)

/** Rules that become no path of a site. */
const foreign = [
  'Host(`a.example.org`) && PathRegexp(`^/(admin|wp-login)`)',
  'Host(`a.example.org`) && PathPrefix(`/admin`) && Method(`POST`)',
  'Host(`a.example.org`) && Query(`debug`, `1`)',
  'Host(`a.example.org`) && Header(`X-Admin`, `1`)',
  'Host(`a.example.org`) && !PathPrefix(`/public`)',
  'HostRegexp(`^.+\\.example\\.org$`) && PathPrefix(`/admin`)',
  'PathPrefix(`/a-long-enough-path`)',
]

test('a site is switched off when a router that is left out asked something of its visitors', () => {
  for (const rule of foreign)
    for (const [name, asks] of Object.entries({ people: true, near: true, gone: true, missing: true, small: false })) {
      const text = fileOf({
        a: open,
        other: { rule: 'Host(`b.example.net`)', service: 's', tls: {}, priority: 900 },
        b: { rule, service: 's', tls: {}, middlewares: [name] },
      })
      assert.deepEqual(enabledOf(text), { 'a.example.org': !asks, 'b.example.net': true }, `${rule} ${name}`)
      const line =
        'changed /http/routers/b a.example.org: it is left out, and kept visitors away from a part of the site; the site is switched off'
      assert.equal(linesOf(text).includes(line), asks, linesOf(text).join('\n'))
    }
})

test('a router whose service is elsewhere keeps its site off where it asked something, or refused everything', () => {
  const admin = (more: object) =>
    enabledOf(fileOf({ a: open, b: { rule: 'Host(`a.example.org`) && PathPrefix(`/admin`)', tls: {}, ...more } }))
  assert.deepEqual(admin({ service: 'app@docker', middlewares: ['people'] }), { 'a.example.org': false })
  assert.deepEqual(admin({ service: 'app@docker' }), { 'a.example.org': true })
  assert.deepEqual(admin({ service: 'noop@internal' }), { 'a.example.org': false })
})

test('a router that is left out counts only where it came first', () => {
  const rule = 'HostRegexp(`.+`)'
  const both = (priority: number, entryPoints: string[] = []) =>
    enabledOf(fileOf({ a: open, b: { rule, service: 's', tls: {}, middlewares: ['people'], priority, entryPoints } }))
  assert.deepEqual(both(1), { 'a.example.org': true })
  assert.deepEqual(both(100), { 'a.example.org': false })
  assert.deepEqual(both(100, ['internal']), { 'a.example.org': true })
})

test('a router that is left out for plain HTTP says nothing about a site with HTTPS', () => {
  const at = (entryPoints: string[], tls: object | undefined) =>
    enabledOf(
      fileOf({
        a: { ...open, tls },
        b: { rule: 'HostRegexp(`.+`)', middlewares: ['gone'], priority: 900, entryPoints },
      }),
    )
  assert.deepEqual(at(['web'], {}), { 'a.example.org': true })
  assert.deepEqual(at(['web'], undefined), { 'a.example.org': false })
  assert.deepEqual(at(['web', 'websecure'], {}), { 'a.example.org': false })
  assert.deepEqual(at([], {}), { 'a.example.org': false })
})

test('a router for TCP that asked something switches off the sites of its hosts', () => {
  const text = (rule: string, names: string[], entryPoints: string[] = ['websecure']) =>
    enabledOf(
      fileOf(
        { a: open },
        { tcp: { routers: { t: { rule, service: 't', middlewares: names, entryPoints } }, middlewares: { near } } },
      ),
    )
  assert.deepEqual(text('HostSNI(`a.example.org`)', ['near']), { 'a.example.org': false })
  assert.deepEqual(text('HostSNI(`a.example.org`)', []), { 'a.example.org': true })
  assert.deepEqual(text('HostSNI(`b.example.org`)', ['near']), { 'a.example.org': true })
  assert.deepEqual(text('HostSNI(`*`)', ['near'], ['postgres']), { 'a.example.org': true })
})

test('routers with some hosts in common are taken over for each host', () => {
  const routers = {
    both: { rule: 'Host(`a.example.org`, `b.example.org`)', service: 's', tls: {} },
    admin: { rule: 'Host(`a.example.org`) && PathPrefix(`/admin`)', service: 's', tls: {}, middlewares: ['near'] },
  }
  const sites = sitesOf(fileOf(routers))
  assert.deepEqual(
    sites.map(({ domains, access, paths, enabled }) => [
      domains,
      access?.allow,
      paths?.map(({ path }) => path),
      enabled,
    ]),
    [
      [['a.example.org'], ['10.0.0.0/8'], ['/admin'], true],
      [['b.example.org'], [], [], true],
    ],
  )
  const foreignPath = { ...routers, admin: { ...routers.admin, rule: foreign[0] } }
  assert.deepEqual(enabledOf(fileOf(foreignPath)), { 'a.example.org': false, 'b.example.org': true })
})

test('of routers for the same requests with the same priority none may ask more than the one that is taken', () => {
  const twice = (more: object) => enabledOf(fileOf({ a: open, b: { ...open, ...more } }))
  assert.deepEqual(twice({}), { 'a.example.org': true })
  assert.deepEqual(twice({ middlewares: ['people'] }), { 'a.example.org': false })
  assert.deepEqual(twice({ middlewares: ['people'], priority: 1 }), { 'a.example.org': true })
})

test('a router below others, which may ask something, is switched off', () => {
  const rule = 'Host(`a.example.org`) && PathPrefix(`/`)'
  const text = fileOf({
    parent: { rule: open.rule, middlewares: ['people'] },
    a: { ...open, rule, parentRefs: ['parent'] },
  })
  assert.deepEqual(enabledOf(text), { 'a.example.org': false })
})

test('the TLS options called default ask all routers with TLS for a certificate', () => {
  const tls = { options: { default: { clientAuth: { clientAuthType: 'RequireAndVerifyClientCert' } } } }
  assert.deepEqual(enabledOf(fileOf({ a: open }, { tls })), { 'a.example.org': false })
  assert.deepEqual(enabledOf(fileOf({ a: { ...open, tls: undefined } }, { tls })), { 'a.example.org': true })
  const own = { options: { ...tls.options, lax: { minVersion: 'VersionTLS12' } } }
  assert.deepEqual(enabledOf(fileOf({ a: { ...open, tls: { options: 'lax' } } }, { tls: own })), {
    'a.example.org': true,
  })
})

test('keys count in whichever case they are written, and a single text as a list of one', () => {
  const spelled = (router: string, more = '') => `
http:
  routers:
    a: { rule: "Host(\`a.example.org\`)", service: s, ${router} }
  middlewares:
    near: { ipAllowList: { SourceRange: [10.0.0.0/8, 192.168.0.0/16] } }
  services:
    s: { loadbalancer: { servers: [{ URL: "http://10.0.0.7:1" }] } }
${more}`
  for (const router of ['entrypoints: [internal]', 'entryPoints: internal', 'Middlewares: [missing]'])
    assert.deepEqual(enabledOf(spelled(router)), { 'a.example.org': false }, router)
  const options = 'tls:\n  Options:\n    strict: { clientauth: { secretNames: [] } }\n'
  assert.deepEqual(enabledOf(spelled('TLS: { options: strict }', options)), { 'a.example.org': false })
  const [site] = sitesOf(spelled('entrypoints: websecure, middlewares: near'))
  assert.deepEqual([site?.enabled, site?.tls?.mode], [true, 'auto'])
  assert.deepEqual(site?.access?.allow, ['10.0.0.0/8', '192.168.0.0/16'])
  assert.throws(() => readTraefik(spelled('tls: {}, TLS: {}')), /tls stands twice/)
})

test('networks of visitors behind other proxies switch a site off', () => {
  const behind = { ipAllowList: { sourceRange: ['10.0.0.0/8'], ipStrategy: { depth: 1 } } }
  const text = JSON.stringify({
    http: { routers: { a: { ...open, middlewares: ['behind'] } }, middlewares: { behind }, services },
  })
  assert.deepEqual(enabledOf(text), { 'a.example.org': false })
  assert.match(linesOf(text).join('\n'), /addresses that are found behind other proxies; .*; the site is switched off/)
})

test('many routers, many hosts and a document within itself are read in little time', () => {
  const many = Array.from({ length: 1000 }, (_, n) => `h${n}.example.org`)
  const asking = { service: 's', middlewares: ['people'], priority: 5000 }
  const closed = many.map((host) => [`c${host}`, { ...asking, rule: `Host(\`${host}\`) && Method(\`POST\`)` }])
  const broad = many.map((host) => [host, { service: 's', rule: `Host(\`${host}\`)` }])
  const text = fileOf(Object.fromEntries([...closed, ...broad]))
  assert.equal(Object.values(enabledOf(text)).filter((enabled) => enabled === false).length, 1000)
  const hosts = many.slice(0, 300).map((host) => `\`${host}\``)
  const paths = Array.from({ length: 200 }, (_, n) => `PathPrefix(\`/${n}\`)`).join(' || ')
  const rule = `Host(${hosts.join(',')}) && (${paths})`
  const each = { service: 's', rule }
  const wide = fileOf({ a: each, b: each, c: each, d: each })
  assert.match(
    linesOf(wide).join('\n'),
    /left_out \/http\/routers -: the whole: its routers name more than 200000 hosts/,
  )
  assert.deepEqual(readTraefik('http: &a { routers: *a, services: *a, middlewares: *a }').sites, [])
})
