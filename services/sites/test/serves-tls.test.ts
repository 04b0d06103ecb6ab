import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { X509Certificate } from 'node:crypto'
import { eventually } from '@hearth/testing'
import type { Answer } from './real-caddy.ts'
import { caddyAges, startOrigin, startServedSites, type ServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

const says = (body: string) => ({ kind: 'respond', respond: { body } }) as const
const internal = { mode: 'internal' } as const

/** A certificate that signed itself, for the names, and its key. */
async function selfSigned(directory: string, names: readonly string[]): Promise<{ certificate: string; key: string }> {
  const file = (kind: string) => join(directory, `${names[0]}.${kind}`)
  const subject = ['-subj', `/CN=Own ${names[0]}`]
  const alternatives = ['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`]
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ')
  const files = ['-keyout', file('key'), '-out', file('crt')]
  await promisify(execFile)('openssl', [...kind, ...subject, ...alternatives, ...files])
  return { certificate: await readFile(file('crt'), 'utf8'), key: await readFile(file('key'), 'utf8') }
}
async function closeServer(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

const derOf = (pem: string) => new X509Certificate(pem).raw.toString('base64')

for (const age of caddyAges)
  describe(`TLS of sites on a real Caddy ${age.name}`, { skip: age.skip }, () => {
    let served: ServedSites
    const get = (host: string, options: Parameters<ServedSites['caddy']['get']>[2] = {}) =>
      served.caddy.get(host, '/', { https: true, ...options })

    /** Caddy answers to a new configuration before the certificates of its own authority are made. */
    const ready = (...hosts: string[]) =>
      Promise.all(
        hosts.map((host) =>
          eventually(
            () => get(host),
            () => true,
          ),
        ),
      )

    before(async () => {
      served = await startServedSites(age)
    })
    after(() => served[Symbol.asyncDispose]())

    test('the internal CA issues for names and addresses; HTTP redirects to HTTPS; unknown hosts get neither', async () => {
      await served.serve([
        makeSite(1, { domains: ['a.test'], ...says('a'), tls: internal, hsts: { subdomains: true } }),
        makeSite(2, { domains: ['127.0.0.1'], ...says('address'), tls: internal }),
        makeSite(3, { domains: ['c.test'], ...says('both'), tls: internal, force_https: false, hsts: {} }),
      ])
      await ready('a.test', '127.0.0.1', 'c.test')
      const page = await get('a.test')
      assert.equal(page.text, 'a')
      assert.equal(page.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
      assert.match(page.certificate?.issuer ?? '', /Caddy Local Authority/)
      assert.equal((await get('127.0.0.1')).text, 'address')
      const { httpsPort } = served.caddy
      const plain = await served.caddy.get('a.test', '/x?y=1')
      assert.deepEqual([plain.status, plain.headers.location], [308, `https://a.test:${httpsPort}/x?y=1`])
      const both = await served.caddy.get('c.test', '/')
      assert.deepEqual([both.text, both.headers['strict-transport-security']], ['both', undefined])
      assert.equal((await get('c.test')).text, 'both')
      await assert.rejects(get('nobody.test'))
      assert.equal((await get('nobody.test', { tls: { servername: 'a.test' } })).status, 404)
    })

    test('a site that requires TLS 1.3 refuses 1.2, the others accept it', async () => {
      await served.serve([
        makeSite(1, { domains: ['new.test'], ...says('new'), tls: { ...internal, min_version: '1.3' } }),
        makeSite(2, { domains: ['old.test'], ...says('old'), tls: internal }),
      ])
      await ready('new.test', 'old.test')
      const old = { tls: { maxVersion: 'TLSv1.2' as const } }
      assert.equal((await get('old.test', old)).text, 'old')
      await assert.rejects(get('new.test', old))
      assert.equal((await get('new.test')).text, 'new')
    })

    test('an uploaded certificate is used for its names, and a wildcard one takes no name from another site', async () => {
      const own = await selfSigned(served.caddy.directory, ['own.test', '*.own.test'])
      const tls = { mode: 'custom', certificate_id: 7 } as const
      await served.serve([
        makeSite(
          1,
          { domains: ['own.test', '*.own.test'], ...says('own'), tls },
          { certificate: { form: 'pem', ...own } },
        ),
        makeSite(2, { domains: ['www.own.test'], ...says('internal'), tls: internal }),
        makeSite(3, { domains: ['lost.test'], ...says('lost'), tls: { ...tls, certificate_id: 8 } }),
      ])
      await ready('own.test', 'www.own.test')
      for (const name of ['own.test', 'x.own.test']) {
        const page = await get(name)
        assert.deepEqual([page.text, page.certificate?.issuer], ['own', 'Own own.test'])
      }
      // The wildcard answers until the certificate of its own is made.
      const isOwn = ({ certificate }: Answer) => /Caddy Local Authority/.test(certificate?.issuer ?? '')
      const other = await eventually(() => get('www.own.test'), isOwn, { what: 'a certificate of its own' })
      assert.equal(other.text, 'internal')
      await assert.rejects(get('lost.test'), 'a site without its certificate must not get another')
    })

    test('certificates may be files on the node', async () => {
      await selfSigned(served.caddy.directory, ['file.test'])
      const path = (kind: string) => join(served.caddy.directory, `file.test.${kind}`)
      await served.serve([
        makeSite(
          1,
          { domains: ['file.test'], ...says('file'), tls: { mode: 'custom', certificate_id: 9 } },
          { certificate: { form: 'files', certificate: path('crt'), key: path('key') } },
        ),
      ])
      assert.equal((await get('file.test')).certificate?.issuer, 'Own file.test')
    })

    test('a site with client certificates accepts only its own authority, without a bypass', async () => {
      const visitor = await selfSigned(served.caddy.directory, ['visitor.test'])
      const forger = await selfSigned(served.caddy.directory, ['forger.test'])
      await served.serve([
        makeSite(
          1,
          { domains: ['safe.test'], ...says('safe'), tls: { ...internal, client_auth_ca_id: 3 }, force_https: false },
          { clientAuthorities: [derOf(visitor.certificate)] },
        ),
        makeSite(2, { domains: ['open.test'], ...says('open'), tls: internal }),
        makeSite(3, { domains: ['shut.test'], ...says('shut'), tls: { ...internal, client_auth_ca_id: 4 } }),
      ])
      await ready('open.test')
      const withCertificate = ({ certificate, key }: { certificate: string; key: string }) => ({
        tls: { cert: certificate, key },
      })
      const safe = await eventually(
        () => get('safe.test', withCertificate(visitor)),
        () => true,
      )
      assert.equal(safe.text, 'safe')
      await assert.rejects(get('safe.test'))
      await assert.rejects(get('safe.test', withCertificate(forger)))
      assert.equal((await get('safe.test', { tls: { servername: 'open.test' } })).status, 421)
      assert.equal((await served.caddy.get('safe.test', '/')).status, 308)
      assert.equal((await get('open.test')).text, 'open')
      await ready('shut.test')
      assert.equal((await get('shut.test')).status, 503)
    })

    test('on demand, only allowed names get a certificate', async () => {
      await using ask = await startOrigin('', (request, response) => {
        response.statusCode = request.url?.includes('domain=good.shop.test') ? 200 : 404
        response.end()
      })
      await served.serve(
        [
          makeSite(1, {
            domains: ['*.shop.test'],
            ...says('shop'),
            tls: { mode: 'on_demand', acme_ca: 'https://127.0.0.1:1/directory' },
          }),
        ],
        { onDemandAsk: `${ask.url}/ask` },
      )
      await assert.rejects(get('bad.shop.test'))
      assert.match(ask.requests[0]?.url ?? '', /domain=bad\.shop\.test/)
    })

    test('an HTTPS upstream is verified against its authority', async () => {
      const own = await selfSigned(served.caddy.directory, ['origin.test'])
      const stranger = await selfSigned(served.caddy.directory, ['stranger.test'])
      const server = createServer({ cert: own.certificate, key: own.key }, (request, response) =>
        response.end(request.headers.host),
      )
      await using _closing = { [Symbol.asyncDispose]: () => closeServer(server) }
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `https://127.0.0.1:${(server.address() as { port: number }).port}`
      const upstream = { upstreams: [{ url }], tls: { mode: 'off' as const } }
      const named = { server_name: 'origin.test' }
      await served.serve([
        makeSite(
          1,
          { domains: ['a.test'], ...upstream, upstream_tls: { ...named, ca_id: 1 } },
          { upstreamAuthorities: { 1: [derOf(own.certificate)] } },
        ),
        makeSite(
          2,
          { domains: ['b.test'], ...upstream, upstream_tls: { ...named, ca_id: 2 } },
          { upstreamAuthorities: { 2: [derOf(stranger.certificate)] } },
        ),
        makeSite(3, { domains: ['c.test'], ...upstream, upstream_tls: { verify: false }, upstream_host: 'upstream' }),
      ])
      const page = (host: string) => served.caddy.get(host, '/')
      assert.equal((await page('a.test')).text, 'a.test')
      assert.equal((await page('b.test')).status, 502)
      assert.equal((await page('c.test')).text, url.slice(8))
    })
  })
