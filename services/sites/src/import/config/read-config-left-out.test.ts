import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readConfig, type ImportReading } from './read-config.ts'

const proxy = { handler: 'reverse_proxy', upstreams: [{ dial: '10.0.0.5:80' }] }
const hello = { handler: 'static_response', body: 'hello' }
const a = { host: ['a.example.org'] }
const https = (routes: object[], more: object = {}) => ({ srv0: { listen: [':443'], routes, ...more } })
const read = (servers: object) => readConfig({ apps: { http: { servers } } })
const about = ({ report }: ImportReading) => report.map(({ outcome, what }) => `${outcome}: ${what}`)

/** Routes of one site, and why it is left out. */
const leftOut: Record<string, [routes: object[], why: RegExp]> = {
  'a sign-in for one path': [
    [{ match: [{ path: ['/admin/*'] }], handle: [{ handler: 'authentication' }] }, { handle: [proxy] }],
    /what is done for \/admin\/\* only \(authentication\)/,
  ],
  'a sign-in after a path was answered': [
    [
      { match: [{ path: ['/open'] }], handle: [hello] },
      {
        handle: [
          { handler: 'authentication', providers: { http_basic: { accounts: [{ username: 'a', password: 'x' }] } } },
          proxy,
        ],
      },
    ],
    /something that a site does earlier \(basic auth\)/,
  ],
  'passwords of another kind': [
    [{ handle: [{ handler: 'authentication', providers: { http_basic: { hash: { algorithm: 'scrypt' } } } }, proxy] }],
    /not stored with bcrypt/,
  ],
  'a sign-in of another kind': [
    [{ handle: [{ handler: 'authentication', providers: { jwt: {} } }, proxy] }],
    /a kind of sign-in/,
  ],
  'networks that are refused after a path was answered': [
    [
      { match: [{ path: ['/open/*'] }], handle: [hello] },
      {
        match: [{ remote_ip: { ranges: ['192.0.2.0/24'] } }],
        handle: [{ handler: 'static_response', status_code: 403 }],
      },
      { handle: [proxy] },
    ],
    /does earlier \(access\)/,
  ],
  'networks that are told by a header': [
    [
      {
        match: [{ remote_ip: { ranges: ['192.0.2.0/24'], forwarded: true } }],
        handle: [{ handler: 'static_response', status_code: 403 }],
      },
      { handle: [proxy] },
    ],
    /a condition on remote_ip/,
  ],
  'a condition on the method': [[{ match: [{ method: ['GET'] }], handle: [proxy] }], /a condition on method/],
  'a path and a network at once': [
    [{ match: [{ path: ['/a'], remote_ip: { ranges: ['::1'] } }], handle: [proxy] }],
    /a condition on path and remote_ip/,
  ],
  'a refusal of all that begins with a text': [
    [{ match: [{ path: ['/.ht*'] }], handle: [{ handler: 'static_response', status_code: 404 }] }, { handle: [proxy] }],
    /an answer for all that begins with \/\.ht/,
  ],
  'a redirect of all that begins with a text': [
    [
      {
        match: [{ path: ['/wp-*'] }],
        handle: [{ handler: 'static_response', status_code: 302, headers: { Location: ['https://b.example.org'] } }],
      },
      { handle: [proxy] },
    ],
    /a redirect of all that begins with \/wp-/,
  ],
  'a header that is changed for a path and for all': [
    [
      { match: [{ path: ['/a/*'] }], handle: [{ handler: 'headers', response: { set: { X: ['1'] } } }] },
      { handle: [{ handler: 'headers', response: { set: { x: ['2'] } } }, proxy] },
    ],
    /a header that is changed for some paths and for all/,
  ],
  'an unknown handler': [[{ handle: [{ handler: 'templates' }, proxy] }], /the handler templates/],
  'an unknown member of a proxy': [
    [{ handle: [{ ...proxy, dynamic_upstreams: {} }] }],
    /something a proxy of a site does not have/,
  ],
  'an upstream that depends on the request': [
    [{ handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: '{http.request.host}:80' }] }] }],
    /an upstream’s address/,
  ],
  'a secret of the server in an answer': [
    [{ handle: [{ handler: 'static_response', body: '{env.SECRET}' }] }],
    /the placeholder \{env\.SECRET\}/,
  ],
  'files without a directory': [[{ handle: [{ handler: 'file_server' }] }], /files without a directory/],
  'a route for requests without a header that skips later routes': [
    [
      {
        match: [{ header: { X: null } }],
        handle: [{ handler: 'headers', request: { set: { X: ['1'] } } }],
        terminal: true,
      },
      { handle: [proxy] },
    ],
    /a route for requests without a header that skips later routes/,
  ],
  FastCGI: [[{ handle: [{ ...proxy, transport: { protocol: 'fastcgi' } }] }], /does not speak HTTP/],
}

