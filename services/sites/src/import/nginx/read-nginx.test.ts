import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, constantFrom, property } from 'fast-check'
import { SiteCreate } from '../../sites/schema.ts'
import { NginxUnreadable, readDirectives } from './nginx-directives.ts'
import { readNginx } from './read-nginx.ts'

const siteOf = (text: string, domain: string) => {
  const found = readNginx(text).sites.find(({ site }) => site.domains?.includes(domain))
  assert.ok(found !== undefined, domain)
  assert.ok(SiteCreate.safeParse(found.site).success, JSON.stringify(SiteCreate.safeParse(found.site).error?.issues))
  return found.site
}
const linesOf = (text: string) => readNginx(text).report.map(({ outcome, path, what }) => `${outcome} ${path}: ${what}`)
const server = (inside: string) => `server { listen 443 ssl; server_name a.example.org; ${inside} }`

const plain = `
# shop
upstream shop { least_conn; server 10.0.0.5:8080; server 10.0.0.6:8080; server 10.0.0.9:1 backup; }
server {
  listen 80; listen [::]:80;
  server_name shop.example.org www.shop.example.org;
  return 301 https://$host$request_uri;
}
server {
  listen 443 ssl http2;
  server_name shop.example.org "www.shop.example.org";
  ssl_certificate /etc/letsencrypt/live/shop/fullchain.pem;
  include /etc/letsencrypt/options-ssl-nginx.conf;
  client_max_body_size 50m;
  gzip on;
  allow 10.0.0.0/8; allow 192.168.1.5; deny all;
  add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;
  add_header X-Frame-Options SAMEORIGIN;
  location / {
    proxy_pass http://shop;
    proxy_set_header Host $host;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Shop "yes";
    proxy_set_header X-Odd $request_id;
    proxy_read_timeout 10m;
  }
  location /api/ { proxy_pass http://10.0.0.7:3000/; }
  location = /status { return 200 "fine"; }
  location /old/ { return 302 https://old.example.org$request_uri; }
  location ~ \\.php$ { fastcgi_pass unix:/run/php.sock; }
}
`

test('a server becomes a site with its paths, networks, headers and upstreams', () => {
  const site = siteOf(plain, 'shop.example.org')
  assert.deepEqual(
    { ...site, paths: undefined },
    {
      site_name: 'shop.example.org',
      domains: ['shop.example.org', 'www.shop.example.org'],
      kind: 'proxy',
      upstreams: [
        { url: 'http://10.0.0.5:8080', weight: 1 },
        { url: 'http://10.0.0.6:8080', weight: 1 },
      ],
      lb: { policy: 'least_conn' },
      upstream_host: 'client',
      timeouts: { read: 600 },
      request_headers: [{ op: 'set', name: 'X-Shop', value: 'yes' }],
      response_headers: [{ op: 'set', name: 'X-Frame-Options', value: 'SAMEORIGIN' }],
      paths: undefined,
      access: { allow: ['10.0.0.0/8', '192.168.1.5'], deny: [] },
      tls: { mode: 'auto' },
      force_https: true,
      hsts: { max_age: 31_536_000, subdomains: true, preload: false },
      compression: 'gzip',
      max_body: 52_428_800,
      enabled: true,
    },
  )
  assert.deepEqual(
    site.paths?.map(({ match, path, kind, strip }) => [match, path, kind, strip]),
    [
      ['prefix', '/api/', 'proxy', true],
      ['exact', '/status', 'respond', false],
      ['prefix', '/old/', 'redirect', false],
    ],
  )
  assert.deepEqual(site.paths?.[2]?.redirect, { to: 'https://old.example.org', code: 302, keep_path: true })
  assert.equal(readNginx(plain).sites.length, 1, 'what only leads to HTTPS is part of it')
  const lines = linesOf(plain)
  for (const line of [
    /^lost server, line 9: the file \/etc\/letsencrypt\/options-ssl-nginx.conf, which is not read/,
    /^lost server, line 9: proxy_set_header X-Odd \$request_id/,
    /^lost server, line 9: the location ~ \\.php\$/,
    /^changed server, line 9: its certificate/,
    /^lost upstream, line 3: the server 10\.0\.0\.9:1, which is marked backup/,
  ])
    assert.ok(
      lines.some((one) => line.test(one)),
      `${line} in ${lines.join('\n')}`,
    )
})

test('a site of SWAG gets its upstream from variables', () => {
  const text = `server {
    listen 443 ssl;
    server_name jellyfin.example.org;
    include /config/nginx/ssl.conf;
    location / {
        include /config/nginx/proxy.conf;
        include /config/nginx/resolver.conf;
        set $upstream_app jellyfin;
        set $upstream_port 8096;
        set $upstream_proto http;
        proxy_pass $upstream_proto://$upstream_app:$upstream_port;
    }
}`
  const site = siteOf(text, 'jellyfin.example.org')
  assert.deepEqual(
    [site.enabled, site.upstreams, site.upstream_host],
    [true, [{ url: 'http://jellyfin:8096', weight: 1 }], 'client'],
  )
  const guarded = text.replace('location / {', 'include /config/nginx/authelia-server.conf; location / {')
  assert.equal(siteOf(guarded, 'jellyfin.example.org').enabled, false)
  assert.match(
    linesOf(text.replace('jellyfin.example.org', 'jellyfin.*')).join('\n'),
    /the name jellyfin\.\*, which is no domain/,
  )
})

