import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNginx } from './read-nginx.ts'

const siteOf = (text: string, domain = 'a.example.org') => {
  const found = readNginx(text).sites.find(({ site }) => site.domains?.includes(domain))
  assert.ok(found !== undefined, text)
  return found.site
}
const linesOf = (text: string) => readNginx(text).report.map(({ outcome, path, what }) => `${outcome} ${path}: ${what}`)
const server = (inside: string) => `server { listen 443 ssl; server_name a.example.org; ${inside} }`
const main = 'location / { proxy_pass http://h:1; }'

test('what stands outside of servers and may keep visitors away switches their sites off', () => {
  for (const outer of [
    'auth_basic "x"; auth_basic_user_file /etc/users;',
    'allow 10.0.0.0/8; deny all;',
    'ssl_verify_client on;',
    'auth_request /auth;',
    'include /etc/nginx/who-may-come.conf;',
    'include /etc/nginx/geo-headers.conf;',
  ])
    for (const text of [`http { ${outer} ${server(main)} }`, `${outer} ${server(main)}`]) {
      assert.equal(siteOf(text).enabled, false, text)
      assert.match(linesOf(text).join('\n'), /outside of servers: .*; the site is switched off/)
    }
})

test('a usual file around servers keeps their sites on', () => {
  const text = `
user www-data;
include /etc/nginx/modules-enabled/*.conf;
events { worker_connections 768; }
http {
  include /etc/nginx/mime.types;
  ssl_verify_client off;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  limit_req_zone $binary_remote_addr zone=a:10m rate=1r/s;
  include /etc/nginx/conf.d/*.conf;
  include /etc/nginx/sites-enabled/*;
  ${server(main)}
}`
  assert.equal(siteOf(text).enabled, true, linesOf(text).join('\n'))
  const lines = linesOf(text)
  assert.ok(lines.includes('lost include, line 10: the files /etc/nginx/conf.d/*.conf, which are not read'))
  assert.ok(lines.includes('lost include, line 11: the files /etc/nginx/sites-enabled/*, which are not read'))
  assert.doesNotMatch(lines.join('\n'), /mime\.types|modules-enabled/)
})

test('a server that says itself who may come inherits nothing of it', () => {
  const outer = 'auth_basic "x"; auth_basic_user_file /etc/users; deny all;'
  const text = `http { ${outer} ${server(`auth_basic off; allow all; ${main}`)} }`
  assert.equal(siteOf(text).enabled, true, linesOf(text).join('\n'))
})

test('a file that a location includes is looked at like one of its server', () => {
  const admin = (inside: string) => server(`${main} location /admin/ { proxy_pass http://h:2; ${inside} }`)
  assert.equal(siteOf(admin('include /config/nginx/authelia-location.conf;')).enabled, false)
  assert.equal(siteOf(server(`${main} location ~ ^/admin { include /config/nginx/authelia.conf; }`)).enabled, false)
  const harmless = admin('include /config/nginx/proxy.conf; limit_req zone=a;')
  assert.equal(siteOf(harmless).enabled, true)
  for (const line of [
    /^lost .*: in the location \/admin\/: the file \/config\/nginx\/proxy\.conf, which is not read$/m,
    /^lost .*: in the location \/admin\/: limit_req zone=a$/m,
  ])
    assert.match(linesOf(harmless).join('\n'), line)
})

test('files whose name says that they decide are never harmless', () => {
  for (const file of ['verify-ssl.conf', 'client-headers.conf', 'allow_proxy.conf', 'block-cache.conf', 'acl-params'])
    assert.equal(siteOf(server(`include /etc/nginx/${file}; ${main}`)).enabled, false, file)
})

test('a word within another one makes no file harmless', () => {
  for (const file of [
    'login.conf',
    'vouch-proxy.conf',
    'catalogs.conf',
    'myproxyrules.conf',
    'sso-headers.conf',
    'lan-proxy.conf',
    'internal-ssl.conf',
    'restrict_proxy.conf',
    'mutual-tls.conf',
  ])
    assert.equal(siteOf(server(`include snippets/${file}; ${main}`)).enabled, false, file)
  for (const file of [
    'options-ssl-nginx.conf',
    'proxy.conf',
    'proxy_params',
    'fastcgi_params',
    'security-headers.conf',
    'access_log.conf',
    'load-balance-cache.conf',
    'websocket.conf',
    'resolver.conf',
  ])
    assert.equal(siteOf(server(`include /usr/local/nginx/conf/${file}; ${main}`)).enabled, true, file)
})

