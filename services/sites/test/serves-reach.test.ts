import assert from 'node:assert/strict'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { after, before, describe, test } from 'node:test'
import { explainRequest } from '../src/caddy/explain.ts'
import { reachHeader } from '../src/caddy/reach-routes.ts'
import type { CompiledSite, NodeProfile } from '../src/caddy/desired-state.ts'
import { caddyAges, startOrigin, startServedSites, type ServedSites } from './served-sites.ts'
import { makeNode, makeSite } from './site-makers.ts'
import { visitFrom, type Visit } from './reach-visitor.ts'

const reach = { home: ['127.9.0.0/24', 'fd00:9::/64'], tunnel: ['127.8.0.0/24'] }
const places = { home: '127.9.0.5', tunnel: '127.8.0.2', outside: '127.7.0.7' } as const
type PlaceName = keyof typeof places
const plain = { tls: { mode: 'off' } } as const
const secure = { tls: { mode: 'internal' } } as const
const says = (body: string) => ({ kind: 'respond', respond: { body } }) as const
const raw = [{ handle: [{ handler: 'static_response', body: 'raw' }], terminal: true }]

/** A site of each kind of guard that could answer before, and one for everyone. */
const sites: CompiledSite[] = [
  makeSite(1, { domains: ['all.test'], ...says('all'), ...plain }),
  makeSite(2, { domains: ['home.test'], ...says('home'), reach: 'home', ...plain }),
  makeSite(3, { domains: ['vpn.test'], ...says('vpn'), reach: 'tunnel', ...secure }),
  makeSite(4, {
    domains: ['busy.test', '*.busy.test'],
    ...says('busy'),
    ...secure,
    force_https: false,
    reach: 'tunnel',
    maintenance_mode: true,
    hsts: {},
    access: { deny: ['127.7.0.0/24'] },
    response_headers: [{ op: 'set', name: 'X-Site', value: 'busy' }],
    redirects: [{ from: '/old', to: 'https://secret.test' }],
    paths: [{ path: '/open', ...says('open') }],
    error_page: '<h1>busy</h1>',
  }),
  makeSite(5, { domains: ['www.busy.test'], ...says('www'), ...plain }),
  makeSite(6, { domains: ['raw.test'], kind: 'raw', raw_directives: 'x', reach: 'home', ...plain }, { rawRoutes: raw }),
  makeSite(7, { domains: ['every.test'], ...says('every'), ...secure }),
  makeSite(8, { domains: ['a.two.test', 'b.two.test'], ...says('two'), reach: 'home', ...plain }),
]