test('redirects, folders and certbot’s redirect to HTTPS are read', () => {
  const text = `
http {
  server { listen 80; server_name a.example.org; if ($host = a.example.org) { return 301 https://$host$request_uri; } return 404; }
  server { listen 443 ssl; server_name a.example.org; root /srv/www/; location / { try_files $uri $uri/ /index.html; } }
  server { listen 443 ssl; server_name b.example.org; return 301 https://a.example.org$request_uri; }
  server { listen 80; server_name c.home.arpa; location / { proxy_pass https://10.0.0.8; } }
}`
  const [a, b, c] = ['a.example.org', 'b.example.org', 'c.home.arpa'].map((name) => siteOf(text, name))
  assert.deepEqual(
    [a?.kind, a?.static, a?.force_https],
    ['static', { root: '/srv/www', index: ['index.html'], browse: false, fallback: '/index.html' }, true],
  )
  assert.deepEqual([b?.kind, b?.redirect], ['redirect', { to: 'https://a.example.org', code: 301, keep_path: true }])
  assert.deepEqual([c?.tls, c?.upstream_tls, c?.upstream_host], [{ mode: 'off' }, { verify: false }, 'upstream'])
})

test('a site that would stand more open than before is switched off', () => {
  for (const inside of [
    'auth_basic "x"; auth_basic_user_file /etc/users; location / { proxy_pass http://h:1; }',
    'location / { auth_request /auth; proxy_pass http://h:1; }',
    'location / { allow 10.0.0.0/8; deny all; proxy_pass http://h:1; }',
    'location / { proxy_pass http://h:1; } location /admin { deny all; proxy_pass http://h:1; }',
    'location / { proxy_pass http://h:1; } location ~ /\\. { deny all; }',
    'location / { proxy_pass http://h:1; } location ~* \\.git { return 403; }',
    'ssl_verify_client on; location / { proxy_pass http://h:1; }',
    'include /etc/nginx/who-may-come.conf; location / { proxy_pass http://h:1; }',
    'if ($x) { return 403; } location / { proxy_pass http://h:1; }',
    'location / { proxy_pass http://h:1; location /inner { deny all; } }',
    'location / { proxy_pass http://h:1; } location /x { proxy_pass http://h:2; location /x/y { deny all; } }',
    'rewrite ^/a /b; location / { proxy_pass http://h:1; }',
  ])
    assert.equal(siteOf(server(inside), 'a.example.org').enabled, false, inside)
  assert.equal(siteOf(server('auth_basic off; location / { proxy_pass http://h:1; }'), 'a.example.org').enabled, true)
})

test('a server whose answers cannot be taken over is left out', () => {
  for (const [inside, reason] of [
    ['location / { proxy_pass http://h:1/below/; }', /more than a server and its port/],
    ['location / { proxy_pass http://$unknown; }', /more than a server and its port/],
    ['location / { fastcgi_pass h:1; }', /fastcgi_pass: not possible/],
    ['return 301 https://$host$request_uri;', /a redirect to/],
  ] as const) {
    assert.deepEqual(readNginx(server(inside)).sites, [], inside)
    assert.match(linesOf(server(inside)).join('\n'), reason)
  }
  assert.match(linesOf('events {}').join('\n'), /no block server/)
})

test('a text that is no configuration says where it is wrong', () => {
  for (const [text, reason] of [
    ['server {', /line 1: \{ without \}/],
    ['\n}', /line 2: \} without \{/],
    ['a b c', /line 1: a directive without ;/],
    ['a;\n{ }', /line 2: \{ without a directive/],
    ['a "b', /line 1: a quotation mark/],
    ['a { '.repeat(30), /nested too deeply/],
  ] as const)
    assert.throws(() => readDirectives(text), reason, text)
})

test('any text is read in little time, without another error', () => {
  const piece = constantFrom(
    'server',
    'location',
    ' / ',
    '{',
    '}',
    ';',
    ' ',
    '\n',
    '"',
    "'",
    '\\',
    '#',
    '$',
    '${a}',
    'proxy_pass',
    'http://h',
    'server_name',
    'a.example',
  )
  check(
    property(array(piece, { maxLength: 300 }), (pieces) => {
      try {
        readNginx(pieces.join(''))
      } catch (error) {
        assert.ok(error instanceof NginxUnreadable, String(error))
      }
    }),
  )
  assert.throws(() => readDirectives('"'.concat('\\a'.repeat(200_000))), NginxUnreadable)
  assert.throws(() => readDirectives('a'.repeat(500_000)), NginxUnreadable)
})