test('directives of further modules that decide who may come switch a site off', () => {
  for (const directive of [
    'auth_digest "x"',
    'auth_ldap "x"',
    'auth_pam "x"',
    'auth_oidc x',
    'modsecurity on',
    'secure_link_md5 "x"',
    'server_rewrite_by_lua_file x.lua',
    'access_by_lua_file x.lua',
    'SecRulesEnabled',
  ])
    assert.equal(siteOf(server(`${directive}; ${main}`)).enabled, false, directive)
  assert.equal(siteOf(server(`log_by_lua_file x.lua; ${main}`)).enabled, true)
})

test('networks switch a site off where visitors come through another proxy', () => {
  const real = 'set_real_ip_from 10.0.0.1; real_ip_header X-Forwarded-For;'
  const near = 'allow 10.0.0.0/8; deny all;'
  assert.equal(siteOf(server(`${real} ${near} ${main}`)).enabled, false)
  assert.equal(siteOf(`http { ${real} ${server(`${near} ${main}`)} }`).enabled, false)
  assert.match(linesOf(server(`${real} ${near} ${main}`)).join('\n'), /networks of visitors behind other proxies/)
  assert.equal(siteOf(`http { ${real} ${server(main)} }`).enabled, true)
  assert.equal(siteOf(server(`${near} ${main}`)).enabled, true)
})

test('a folder of which nginx served certain files only is left out', () => {
  const files = (tried: string) => server(`root /srv/app; location / { try_files ${tried}; }`)
  for (const tried of ['/maintenance.html @app', '/index.html =404', '/dev/null @app']) {
    assert.deepEqual(readNginx(files(tried)).sites, [], tried)
    assert.match(linesOf(files(tried)).join('\n'), /left_out .*: try_files/)
  }
  for (const tried of ['$uri $uri/ =404', '$uri /index.html', '${uri} @app'])
    assert.equal(siteOf(files(tried)).kind, 'static', tried)
  const back = (inside: string) => siteOf(server(`${main} location ~ ^/private { ${inside} }`)).enabled
  assert.equal(back('try_files /dev/null =404;'), false)
  assert.equal(back('try_files $fastcgi_script_name =404; fastcgi_pass h:9000;'), true)
})

test('a plain server that leads to one of its own names over HTTPS is part of that site', () => {
  const plain = (inside: string) => `server { listen 80; server_name a.example.org www.example.org; ${inside} }`
  const redirect = 'return 301 https://a.example.org$request_uri;'
  const secure = `server { listen 443 ssl; server_name a.example.org; ${main} } server { listen 443 ssl; server_name www.example.org; ${redirect} }`
  for (const text of [
    `${plain(redirect)} ${secure}`,
    `${plain('return 308 https://$host$request_uri;')} ${secure}`,
    `${plain(`location ^~ /.well-known/acme-challenge/ { root /var/www; } location / { ${redirect} }`)} ${secure}`,
  ]) {
    const { sites } = readNginx(text)
    assert.deepEqual(
      sites.map(({ site }) => [site.domains, site.kind, site.force_https]),
      [
        [['a.example.org'], 'proxy', true],
        [['www.example.org'], 'redirect', true],
      ],
      text,
    )
  }
  const half = `${plain(redirect)} ${server(main)}`
  assert.deepEqual(
    readNginx(half).sites.map(({ site }) => [site.domains, site.kind]),
    [
      [['www.example.org'], 'redirect'],
      [['a.example.org'], 'proxy'],
    ],
  )
  assert.deepEqual(readNginx(plain(redirect)).sites, [])
  assert.match(linesOf(plain(redirect)).join('\n'), /left_out .*: a redirect to HTTPS, where nothing answers/)
})

