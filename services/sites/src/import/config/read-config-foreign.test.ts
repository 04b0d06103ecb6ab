import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeRecord } from '../../../test/site-makers.ts'
import { readConfig, type ImportReading } from './read-config.ts'
import type { ReadOptions } from './site-reading.ts'

const proxy = { handler: 'reverse_proxy', upstreams: [{ dial: '10.0.0.5:80' }] }
const hello = { handler: 'static_response', body: 'hello' }
const a = { host: ['a.example.org'] }
const https = (routes: object[], more: object = {}) => ({ srv0: { listen: [':443'], routes, ...more } })
const read = (
  servers: object,
  { tls, options, ...others }: { tls?: object; options?: ReadOptions; logging?: object; storage?: object } = {},
) => readConfig({ ...others, apps: { http: { servers }, ...(tls && { tls }) } }, options)
const about = ({ report }: ImportReading) => report.map(({ outcome, what }) => `${outcome}: ${what}`)
const records = ({ sites }: ImportReading) => sites.map(({ site }) => makeRecord(site))

describe('hand-written routes', () => {
  test('several routes of a host become one site, in their order', () => {
    const [record] = records(
      read(
        https([
          { match: [{ ...a, path: ['/api', '/api/*'] }], handle: [proxy] },
          { match: [{ host: ['b.example.org'] }], handle: [hello] },
          { match: [a], handle: [hello] },
        ]),
      ),
    )
    assert.deepEqual(
      [record?.kind, record?.paths.map(({ path, kind }) => [path, kind])],
      ['respond', [['/api', 'proxy']]],
    )
  })

  test('a host below a wildcard becomes its own site, and preceding handlers apply to both', () => {
    const inner = [
      { handle: [{ handler: 'headers', response: { set: { X: ['1'] } } }] },
      { group: 'g', match: [{ host: ['one.example.org'] }], handle: [hello] },
      { group: 'g', handle: [proxy] },
    ]
    const all = records(
      read(https([{ match: [{ host: ['*.example.org'] }], handle: [{ handler: 'subroute', routes: inner }] }])),
    )
    assert.deepEqual(
      all.map(({ domains, kind, response_headers: headers }) => [domains[0], kind, headers.length]),
      [
        ['*.example.org', 'proxy', 1],
        ['one.example.org', 'respond', 1],
      ],
    )
  })

  test('unreachable routes are reported', () => {
    const reading = read(
      https([
        {
          match: [a],
          handle: [
            { handler: 'subroute', routes: [{ handle: [proxy] }, { match: [{ path: ['/x'] }], handle: [hello] }] },
          ],
        },
      ]),
    )
    assert.deepEqual(about(reading), ['lost: never reached: all requests are answered before'])
    assert.equal(records(reading)[0]?.paths.length, 0)
  })

  test('upstream weights are read, and Caddy’s default policy applies where none is named', () => {
    const upstreams = [{ dial: '10.0.0.5:80' }, { dial: 'unix//run/app.sock' }]
    const selection = { policy: 'weighted_round_robin', weights: [3, 1] }
    const [weighted, plain] = records(
      read(
        https([
          {
            match: [a],
            handle: [{ handler: 'reverse_proxy', upstreams, load_balancing: { selection_policy: selection } }],
          },
          { match: [{ host: ['b.example.org'] }], handle: [{ handler: 'reverse_proxy', upstreams }] },
        ]),
      ),
    )
    assert.deepEqual(
      weighted?.upstreams.map(({ url, weight }) => [url, weight]),
      [
        ['http://10.0.0.5:80', 3],
        ['unix//run/app.sock', 1],
      ],
    )
    assert.deepEqual([weighted?.lb.policy, plain?.lb.policy], ['weighted_round_robin', 'random'])
  })

  test('headers of the main proxy do not apply to the paths beside it', () => {
    const marked = { ...proxy, headers: { request: { set: { X: ['1'] } } } }
    const [record] = records(
      read(
        https([
          { match: [{ ...a, path: ['/a'] }], handle: [hello] },
          { match: [a], handle: [marked] },
        ]),
      ),
    )
    assert.deepEqual(record?.request_headers, [])
    assert.deepEqual(
      record?.paths.map(({ path, request_headers: headers }) => [path, headers.length]),
      [
        ['/a', 0],
        ['/', 1],
      ],
    )
  })

  test('headers for some paths become paths that are served like the rest', () => {
    const change = { handler: 'headers', response: { set: { 'Cache-Control': ['max-age=60'] } } }
    const [record] = records(
      read(
        https([
          { match: [{ ...a, path: ['/static', '/static/*', '/logo.svg'] }], handle: [change] },
          { match: [a], handle: [proxy] },
        ]),
      ),
    )
    assert.deepEqual(
      record?.paths.map(({ match, path, upstreams, response_headers: headers }) => [
        match,
        path,
        upstreams[0]?.url,
        headers[0]?.value,
      ]),
      [
        ['prefix', '/static', 'http://10.0.0.5:80', 'max-age=60'],
        ['exact', '/logo.svg', 'http://10.0.0.5:80', 'max-age=60'],
      ],
    )
    assert.deepEqual(record.response_headers, [])
  })

  test('newer Caddy versions send an HTTPS upstream its own server name', () => {
    const secure = https([{ match: [a], handle: [{ ...proxy, transport: { protocol: 'http', tls: {} } }] }])
    assert.equal(records(read(secure))[0]?.upstream_host, 'client')
    const options = { sendsOwnHostToSecureUpstreams: true }
    assert.equal(records(read(secure, { options }))[0]?.upstream_host, 'upstream')
  })
})

