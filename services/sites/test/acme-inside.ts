import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { eventually } from '@hearth/testing'
import { newestCapabilities, oldestCapabilities } from '../src/caddy/capabilities.ts'
import { compileConfig } from '../src/caddy/compile.ts'
import { startCaddy, type RealCaddy } from './real-caddy.ts'
import { makeSite } from './site-makers.ts'

/**
 * Runs in a network and mount namespace of its own, where the usual ports are free and names lead to loopback: one Caddy as the
 * public authority, one that serves sites and gets certificates from it. Prints what visitors see, as JSON.
 */
const [binary = '', age = 'oldest'] = process.argv.slice(2)
const names = ['site', 'closed', 'good.shop', 'bad.shop', 'ca'].map((name) => `${name}.example.org`)

execFileSync('ip', ['link', 'set', 'lo', 'up'])
await using authority = await startCaddy(binary)
const hosts = join(authority.directory, 'hosts')
writeFileSync(hosts, `127.0.0.1 localhost ${names.join(' ')}\n`)
execFileSync('mount', ['--bind', hosts, '/etc/hosts'])
await serveAuthority(authority)
const root = join(authority.directory, 'root.crt')
writeFileSync(
  root,
  await eventually(
    () => rootOf(authority),
    (pem) => pem.includes('BEGIN CERTIFICATE'),
  ),
)

await using caddy = await startCaddy(binary, { SSL_CERT_FILE: root })
const says = (body: string) => ({ kind: 'respond', respond: { body } }) as const
const { config } = compileConfig(
  {
    sites: [
      makeSite(1, { domains: ['site.example.org'], ...says('site') }),
      makeSite(2, { domains: ['*.shop.example.org'], ...says('shop'), tls: { mode: 'on_demand' } }),
      // The authority is outside.
      makeSite(3, { domains: ['closed.example.org'], ...says('closed'), reach: 'tunnel' }),
    ],
    options: {
      catchAll: 'not_found',
      reach: { home: [], tunnel: ['10.8.0.0/24'] },
      acmeCa: 'https://ca.example.org:9443/acme/test/directory',
      onDemandAsk: 'http://127.0.0.1:9000/ask',
    },
  },
  {
    admin: { listen: caddy.adminListen },
    httpPort: 80,
    httpsPort: 443,
    capabilities: age === 'oldest' ? oldestCapabilities : newestCapabilities,
    storageRoot: join(caddy.directory, 'storage'),
  },
)
const { error } = await caddy.load(config)
const site = await eventually(
  () => visit('site.example.org'),
  (seen) => seen !== 'none',
  { seconds: 20 },
).catch(String)
const closed = await eventually(
  () => visit('closed.example.org'),
  (seen) => seen !== 'none',
  { seconds: 20 },
).catch(String)
const good = await eventually(
  () => visit('good.shop.example.org'),
  (seen) => seen !== 'none',
  { seconds: 20 },
).catch(String)
console.log(
  JSON.stringify({
    error,
    site,
    closed: closed.replace(/^.*<h1>(.*)<\/h1>.*html>/, '$1'),
    good,
    bad: await visit('bad.shop.example.org'),
  }),
)

/** The body and who signed, or `none` when there is no handshake. */
function visit(host: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const asking = request(
    {
      host: '127.0.0.1',
      port: 443,
      servername: host,
      headers: { Host: host },
      rejectUnauthorized: false,
      agent: false,
      timeout: 15_000,
    },
    (response) => {
      const { issuer } = (response.socket as TLSSocket).getPeerCertificate()
      response.on('data', (body: Buffer) => resolve(`${body.toString()} by ${String(issuer.CN)}`))
    },
  )
  asking.on('timeout', () => asking.destroy())
  asking.on('error', () => resolve('none'))
  asking.end()
  return promise
}

async function rootOf(caddy: RealCaddy): Promise<string> {
  const { text } = await caddy.admin('GET', '/pki/ca/test')
  return (JSON.parse(text) as { root_certificate?: string }).root_certificate ?? ''
}

async function serveAuthority(caddy: RealCaddy): Promise<void> {
  const allowed = { path: ['/ask'], query: { domain: ['good.shop.example.org'] } }
  const { error } = await caddy.load({
    admin: { listen: caddy.adminListen },
    apps: {
      http: {
        http_port: 9080,
        https_port: 9443,
        servers: {
          ask: {
            listen: [':9000'],
            routes: [
              { match: [allowed], handle: [{ handler: 'static_response', status_code: 200 }] },
              { handle: [{ handler: 'static_response', status_code: 404 }] },
            ],
          },
          authority: {
            listen: [':9443'],
            routes: [{ match: [{ host: ['ca.example.org'] }], handle: [{ handler: 'acme_server', ca: 'test' }] }],
            automatic_https: { disable_redirects: true },
          },
        },
      },
      tls: {
        automation: { policies: [{ subjects: ['ca.example.org'], issuers: [{ module: 'internal', ca: 'test' }] }] },
      },
      pki: {
        certificate_authorities: {
          test: { name: 'Test Authority', install_trust: false, intermediate_common_name: 'Test Intermediate' },
        },
      },
    },
  })
  if (error !== '') throw new Error(error)
}
