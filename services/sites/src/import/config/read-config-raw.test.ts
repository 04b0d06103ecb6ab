import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readConfig } from './read-config.ts'
import type { ReadOptions } from './site-reading.ts'

const proxy = { handler: 'reverse_proxy', upstreams: [{ dial: '10.0.0.5:80' }] }
const routes = [{ match: [{ host: ['a.example.org'] }], handle: [{ handler: 'templates' }, proxy] }]
const read = (options: ReadOptions, more: object = {}) =>
  readConfig({ apps: { http: { servers: { srv0: { listen: [':443'], routes, ...more } } } } }, options)

describe('kind raw', () => {
  test('uses the directives where they are available, and reports it', () => {
    const { sites, report } = read({ rawOf: (host) => `templates # ${host}` })
    assert.deepEqual(
      report.map(({ outcome }) => outcome),
      ['raw'],
    )
    assert.deepEqual(
      sites.map(({ site }) => [site.kind, site.raw_directives]),
      [['raw', 'templates # a.example.org']],
    )
  })

  test('does not bypass client certificates', () => {
    const policies = { tls_connection_policies: [{ client_authentication: { trusted_ca_certs: ['QQ=='] } }] }
    const { sites, report } = read({ rawOf: () => 'templates' }, policies)
    assert.deepEqual([sites.length, report.map(({ outcome }) => outcome)], [0, ['left_out']])
  })
})