for (const age of caddyAges)
  describe(`a site for home or the tunnel on a real Caddy ${age.name}`, { skip: age.skip }, () => {
    let served: ServedSites
    const serve = (node: Partial<NodeProfile> = {}, networks = reach) => served.serve(sites, { reach: networks }, node)
    const ask = (host: string, from: PlaceName, more: Partial<Visit> = {}) => {
      const { httpPort, httpsPort } = served.caddy
      return visitFrom({ host, from: places[from], port: more.isSecure ? httpsPort : httpPort, ...more })
    }
    const statuses = async (host: string, more: Partial<Visit> = {}) => {
      const all = await Promise.all((['home', 'tunnel', 'outside'] as const).map((from) => ask(host, from, more)))
      return all.map(({ status }) => status).join(' ')
    }

    before(async () => {
      served = await startServedSites(age)
      await serve()
    })
    after(() => served[Symbol.asyncDispose]())

    test('visitors get the site from where it is reached, and a page with 403 from elsewhere', async () => {
      assert.equal(await statuses('all.test'), '200 200 200')
      assert.equal(await statuses('home.test'), '200 200 403')
      assert.equal(await statuses('b.two.test'), '200 200 403')
      assert.equal(await statuses('raw.test'), '200 200 403')
      assert.equal(await statuses('vpn.test', { isSecure: true }), '403 200 403')
      assert.equal(await statuses('vpn.test'), '403 308 403', 'plain HTTP is closed as well, before it redirects')
      const { text, headers } = await ask('home.test', 'outside')
      assert.match(text, /Only reachable from home/)
      assert.equal(headers['cache-control'], 'no-store')
      assert.match((await ask('vpn.test', 'home', { isSecure: true })).text, /Only reachable through the VPN/)
    })

    test('the refusal comes before all else of a site, and says nothing of it', async () => {
      const refused = await ask('home.test', 'outside')
      for (const target of ['/', '/old', '/open', '/nothing'])
        for (const isSecure of [true, false]) {
          const { status, headers, text } = await ask('busy.test', 'outside', { target, isSecure })
          assert.deepEqual([status, headers[reachHeader.toLowerCase()]], [403, 'refused'])
          assert.deepEqual(Object.keys(headers).sort(), Object.keys(refused.headers).sort(), 'no header of the site')
          assert.doesNotMatch(text, /busy|test/)
        }
      assert.equal((await ask('busy.test', 'tunnel', { target: '/old' })).status, 503, 'maintenance, from inside')
      assert.equal((await ask('x.busy.test', 'outside')).status, 403)
      assert.equal(await statuses('www.busy.test'), '200 200 200', 'a name below a limited wildcard has its own rule')
    })

    test('no header, method or form of the request gets past it', async () => {
      const forged = [
        'X-Forwarded-For',
        'X-Real-Ip',
        'Forwarded',
        'CF-Connecting-IP',
        'True-Client-IP',
        'X-Client-IP',
        'X-Forwarded-Host',
        'X-Original-URL',
        'X-Rewrite-URL',
        'Hearth-Client',
        'Hearth-Reach',
      ]
      for (const name of forged)
        for (const value of [places.tunnel, `for=${places.tunnel}`, `${places.tunnel}, ${places.outside}`])
          assert.equal((await ask('home.test', 'outside', { headers: { [name]: value } })).status, 403, name)
      for (const method of ['HEAD', 'POST', 'PUT', 'OPTIONS', 'PROPFIND'])
        assert.equal((await ask('home.test', 'outside', { method })).status, 403, method)
      for (const host of ['HOME.test', 'home.test:443', 'home.test:80'])
        assert.equal((await ask(host, 'outside')).status, 403, host)
      assert.equal((await ask('home.test', 'outside', { target: 'http://home.test/' })).status, 403, 'absolute form')
      assert.equal((await ask('all.test', 'outside', { target: 'http://home.test/' })).status, 403, 'which host counts')
      assert.equal((await ask('home.test.', 'outside')).status, 404)
    })

    test('only the request by which an authority checks a name passes, and nothing that looks like it', async () => {
      await using origin = await startOrigin('origin')
      const site = makeSite(9, { domains: ['acme.test'], upstreams: [{ url: origin.url }], reach: 'tunnel', ...plain })
      await served.serve([site], { reach })
      const base = '/.well-known/acme-challenge'
      const status = async (target: string, method = 'GET') =>
        (await ask('acme.test', 'outside', { target, method })).status
      assert.equal(await status(`${base}/Token_1-2`), 200)
      const others = [
        base,
        `${base}/`,
        `${base}/a/b`,
        `${base}/../../secret`,
        `${base}/..;/..;/secret`,
        `${base}/%2e%2e/secret`,
        `${base}/a%2f..%2fsecret`,
        `${base}/a?b=c`,
        `${base}/a;b`,
        `${base}/..\\..\\secret`,
        `/secret/..${base}/a`,
        `/secret/%2e%2e${base}/a`,
        `/${base}/a`,
        `/x${base}/a`,
        '/.WELL-KNOWN/acme-challenge/a',
      ]
      for (const target of others) assert.equal(await status(target), 403, target)
      assert.equal(await status(`${base}/a`, 'POST'), 403)
      assert.deepEqual(
        origin.requests.map(({ url }) => url),
        [`${base}/Token_1-2`],
      )
      await serve()
    })

    test('a connection for another site, or a handshake for another name, opens nothing', async () => {
      assert.equal((await ask('vpn.test', 'outside', { isSecure: true, serverName: 'every.test' })).status, 403)
      assert.equal((await ask('every.test', 'outside', { isSecure: true, serverName: 'vpn.test' })).status, 200)
      const { httpsPort } = served.caddy
      const session = connectHttp2(`https://every.test:${httpsPort}`, {
        createConnection: () =>
          connectTls({
            socket: connect({ host: '127.0.0.1', port: httpsPort, localAddress: places.outside }),
            servername: 'every.test',
            ALPNProtocols: ['h2'],
            rejectUnauthorized: false,
          }),
      })
      const get = (authority: string) =>
        new Promise<number>((resolve, reject) => {
          const stream = session.request({ ':path': '/', ':authority': authority })
          stream.on('response', (headers) => resolve(Number(headers[constants.HTTP2_HEADER_STATUS])))
          stream.on('error', reject)
          stream.resume()
        })
      try {
        assert.deepEqual([await get('every.test'), await get('vpn.test'), await get('every.test')], [200, 403, 200])
      } finally {
        session.destroy()
      }
      assert.deepEqual(await pipelined(served.caddy.httpPort, ['all.test', 'home.test', 'all.test']), [200, 403, 200])
    })

    test('HTTP/3 is not offered, whose early requests have addresses that nobody checked', async () => {
      const offers = async () => (await ask('every.test', 'outside', { isSecure: true })).headers['alt-svc']
      assert.equal(await offers(), undefined)
      await served.serve(sites.filter(({ record }) => record.reach === 'everyone'))
      assert.match((await offers()) ?? '', /h3/)
      await serve()
    })

    test('without known networks it is closed to everybody, and says so', async () => {
      await serve({}, { home: [], tunnel: [] })
      assert.equal(await statuses('home.test'), '503 503 503')
      assert.equal(await statuses('all.test'), '200 200 200')
      assert.match((await ask('home.test', 'home')).text, /not known yet/)
      await served.serve(sites)
      assert.equal(await statuses('vpn.test', { isSecure: true }), '503 503 503')
      await serve({}, { home: [], tunnel: reach.tunnel })
      assert.equal(await statuses('home.test'), '403 200 403')
      await serve()
    })

    test('behind a trusted proxy the visitor counts, or nobody gets in', async () => {
      await serve({ trustedProxies: ['127.7.0.0/24'] })
      const through = (visitor: string) =>
        ask('home.test', 'outside', { headers: { 'X-Forwarded-For': visitor } }).then(({ status }) => status)
      const isNew = age.capabilities.clientIpMatcher
      assert.deepEqual(
        [await through(places.home), await through(`::ffff:${places.home}`), await through('fd00:9::5')],
        isNew ? [200, 200, 200] : [503, 503, 503],
      )
      assert.equal(await through('192.0.2.1'), isNew ? 403 : 503)
      assert.equal(await through('nonsense'), isNew ? 403 : 503)
      const direct = await ask('home.test', 'home', { headers: { 'X-Forwarded-For': '192.0.2.1' } })
      assert.equal(direct.status, isNew ? 200 : 503, 'a header of somebody who is no proxy does not count')
      await serve()
    })

    test('an explained request says what a real one gets', async () => {
      const { httpPort, httpsPort } = served.caddy
      const node = makeNode('oldest', { httpPort, httpsPort })
      for (const { record } of sites)
        for (const from of ['home', 'tunnel', 'outside'] as const)
          for (const scheme of ['http', 'https'] as const) {
            const host = record.domains[0] ?? ''
            if (scheme === 'https' && record.tls.mode === 'off') continue
            const state = { sites, options: { catchAll: 'not_found', reach } } as const
            const { answer } = explainRequest({ url: `${scheme}://${host}/`, clientIp: places[from] }, state, node)
            const real = await ask(host, from, { isSecure: scheme === 'https' })
            if ('status' in answer) assert.equal(answer.status, real.status, `${host} ${from} ${scheme}`)
          }
    })
  })

/** Statuses of requests that one plain connection from outside carries one after another. */
async function pipelined(port: number, hosts: readonly string[]): Promise<number[]> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: places.outside })
  const last = hosts.length - 1
  for (const [index, host] of hosts.entries())
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n${index === last ? 'Connection: close\r\n' : ''}\r\n`)
  let text = ''
  for await (const part of socket) text += String(part)
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
}