describe('a site that would behave differently is left out', () => {
  for (const [name, [routes, why]] of Object.entries(leftOut))
    test(name, () => {
      const reading = read(https([{ match: [a], handle: [{ handler: 'subroute', routes }], terminal: true }]))
      assert.deepEqual(reading.sites, [])
      assert.match(about(reading)[0] ?? '', why)
      assert.equal(reading.report[0]?.outcome, 'left_out')
      assert.equal(reading.report[0]?.site, 'a.example.org')
    })

  test('client certificates required by an unnamed policy', () => {
    const reading = read(
      https([{ match: [a], handle: [proxy] }], {
        tls_connection_policies: [{ client_authentication: { trusted_ca_certs: ['QQ=='] } }],
      }),
    )
    assert.deepEqual([reading.sites.length, about(reading).length], [0, 1])
  })

  test('different responses over plain HTTP', () => {
    const reading = read({
      ...https([{ match: [a], handle: [proxy] }]),
      plain: { listen: [':80'], routes: [{ match: [a], handle: [hello] }] },
    })
    assert.deepEqual(
      [reading.sites.length, about(reading)],
      [0, ['left_out: other answers over plain HTTP than over HTTPS']],
    )
  })
})

test('networks of visitors behind trusted proxies switch a site off', () => {
  const refusal = { handler: 'static_response', status_code: 403 }
  const routes = [
    {
      match: [{ ...a, not: [{ client_ip: { ranges: ['10.0.0.0/8'] } }] }],
      handle: [refusal],
      terminal: true,
    },
    { match: [a], handle: [proxy] },
    { match: [{ host: ['b.example.org'] }], handle: [proxy] },
  ]
  const enabled = (more: object) => read(https(routes, more)).sites.map(({ site }) => site.enabled)
  assert.deepEqual(enabled({}), [true, true])
  const trusted = { trusted_proxies: { source: 'static', ranges: ['10.0.0.1/32'] } }
  assert.deepEqual(enabled(trusted), [false, true])
  assert.match(
    about(read(https(routes, trusted))).join('\n'),
    /proxies that are trusted, .*; this site is switched off/,
  )
})

test('names whose site is left out or switched off are closed to wildcards', () => {
  const guarded = [{ match: [{ path: ['/admin/*'] }], handle: [{ handler: 'authentication' }] }, { handle: [proxy] }]
  const { sites, closed } = read({
    ...https([
      { match: [a], handle: [{ handler: 'subroute', routes: guarded }], terminal: true },
      { match: [{ host: ['b.example.org'] }], handle: [proxy] },
      { match: [{ host: ['*.example.org'] }], handle: [proxy] },
    ]),
    near: { listen: ['127.0.0.1:443'], routes: [{ match: [{ host: ['c.example.org'] }], handle: [proxy] }] },
  })
  assert.equal(sites.length, 3)
  assert.deepEqual(closed, ['a.example.org', 'c.example.org'])
})

test('a server with limited reach is not exposed further', () => {
  const stays = (listen: string[], options: Parameters<typeof readConfig>[1] = {}) => {
    const routes = [{ match: [{ host: ['own.test'] }], handle: [hello] }]
    const { sites } = readConfig({ apps: { http: { servers: { own: { listen, routes } } } } }, options)
    return sites.map(({ site }) => site.enabled !== false)
  }
  assert.deepEqual(stays([':80']), [true])
  assert.deepEqual(stays(['127.0.0.1:80']), [false])
  assert.deepEqual(stays(['127.0.0.1:80'], { bind: ['127.0.0.1'] }), [true])
  assert.deepEqual(stays(['127.0.0.1:80'], { bind: ['127.0.0.1', '192.0.2.1'] }), [false])
  assert.deepEqual(stays(['[::1]:80', '127.0.0.1:80'], { bind: ['::1'] }), [true])
  assert.deepEqual(stays([':8080'], { ports: { http: 8080, https: 8443 } }), [true])
  assert.deepEqual(stays([':8080']), [])
})
