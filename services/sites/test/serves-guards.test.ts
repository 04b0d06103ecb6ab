import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { hashSync } from 'bcryptjs'
import { eventually } from '@hearth/testing'
import { siteOfLine } from '../src/caddy/logs.ts'
import { withSentinel } from '../src/caddy/sentinel.ts'
import { caddyAges, startOrigin, startServedSites, type ServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

const plain = { tls: { mode: 'off' } } as const
const says = (body: string) => ({ kind: 'respond', respond: { body }, ...plain }) as const
const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

for (const age of caddyAges)
  describe(`request guards on a real Caddy ${age.name}`, { skip: age.skip }, () => {
    let served: ServedSites
    const get = (...what: Parameters<ServedSites['caddy']['get']>) => served.caddy.get(...what)

    before(async () => {
      served = await startServedSites(age)
    })
    after(() => served[Symbol.asyncDispose]())

    test('headers are set, added, deleted and defaulted, in order, in both directions', async () => {
      await using origin = await startOrigin('', (_request, response) => {
        response.setHeader('Server', 'secret/1.0')
        response.setHeader('X-Present', 'own')
        response.end()
      })
      await served.serve([
        makeSite(1, {
          domains: ['a.test'],
          upstreams: [{ url: origin.url }],
          request_headers: [
            { op: 'set', name: 'X-Host', value: '{http.request.host}' },
            { op: 'delete', name: 'X-Gone' },
            { op: 'default', name: 'X-Given', value: 'default' },
            { op: 'default', name: 'X-Missing', value: 'default' },
            { op: 'add', name: 'X-List', value: 'two' },
          ],
          response_headers: [
            { op: 'delete', name: 'Server' },
            { op: 'default', name: 'X-Present', value: 'default' },
            { op: 'default', name: 'X-Absent', value: 'default' },
            { op: 'set', name: 'X-Order', value: 'first' },
            { op: 'set', name: 'X-Order', value: 'last' },
            { op: 'set', name: 'X-Style', value: 'a{b}' },
          ],
          ...plain,
        }),
      ])
      const answer = await get('a.test', '/', { headers: { 'X-Gone': 'x', 'X-Given': 'visitor', 'X-List': 'one' } })
      const { headers: seen = {} } = origin.requests[0] ?? {}
      assert.deepEqual(
        [seen['x-host'], seen['x-gone'], seen['x-given'], seen['x-missing'], seen['x-list']],
        ['a.test', undefined, 'visitor', 'default', 'one, two'],
      )
      const { headers } = answer
      assert.deepEqual(
        [headers['server'], headers['x-present'], headers['x-absent'], headers['x-order'], headers['x-style']],
        [undefined, 'own', 'default', 'last', 'a{b}'],
      )
    })

    test('basic authentication accepts the right passwords and stays closed without hashes', async () => {
      await using origin = await startOrigin('inside')
      const users = { basic_auth: [{ username: 'ann', password: 'correct horse' }] }
      const passwordHashes = { ann: hashSync('correct horse', 4) }
      await served.serve([
        makeSite(1, { domains: ['a.test'], upstreams: [{ url: origin.url }], ...users, ...plain }, { passwordHashes }),
        makeSite(2, { domains: ['b.test'], upstreams: [{ url: origin.url }], ...users, ...plain }),
      ])
      const without = await get('a.test', '/')
      assert.deepEqual([without.status, without.headers['www-authenticate']?.startsWith('Basic ')], [401, true])
      assert.equal((await get('a.test', '/', { headers: basic('ann', 'wrong') })).status, 401)
      assert.equal((await get('a.test', '/', { headers: basic('ann', 'correct horse') })).text, 'inside')
      assert.equal((await get('b.test', '/', { headers: basic('ann', 'correct horse') })).status, 503)
    })

    test('forward authentication checks first, copies headers, and accepts none of them from the visitor', async () => {
      await using origin = await startOrigin('inside')
      await using gate = await startOrigin('', (request, response) => {
        const isKnown = request.headers.cookie === 'known'
        response.statusCode = isKnown ? 204 : 302
        if (isKnown) response.setHeader('Remote-User', 'ann')
        else response.setHeader('Location', 'https://sign-in.test/')
        response.end()
      })
      const forward = { url: gate.url, uri: '/check?x=1', copy_headers: ['Remote-User', 'Remote-Groups'] }
      await served.serve([
        makeSite(1, { domains: ['a.test'], upstreams: [{ url: origin.url }], forward_auth: forward, ...plain }),
      ])
      const forged = { 'Remote-User': 'root', 'Remote-Groups': 'admins', Remote_User: 'root' }
      const away = await get('a.test', '/page', { headers: forged })
      assert.deepEqual([away.status, away.headers.location, origin.requests.length], [302, 'https://sign-in.test/', 0])
      const post = { method: 'POST', body: 'a body', headers: { ...forged, Cookie: 'known', 'Content-Length': '6' } }
      assert.equal((await get('a.test', '/page?y=2', post)).text, 'inside')
      const [request] = origin.requests
      assert.deepEqual([request?.method, request?.url, request?.body], ['POST', '/page?y=2', 'a body'])
      assert.equal(request?.headers['remote-user'], 'ann')
      assert.deepEqual([request?.headers['remote-groups'], request?.headers['remote_user']], [undefined, undefined])
      const asked = gate.requests.at(-1)
      assert.deepEqual([asked?.method, asked?.url, asked?.headers['remote-user']], ['GET', '/check?x=1', undefined])
      assert.deepEqual([asked?.headers['x-forwarded-method'], asked?.headers['x-forwarded-uri']], ['POST', '/page?y=2'])
    })

    test('the portal is asked about each request to a protected site, and closes it while it is away', async () => {
      await using origin = await startOrigin('inside')
      const path = join(served.caddy.directory, 'verify.sock')
      const asked: IncomingMessage[] = []
      const portal = createServer((request, response) => {
        asked.push(request)
        const isKnown = request.headers.cookie?.includes('__Host-hearth_site=key') === true
        response.writeHead(isKnown ? 204 : 401, isKnown ? { 'Remote-User': 'ann' } : {}).end()
      })
      const close = () => {
        portal.close()
        portal.closeAllConnections()
      }
      using _ended = { [Symbol.dispose]: close }
      portal.listen(path)
      await once(portal, 'listening')
      const tls = { mode: 'internal' } as const
      const site = makeSite(7, { domains: ['p.test'], upstreams: [{ url: origin.url }], tls, sign_in: {} })
      const sockets = { verify: `unix/${path}`, pages: `unix/${path}.pages`, status: `unix/${path}.status` }
      await served.serve([site], {}, { portal: sockets })
      const headers = { 'Remote-User': 'root', remote_groups: 'admins', Cookie: 'a=1; __Host-hearth_site=key; b=2' }
      const visit = { https: true, method: 'PUT', body: 'a body', headers: { ...headers, 'Content-Length': '6' } }
      // Caddy makes the certificate first.
      const isServed = () =>
        get('p.test', '/', { https: true }).then(
          () => true,
          () => false,
        )
      await eventually(isServed, (value) => value, { everyMs: 50 })
      assert.equal((await get('p.test', '/page?y=2', visit)).text, 'inside')
      const seen = origin.requests.at(-1)
      assert.deepEqual(
        [seen?.method, seen?.url, seen?.body, seen?.headers.cookie],
        ['PUT', '/page?y=2', 'a body', 'a=1; b=2'],
      )
      assert.deepEqual([seen?.headers['remote-user'], seen?.headers['remote_groups']], ['ann', undefined])
      const question = asked.at(-1)
      const told = ['x-forwarded-method', 'x-forwarded-uri', 'hearth-client', 'hearth-authority', 'remote-user']
      assert.deepEqual(
        [question?.method, question?.url, ...told.map((name) => question?.headers[name])],
        ['GET', '/verify/7', 'PUT', '/page?y=2', '127.0.0.1', 'p.test', undefined],
      )
      const begun = origin.requests.length
      assert.equal((await get('p.test', '/', { https: true })).status, 401)
      assert.equal((await get('p.test', '/', { headers })).status, 308, 'plain HTTP leads to HTTPS')
      close()
      const away = await get('p.test', '/', { https: true, headers })
      assert.deepEqual([away.status, /Sign-in is not available/.test(away.text)], [503, true])
      await served.serve([site])
      assert.equal((await get('p.test', '/', { https: true, headers })).status, 503, 'without a portal it is closed')
      assert.equal(origin.requests.length, begun, 'nothing reached the site')
    })

    test('networks are allowed or denied, crawlers too', async () => {
      await served.serve([
        makeSite(1, {
          domains: ['a.test'],
          ...says('a'),
          access: { allow: ['127.0.0.0/8', '::1/128'], noindex: true },
        }),
        makeSite(2, { domains: ['b.test'], ...says('b'), access: { allow: ['10.0.0.0/8'] } }),
        makeSite(3, { domains: ['c.test'], ...says('c'), access: { allow: ['127.0.0.0/8'], deny: ['127.0.0.1'] } }),
        makeSite(4, { domains: ['d.test'], ...says('d'), access: { block_bots: true } }),
      ])
      const a = await get('a.test', '/')
      assert.deepEqual([a.text, a.headers['x-robots-tag']], ['a', 'noindex, nofollow'])
      assert.equal((await get('b.test', '/')).status, 403)
      assert.equal((await get('c.test', '/')).status, 403)
      assert.equal((await get('d.test', '/', { headers: { 'User-Agent': 'Mozilla/5.0 Firefox/130' } })).text, 'd')
      assert.equal(
        (await get('d.test', '/', { headers: { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' } })).status,
        403,
      )
    })

    test('maintenance responds with 503 except to the allowed networks', async () => {
      await served.serve(
        [
          makeSite(1, { domains: ['a.test'], ...says('a'), maintenance_mode: true, maintenance: { retry_after: 77 } }),
          makeSite(2, {
            domains: ['b.test'],
            ...says('b'),
            maintenance_mode: true,
            maintenance: { allow: ['127.0.0.1'] },
          }),
          makeSite(3, {
            domains: ['c.test'],
            ...says('c'),
            maintenance_mode: true,
            maintenance: { allow: ['10.0.0.0/8'], page: 'p{color:red} {env.HOME}' },
          }),
        ],
        { maintenancePage: '<h1>Soon</h1>' },
      )
      const a = await get('a.test', '/any')
      assert.deepEqual([a.status, a.headers['retry-after'], a.text], [503, '77', '<h1>Soon</h1>'])
      assert.equal((await get('b.test', '/')).text, 'b')
      const c = await get('c.test', '/')
      assert.deepEqual([c.status, c.text], [503, 'p{color:red} {env.HOME}'])
    })

    test('a body over the limit is refused, a smaller one passes', async () => {
      await using origin = await startOrigin('taken')
      await served.serve([
        makeSite(1, { domains: ['a.test'], upstreams: [{ url: origin.url }], max_body: 1000, ...plain }),
      ])
      const post = (size: number) =>
        get('a.test', '/', { method: 'POST', body: Buffer.alloc(size), headers: { 'Content-Length': String(size) } })
      assert.equal((await post(1000)).text, 'taken')
      assert.ok([413, 502].includes((await post(1001)).status), 'old versions say 502, newer ones 413')
      assert.ok([413, 502].includes((await post(1_000_000)).status))
      assert.equal(origin.requests.length, 1)
    })

    test('an error page is shown when no upstream responds', async () => {
      const dead = [{ url: 'http://127.0.0.1:1' }]
      await served.serve([
        makeSite(1, { domains: ['a.test'], upstreams: dead, error_page: '<p>down {env.HOME}</p>', ...plain }),
        makeSite(2, { domains: ['b.test'], upstreams: dead, ...plain }),
      ])
      const a = await get('a.test', '/')
      assert.deepEqual([a.status, a.text], [502, '<p>down {env.HOME}</p>'])
      assert.deepEqual([(await get('b.test', '/')).status, (await get('b.test', '/')).text], [502, ''])
    })

    test('the error page of a wildcard is not shown for a name below it that is another site', async () => {
      const dead = [{ url: 'http://127.0.0.1:1' }]
      await served.serve([
        makeSite(1, { domains: ['*.a.test'], upstreams: dead, error_page: '<p>down</p>', ...plain }),
        makeSite(2, { domains: ['other.a.test'], upstreams: dead, ...plain }),
      ])
      assert.deepEqual([(await get('x.a.test', '/')).text, (await get('other.a.test', '/')).text], ['<p>down</p>', ''])
    })

    test('each access log line names its site, a dry run does not interrupt the log, and a site can opt out', async () => {
      const logFile = join(served.caddy.directory, 'log', 'access.log')
      const node = { logFile, siteLogDirectory: join(served.caddy.directory, 'log') }
      const { config, positions } = await served.serve(
        [
          makeSite(1, { domains: ['*.a.test'], ...says('a') }),
          makeSite(2, { domains: ['b.test'], ...says('b'), log: { own_file: true } }),
          makeSite(3, { domains: ['c.test'], ...says('c'), log: { enabled: false } }),
        ],
        {},
        node,
      )
      await served.caddy.load(withSentinel(config))
      for (const [host, path] of [
        ['x.a.test', '/1'],
        ['b.test:8080', '/2'],
        ['c.test', '/3'],
        ['nobody.test', '/4'],
        ['B.TEST', '/5'],
      ] as const)
        await get(host, path)
      type Line = { logger: string; request: { uri: string; host: string } }
      const read = async (file: string) =>
        (await readFile(file, 'utf8'))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Line)
      const lines = await eventually(
        () => read(logFile),
        (lines) => lines.some(({ request }) => request.uri === '/5'),
      )
      assert.deepEqual(
        lines.map(({ logger, request }) => [
          request.uri,
          siteOfLine({ logger, host: request.host }, positions.domains),
        ]),
        [
          ['/1', 1],
          ['/2', 2],
          ['/4', undefined],
          ['/5', 2],
        ],
      )
      const own = await read(join(served.caddy.directory, 'log', 'site-2.log'))
      assert.deepEqual(
        own.map(({ request }) => request.uri),
        ['/2'],
      )
    })
  })