describe('outside the routes', () => {
  test('a server that listens on some addresses only yields disabled sites', () => {
    const reading = read({ srv0: { listen: ['127.0.0.1:443'], routes: [{ match: [a], handle: [proxy] }] } })
    assert.equal(records(reading)[0]?.enabled, false)
    assert.match(about(reading)[0] ?? '', /switched off/)
  })

  test('inline certificates are imported, files are reported, an ACME authority is kept', () => {
    const tls = {
      certificates: {
        load_pem: [{ certificate: 'LEAF', key: 'KEY', tags: ['t'] }],
        load_files: [{ certificate: '/c.pem', key: '/k.pem', tags: ['f'] }],
      },
      automation: {
        policies: [
          {
            subjects: ['c.example.org'],
            issuers: [{ module: 'acme', ca: 'https://ca.test/dir', email: 'me@example.org' }],
          },
        ],
      },
    }
    const hosts = ['a', 'b', 'c', 'd'].map((name) => ({ match: [{ host: [`${name}.example.org`] }], handle: [hello] }))
    const policies = [
      { match: { sni: ['a.example.org'] }, certificate_selection: { any_tag: ['t'] } },
      { match: { sni: ['b.example.org'] }, certificate_selection: { any_tag: ['f'] } },
      {},
    ]
    const reading = read(
      https([...hosts, { match: [{ host: ['box'] }], handle: [hello] }], { tls_connection_policies: policies }),
      { tls },
    )
    assert.deepEqual(
      reading.sites.map(({ site, certificate }) => [site.tls?.mode, site.tls?.acme_ca, certificate]),
      [
        ['custom', null, { certificate: 'LEAF', key: 'KEY' }],
        ['auto', null, undefined],
        ['auto', 'https://ca.test/dir', undefined],
        ['auto', null, undefined],
        ['internal', null, undefined],
      ],
    )
    assert.equal(reading.acmeEmail, 'me@example.org')
    assert.deepEqual(about(reading), [
      'changed: a certificate from files of the server; until it is uploaded and chosen, Caddy gets one itself',
      'lost: the certificate in /c.pem; upload it',
    ])
  })

  test('every other part of the configuration is reported', () => {
    const config = {
      admin: { listen: 'localhost:2019' },
      storage: { module: 'consul' },
      logging: { logs: { mine: {} }, sink: {} },
      apps: {
        layer4: {},
        pki: { certificate_authorities: { mine: {} } },
        http: {
          metrics: {},
          servers: {
            odd: { listen: [':8080'], routes: [] },
            srv0: { listen: [':443'], idle_timeout: '1m', routes: [{ handle: [hello] }], errors: {} },
          },
        },
        tls: {
          session_tickets: {},
          automation: { renew_interval: '1h', policies: [{ key_type: 'rsa2048' }] },
          certificates: { automate: ['x'], load_folders: [] },
        },
      },
    }
    const paths = readConfig(config).report.map(({ path, outcome }) => `${outcome} ${path}`)
    assert.deepEqual(paths.sort(), [
      'left_out /apps/http/servers/odd',
      'left_out /apps/http/servers/srv0/routes/0',
      'left_out /apps/layer4',
      'lost /apps/http/metrics',
      'lost /apps/http/servers/srv0/idle_timeout',
      'lost /apps/pki/certificate_authorities/mine',
      'lost /apps/tls/automation/policies/0/key_type',
      'lost /apps/tls/automation/renew_interval',
      'lost /apps/tls/certificates/automate',
      'lost /apps/tls/certificates/load_folders',
      'lost /apps/tls/session_tickets',
      'lost /logging/logs/mine',
      'lost /logging/sink',
      'lost /storage',
    ])
  })
})
