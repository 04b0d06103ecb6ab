import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeNpmDatabase, type NpmFixture } from '../../../test/npm-fixture.ts'
import { SiteCreate } from '../../sites/schema.ts'
import { readNpmDatabase } from './npm-database.ts'
import { readNpm, type NpmDependencies } from './read-npm.ts'

const parts: NpmDependencies = { hashPassword: (password) => Promise.resolve(`hash of ${password}`) }
const read = async (rows: NpmFixture, more: Partial<NpmDependencies> = {}) => {
  const tables = await readNpmDatabase(await makeNpmDatabase(rows))
  const { sites, report } = await readNpm(tables, { ...parts, ...more })
  return {
    sites: sites.map(({ site, hashes, certificate }) => ({ hashes, certificate, site: SiteCreate.parse(site) })),
    report: report.map(({ outcome, path, what }) => `${outcome} ${path}: ${what}`),
  }
}
const host = { domain_names: ['App.example.org', 'www.example.org'], forward_host: '10.0.0.5', forward_port: 8080 }
const letsEncrypt = [{ id: 1, provider: 'letsencrypt', domain_names: ['app.example.org'] }]

describe('Nginx Proxy Manager hosts', () => {
  test('a proxy host is imported with its certificate, options and locations', async () => {
    const { sites, report } = await read({
      certificate: letsEncrypt,
      proxy_host: [
        {
          id: 3,
          ...host,
          forward_scheme: 'https',
          certificate_id: 1,
          ssl_forced: 1,
          hsts_enabled: 1,
          hsts_subdomains: 1,
          locations: [
            {
              path: '/api/',
              forward_scheme: 'http',
              forward_host: '10.0.0.6',
              forward_port: '90',
              advanced_config: '',
            },
            { path: '= /one', forward_scheme: 'http', forward_host: 'fd00::1', forward_port: 90 },
            { path: '~ \\.php$', forward_scheme: 'http', forward_host: '10.0.0.6', forward_port: 90 },
          ],
        },
      ],
    })
    assert.deepEqual(report, [
      'lost proxy_host 3: the location ~ \\.php$, which is found by a pattern or forwarded to a path',
    ])
    const [{ site } = assert.fail()] = sites
    assert.deepEqual(site.domains, ['app.example.org', 'www.example.org'])
    assert.deepEqual(
      site.upstreams.map(({ url }) => url),
      ['https://10.0.0.5:8080'],
    )
    assert.equal(site.upstream_tls.verify, false)
    assert.deepEqual([site.tls.mode, site.force_https, site.enabled], ['auto', true, true])
    assert.deepEqual(site.hsts, { max_age: 63_072_000, subdomains: true, preload: true })
    assert.deepEqual(
      site.paths.map(({ match, path, upstreams }) => [match, path, upstreams[0]?.url]),
      [
        ['prefix', '/api/', 'http://10.0.0.6:90'],
        ['exact', '/one', 'http://[fd00::1]:90'],
      ],
    )
  })

  test('a host without a certificate uses plain HTTP, a disabled one stays disabled, a deleted one is skipped', async () => {
    const { sites, report } = await read({
      proxy_host: [
        { id: 1, ...host, enabled: 0 },
        { id: 2, ...host, is_deleted: 1 },
      ],
    })
    assert.deepEqual(report, [])
    assert.deepEqual(
      sites.map(({ site }) => [site.enabled, site.tls.mode, site.force_https]),
      [[false, 'off', false]],
    )
  })

  test('unsupported features are reported, and directives that guard a host disable it', async () => {
    const { sites, report } = await read({
      proxy_host: [
        { id: 1, ...host, caching_enabled: 1, block_exploits: 1, advanced_config: '# nothing\nproxy_read_timeout 90;' },
        { id: 2, ...host, domain_names: ['guarded.example.org'], advanced_config: 'deny all;' },
        { id: 3, ...host, domain_names: ['sub.example.org'], forward_host: '10.0.0.5/path' },
        { id: 4, ...host, domain_names: [] },
      ],
      stream: [{ id: 7, incoming_port: 2222, forwarding_host: '10.0.0.9', forwarding_port: 22 }],
    })
    assert.deepEqual(report, [
      'lost proxy_host 1: caching of images, scripts and styles',
      'lost proxy_host 1: the rules against common attacks',
      'lost proxy_host 1: directives of nginx: proxy_read_timeout 90;',
      'lost proxy_host 2: directives of nginx: deny all;',
      'changed proxy_host 2: the directives may decide who may come or what is answered, so the site is switched off',
      'left_out proxy_host 3: a host that is forwarded to something else than a server and its port',
      'left_out proxy_host 4: a host without names',
      'left_out stream 7: the stream from port 2222 to 10.0.0.9:22: not possible with stock Caddy',
    ])
    assert.deepEqual(
      sites.map(({ site }) => [site.site_name, site.enabled]),
      [
        ['app.example.org', true],
        ['guarded.example.org', false],
      ],
    )
  })

  test('directives that may decide who comes switch a host off, also in a file, and those that cannot be read', async () => {
    const enabledWith = async (advanced_config: string, more: object = {}) => {
      const { sites } = await read({ proxy_host: [{ id: 1, ...host, advanced_config, ...more }] })
      return sites[0]?.site.enabled
    }
    for (const text of [
      'ssl_client_certificate /data/ca.crt; ssl_verify_client on;',
      'include /data/nginx/custom/lan-only.conf;',
      'auth_jwt "x" token=$arg_token;',
      'access_by_lua_file /data/x.lua;',
      'geoip2 /data/x.mmdb { }',
      'secure_link $arg_a,$arg_b;',
      'add_header X "#"; deny all;',
      'location ~ ^/admin { proxy_pass http://h:1; }',
      'limit_rate 1k;',
      'proxy_set_header X "y',
      'access_by_lua_block { ngx.exit(403) }',
      `${'# x\n'.repeat(30_000)}deny all;`,
    ])
      assert.equal(await enabledWith(text), false, text.slice(0, 60))
    for (const text of [
      '',
      '# deny all;',
      'client_max_body_size 0;\nproxy_buffering off;',
      'add_header X-Robots-Tag "noindex; deny all";',
      'include conf.d/include/proxy.conf;',
      'real_ip_header CF-Connecting-IP;',
    ])
      assert.equal(await enabledWith(text), true, text)
    const inner = [{ path: '/a/', forward_host: 'h', forward_port: 1, advanced_config: 'auth_request /x;' }]
    assert.equal(await enabledWith('', { locations: inner }), false)
  })

  test('names of hosts that are left out or switched off are closed to wildcards, and not those that were off', async () => {
    const named = (id: number, name: string, more: object) => ({ id, ...host, domain_names: [name], ...more })
    const tables = await readNpmDatabase(
      await makeNpmDatabase({
        proxy_host: [
          named(1, '*.example.org', {}),
          named(2, 'a.example.org', { advanced_config: 'deny all;' }),
          named(3, 'b.example.org', { forward_host: '10.0.0.5/path' }),
          named(4, 'c.example.org', { enabled: 0 }),
          named(5, 'd.example.org', { enabled: 0, advanced_config: 'deny all;' }),
        ],
      }),
    )
    assert.deepEqual((await readNpm(tables, parts)).closed, ['a.example.org', 'b.example.org'])
  })

  test('an access list whose visitors come through another proxy switches its host off', async () => {
    const { sites } = await read({
      access_list: [{ id: 1 }],
      access_list_client: [{ access_list_id: 1, address: '10.0.0.0/8', directive: 'allow' }],
      proxy_host: [{ id: 1, ...host, access_list_id: 1, advanced_config: 'real_ip_header CF-Connecting-IP;' }],
    })
    assert.equal(sites[0]?.site.enabled, false)
  })

  test('an access list without networks, or that refuses everybody first, lets nobody in', async () => {
    const lists = [1, 2, 3, 4]
    const { sites, report } = await read({
      access_list: [{ id: 1 }, { id: 2, satisfy_any: 1 }, { id: 3 }, { id: 4 }],
      access_list_client: [
        { access_list_id: 3, address: 'all', directive: 'deny' },
        { access_list_id: 3, address: '10.0.0.0/8', directive: 'allow' },
        { access_list_id: 4, address: 'all', directive: 'deny' },
        { access_list_id: 4, address: 'all', directive: 'allow' },
      ],
      proxy_host: lists.map((id) => ({ id, ...host, domain_names: [`l${id}.example.org`], access_list_id: id })),
    })
    assert.deepEqual(
      sites.map(({ site }) => [site.access.allow, site.access.deny]),
      lists.map(() => [[], ['0.0.0.0/0', '::/0']]),
    )
    assert.deepEqual(
      report,
      lists.map((id) => `changed proxy_host ${id}: the list allows no network, so it lets nobody in; that stays so`),
    )
  })

  test('access lists become users and networks, and nobody gains access', async () => {
    const bcrypt = '$2a$12$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG'
    const access = (id: number) => ({ id, ...host, domain_names: [`l${id}.example.org`], access_list_id: id })
    const { sites, report } = await read({
      access_list: [
        { id: 1, name: 'both', pass_auth: 0 },
        { id: 2, name: 'either', satisfy_any: 1 },
        { id: 3, name: 'users of another kind', satisfy_any: 1 },
        { id: 4, name: 'nobody' },
      ],
      access_list_auth: [
        { access_list_id: 1, username: 'bob', password: 'secret' },
        { access_list_id: 1, username: 'eve', password: bcrypt },
        { access_list_id: 2, username: 'bob', password: 'secret' },
        { access_list_id: 3, username: 'bob', password: '$apr1$abcdefgh$0123456789012345678901' },
        { access_list_id: 4, username: 'bob', password: 'secret' },
      ],
      access_list_client: [
        { access_list_id: 1, address: 'all', directive: 'allow' },
        { access_list_id: 1, address: '192.0.2.0/24', directive: 'deny' },
        { access_list_id: 2, address: '10.0.0.0/8', directive: 'allow' },
      ],
      proxy_host: [access(1), access(2), access(3), access(4), { ...access(5), access_list_id: 99 }],
    })
    const view = sites.map(({ site, hashes }) => [
      site.enabled,
      hashes,
      site.access.allow,
      site.access.deny,
      site.request_headers.length,
    ])
    assert.deepEqual(view, [
      [true, { bob: 'hash of secret', eve: bcrypt }, [], ['192.0.2.0/24'], 1],
      [true, { bob: 'hash of secret' }, ['10.0.0.0/8'], [], 0],
      [false, {}, [], [], 0],
      [true, { bob: 'hash of secret' }, [], ['0.0.0.0/0', '::/0'], 0],
      [false, {}, [], [], 0],
    ])
    assert.deepEqual(report, [
      'changed proxy_host 2: a network or a password was enough; now visitors need both',
      'changed proxy_host 3: the password of bob cannot be taken over',
      'changed proxy_host 3: nobody of the access list can be taken over; the site is switched off',
      'changed proxy_host 4: the list allows no network, so it lets nobody in, with a password or without; that stays so',
      'changed proxy_host 5: the access list 99, which is not there; the site is switched off',
    ])
  })

  test('redirections, dead hosts and uploaded certificates are imported', async () => {
    const { sites, report } = await read(
      {
        certificate: [
          {
            id: 1,
            provider: 'other',
            meta: { certificate: 'LEAF\n', certificate_key: 'KEY', intermediate_certificate: 'CHAIN' },
          },
          { id: 2, provider: 'other' },
          { id: 3, provider: 'other' },
        ],
        redirection_host: [
          {
            id: 1,
            domain_names: ['a.example.org'],
            forward_domain_name: 'b.example.org',
            forward_scheme: 'https',
            forward_http_code: 301,
            preserve_path: 1,
            certificate_id: 1,
            ssl_forced: 1,
          },
          {
            id: 2,
            domain_names: ['c.example.org'],
            forward_domain_name: 'b.example.org/x',
            forward_http_code: 303,
            certificate_id: 2,
          },
          { id: 3, domain_names: ['d.example.org'], forward_domain_name: 'b.example.org;return' },
        ],
        dead_host: [{ id: 1, domain_names: ['gone.lan'], certificate_id: 3 }],
      },
      { customCertificate: (id) => Promise.resolve(id === 2 ? { certificate: 'FILE', key: 'FILE KEY' } : undefined) },
    )
    assert.deepEqual(
      sites.map(({ site, certificate }) => [site.redirect ?? site.respond?.status, site.tls.mode, certificate]),
      [
        [
          { to: 'https://b.example.org', code: 301, keep_path: true },
          'custom',
          { certificate: 'LEAF\nCHAIN', key: 'KEY' },
        ],
        [
          { to: 'https://b.example.org/x', code: 302, keep_path: false },
          'custom',
          { certificate: 'FILE', key: 'FILE KEY' },
        ],
        [404, 'internal', undefined],
      ],
    )
    assert.deepEqual(report, [
      'changed redirection_host 2: a redirect that keeps the scheme; now it leads to https',
      'changed redirection_host 2: the status 303 of a redirect, which becomes 302',
      'left_out redirection_host 3: a redirect to something that is no address',
      'changed dead_host 1: the certificate 3, whose files are not at hand; until it is uploaded, Caddy gets one itself',
    ])
  })

  test('older versions with fewer columns are read, and a write-ahead log is noted', async () => {
    const bytes = await makeNpmDatabase(
      { proxy_host: [{ id: 1, ...host }] },
      { isRecent: false, sql: 'drop table access_list_client; pragma journal_mode = wal' },
    )
    assert.deepEqual([bytes[18], bytes[19]], [2, 2])
    const { sites } = await readNpm(await readNpmDatabase(bytes), parts)
    assert.deepEqual(
      sites.map(({ site }) => site.domains),
      [['app.example.org', 'www.example.org']],
    )
  })
})