test('a server that listens at certain addresses only is switched off', () => {
  const listening = (...addresses: string[]) =>
    `server { ${addresses.map((address) => `listen ${address};`).join(' ')} server_name a.example.org; ${main} }`
  for (const addresses of [
    ['127.0.0.1:80'],
    ['10.0.0.1'],
    ['unix:/run/a.sock'],
    ['[::1]:443 ssl', '10.0.0.1:443 ssl'],
    ['8080'],
    ['8443 ssl'],
    ['*:8080', '[::]:8080'],
    ['0.0.0.0:81', '127.0.0.1:80'],
  ])
    assert.equal(siteOf(listening(...addresses)).enabled, false, addresses.join())
  for (const addresses of [
    [],
    ['80'],
    ['*:80'],
    ['0.0.0.0:80'],
    ['[::]:80'],
    ['127.0.0.1:80', '443 ssl'],
    ['8080', '80'],
  ])
    assert.equal(siteOf(listening(...addresses)).enabled, true, addresses.join())
  assert.match(
    linesOf(listening('127.0.0.1:80')).join('\n'),
    /it listens on 127\.0\.0\.1:80 only; the site is switched/,
  )
})

test('a server with an answer of its own gives it everywhere', () => {
  const site = siteOf(server(`return 403; ${main} location /x/ { proxy_pass http://h:2; }`))
  assert.deepEqual([site.kind, site.respond, site.paths], ['respond', { status: 403, body: '' }, []])
})

test('of networks the first rule counts', () => {
  for (const [rules, access] of [
    ['deny all; allow 10.0.0.0/8;', { deny: ['0.0.0.0/0', '::/0'] }],
    ['allow 10.0.0.0/8; deny all; allow 192.168.0.0/16;', { allow: ['10.0.0.0/8'], deny: [] }],
    ['allow all; deny 10.0.0.0/8;', { allow: [], deny: [] }],
    ['deny 10.0.0.1; allow 10.0.0.0/8; deny all;', { allow: ['10.0.0.0/8'], deny: ['10.0.0.1'] }],
    ['allow 10.0.0.1; deny 10.0.0.0/8;', { allow: [], deny: ['10.0.0.0/8'] }],
  ] as const)
    assert.deepEqual(siteOf(server(`${rules} ${main}`)).access, access, rules)
  const stricter = /networks that are denied are refused also where an earlier rule allowed them/
  assert.match(linesOf(server(`allow 10.0.0.1; deny 10.0.0.0/8; ${main}`)).join('\n'), stricter)
  assert.doesNotMatch(linesOf(server(`deny 10.0.0.1; allow 10.0.0.0/8; deny all; ${main}`)).join('\n'), stricter)
})

test('a location that ends within a word of the address is no path that keeps all of it back', () => {
  assert.equal(siteOf(server(`${main} location /wp- { return 403; }`)).enabled, false)
  assert.equal(siteOf(server(`${main} location /wp/ { return 403; }`)).enabled, true)
  const api = server(`${main} location /api { proxy_pass http://h:2; }`)
  assert.equal(siteOf(api).enabled, true)
  assert.match(linesOf(api).join('\n'), /^changed .*: the location \/api was for all addresses that begin so/m)
})

test('a folder whose scripts were run is not served as files', () => {
  const script = 'location ~ \\.php$ { fastcgi_pass h:9000; }'
  assert.equal(siteOf(server(`root /srv/www; ${script}`)).enabled, false)
  assert.equal(siteOf(server(`${main} ${script}`)).enabled, true)
})

test('servers of a group that stand aside are in the report', () => {
  const text = `upstream g { server h:1; server h:2 backup; server h:3 down; } ${server('location / { proxy_pass http://g; }')}`
  assert.deepEqual(siteOf(text).upstreams, [{ url: 'http://h:1', weight: 1 }])
  for (const line of [
    /lost upstream, line 1: the server h:2, .* backup/,
    /lost upstream, line 1: the server h:3, .* down/,
  ])
    assert.match(linesOf(text).join('\n'), line)
})

test('names whose site is left out or switched off are closed to wildcards', () => {
  const named = (name: string, inside: string) => `server { listen 443 ssl; server_name ${name}; ${inside} }`
  const text = [
    named('*.example.org', main),
    named('a.example.org', `auth_basic "x"; ${main}`),
    named('b.example.org', 'location / { fastcgi_pass h:1; }'),
    named('c.example.org', main),
    'server { listen 80; server_name d.example.org; return 301 https://$host$request_uri; }',
  ].join('\n')
  assert.deepEqual(readNginx(text).closed, ['a.example.org', 'b.example.org'])
})
