import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { canonicalJson } from '../src/caddy/canonical-json.ts'
import { isSentinelError, withSentinel } from '../src/caddy/sentinel.ts'
import { caddyAges, startOrigin, startServedSites, type ServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

const plain = { tls: { mode: 'off' } } as const
const says = (body: string) => ({ kind: 'respond', respond: { body }, ...plain }) as const

for (const age of caddyAges)
  describe(`site kinds on a real Caddy ${age.name}`, { skip: age.skip }, () => {
    let served: ServedSites
    const get = (...what: Parameters<ServedSites['caddy']['get']>) => served.caddy.get(...what)

    before(async () => {
      served = await startServedSites(age)
    })
    after(() => served[Symbol.asyncDispose]())

    test('the configuration reads back as it was sent', async () => {
      const { config } = await served.serve([makeSite(1, { site_name: 'ä', domains: ['ä.test'], ...says('ü') })])
      assert.equal(canonicalJson(await served.caddy.config()), canonicalJson(config))
    })

    test('a dry run reports success or failure and changes nothing', async () => {
      await served.serve([makeSite(1, { domains: ['a.test'], ...says('one') })])
      const next = served.compile([makeSite(1, { domains: ['a.test'], ...says('two') })])
      const dry = await served.caddy.load(withSentinel(next.config))
      assert.equal(dry.status, 400)
      assert.ok(isSentinelError(dry.error), dry.error)
      assert.equal((await get('a.test', '/')).text, 'one')
    })

    test('a proxy balances over its upstreams and skips one that is down', async () => {
      await using one = await startOrigin('one')
      await using two = await startOrigin('two')
      const dead = 'http://127.0.0.1:1'
      await served.serve([
        makeSite(1, { domains: ['a.test'], upstreams: [{ url: one.url }, { url: two.url }], ...plain }),
        makeSite(2, {
          domains: ['b.test'],
          upstreams: [{ url: dead }, { url: two.url }],
          lb: { policy: 'first', try_duration: 2 },
          health: { passive: { fail_duration: 10 } },
          ...plain,
        }),
      ])
      const answers = [await get('a.test', '/'), await get('a.test', '/'), await get('a.test', '/')].map(
        ({ text }) => text,
      )
      assert.deepEqual([...new Set(answers)].sort(), ['one', 'two'])
      assert.equal((await get('b.test', '/')).text, 'two')
    })

    test('an active health check removes an unhealthy upstream', async () => {
      await using sick = await startOrigin('sick', (request, response) => {
        response.statusCode = request.url === '/health' ? 500 : 200
        response.end('sick')
      })
      await using well = await startOrigin('well')
      await served.serve([
        makeSite(1, {
          domains: ['a.test'],
          upstreams: [{ url: sick.url }, { url: well.url }],
          lb: { policy: 'first' },
          health: { active: { path: '/health', interval: 2, host_header: 'check.test' } },
          ...plain,
        }),
      ])
      const { eventually } = await import('@hearth/testing')
      await eventually(
        () => get('a.test', '/'),
        ({ text }) => text === 'well',
        { what: 'the well upstream' },
      )
      assert.equal(well.requests.find(({ url }) => url === '/health')?.headers.host, 'check.test')
    })

    test('the longest matching path wins, each with its own headers', async () => {
      await using origin = await startOrigin('', (request, response) => void response.end(request.url))
      await served.serve([
        makeSite(1, {
          domains: ['a.test'],
          ...says('rest'),
          paths: [
            { path: '/api', kind: 'proxy', upstreams: [{ url: origin.url }] },
            { path: '/api/v2', strip: true, kind: 'proxy', upstreams: [{ url: origin.url }] },
            { path: '/api/v2/fixed', match: 'exact', kind: 'respond', respond: { body: 'fixed' } },
            { path: '/old', kind: 'redirect', redirect: { to: 'https://new.test', code: 301 } },
            {
              path: '/note/',
              kind: 'respond',
              respond: { body: 'note', status: 201 },
              response_headers: [{ op: 'set', name: 'X-Note', value: 'yes' }],
            },
          ],
        }),
      ])
      const texts = async (...paths: string[]) =>
        Promise.all(paths.map(async (path) => (await get('a.test', path)).text))
      assert.deepEqual(
        await texts('/', '/apis', '/api', '/api/x', '/api/v2/users?a=1', '/api/v2/fixed', '/api/v2/fixed/more'),
        ['rest', 'rest', '/api', '/api/x', '/users?a=1', 'fixed', '/fixed/more'],
      )
      const moved = await get('a.test', '/old/page?x=1')
      assert.deepEqual([moved.status, moved.headers.location], [301, 'https://new.test/old/page?x=1'])
      const note = await get('a.test', '/note/x')
      assert.deepEqual([note.status, note.headers['x-note'], note.text], [201, 'yes', 'note'])
      assert.equal((await get('a.test', '/')).headers['x-note'], undefined)
    })

    test('redirects keep the path if configured, and never use a host from the request', async () => {
      await served.serve([
        makeSite(1, { domains: ['a.test'], kind: 'redirect', redirect: { to: 'https://new.test/base/' }, ...plain }),
        makeSite(2, {
          domains: ['b.test'],
          kind: 'redirect',
          redirect: { to: 'https://new.test/there', keep_path: false, code: 302 },
          ...plain,
        }),
        makeSite(3, {
          domains: ['c.test'],
          ...says('rest'),
          redirects: [
            { from: '/blog/*', to: '/news', keep_path: true },
            { from: '/root/*', to: '/', keep_path: true },
            { from: '/one', to: 'https://one.test/', code: 302 },
          ],
        }),
      ])
      const location = async (host: string, path: string) => {
        const { status, headers } = await get(host, path)
        return [status, headers.location]
      }
      assert.deepEqual(await location('a.test', '/x?y=1'), [308, 'https://new.test/base/x?y=1'])
      assert.deepEqual(await location('b.test', '/x'), [302, 'https://new.test/there'])
      assert.deepEqual(await location('c.test', '/blog/2024?a=b'), [308, 'http://c.test/news/2024?a=b'])
      assert.match(String((await location('c.test', '/root//evil.test'))[1]), /^http:\/\/c\.test\//)
      assert.deepEqual(await location('c.test', '/one'), [302, 'https://one.test/'])
      assert.equal((await get('c.test', '/one/more')).text, 'rest')
    })

    test('static files: index, type, listing, single-page fallback, hidden files', async () => {
      const root = join(served.caddy.directory, 'www')
      await mkdir(join(root, 'folder'), { recursive: true })
      await writeFile(join(root, 'index.html'), '<h1>home</h1>')
      await writeFile(join(root, 'folder', 'a.txt'), 'text a')
      await writeFile(join(root, '.env'), 'SECRET=1')
      await served.serve([
        makeSite(1, { domains: ['a.test'], kind: 'static', static: { root }, ...plain }),
        makeSite(2, { domains: ['b.test'], kind: 'static', static: { root, browse: true }, ...plain }),
        makeSite(3, { domains: ['c.test'], kind: 'static', static: { root, fallback: '/index.html' }, ...plain }),
      ])
      const home = await get('a.test', '/')
      assert.deepEqual([home.status, home.text], [200, '<h1>home</h1>'])
      assert.match(home.headers['content-type'] ?? '', /^text\/html/)
      assert.equal((await get('a.test', '/folder/a.txt')).text, 'text a')
      assert.equal((await get('a.test', '/folder/')).status, 404)
      assert.equal((await get('a.test', '/.env')).status, 404)
      assert.equal((await get('a.test', '/%2e%2e/admin.sock')).status, 404)
      assert.match((await get('b.test', '/folder/')).text, /a\.txt/)
      assert.equal((await get('c.test', '/deep/link')).text, '<h1>home</h1>')
      assert.equal((await get('c.test', '/folder/a.txt')).text, 'text a')
      assert.equal((await get('c.test', '/')).text, '<h1>home</h1>')
      assert.equal((await get('c.test', '/.env')).text.includes('SECRET'), false)
    })

    test('a fixed response is sent verbatim, without expanding machine placeholders', async () => {
      const body = String.raw`a{color:red} {env.HOME} \{env.HOME} {http.request.host} {system.hostname} {{x}} {unknown}`
      await served.serve([
        makeSite(1, {
          domains: ['a.test'],
          kind: 'respond',
          respond: { body, status: 418, content_type: 'text/css' },
          response_headers: [{ op: 'set', name: 'X-Test', value: '{env.PATH}|{http.request.method}' }],
          ...plain,
        }),
      ])
      const answer = await get('a.test', '/')
      assert.equal(answer.text, body.replace('{http.request.host}', 'a.test'))
      assert.deepEqual(
        [answer.status, answer.headers['content-type'], answer.headers['x-test']],
        [418, 'text/css', '{env.PATH}|GET'],
      )
    })

    test('responses are compressed when the client accepts it', async () => {
      const body = 'word '.repeat(2000)
      await served.serve([
        makeSite(1, { domains: ['a.test'], ...says(body), compression: 'both' }),
        makeSite(2, { domains: ['b.test'], ...says(body), compression: 'off' }),
      ])
      const headers = { 'Accept-Encoding': 'gzip' }
      const packed = await get('a.test', '/', { headers })
      assert.equal(packed.headers['content-encoding'], 'gzip')
      assert.equal(gunzipSync(packed.raw).toString(), body)
      assert.equal(
        (await get('a.test', '/', { headers: { 'Accept-Encoding': 'gzip, zstd' } })).headers['content-encoding'],
        'zstd',
      )
      assert.equal((await get('b.test', '/', { headers })).text, body)
    })

    test('an exact name takes precedence over another site’s wildcard, and a site may have both', async () => {
      await served.serve([
        makeSite(1, { domains: ['*.a.test', 'a.test'], ...says('wild') }),
        makeSite(2, { domains: ['www.a.test', '*.b.test'], ...says('exact') }),
        makeSite(3, { domains: ['www.b.test', '*.c.test'], ...says('three') }),
      ])
      const hosts = ['a.test', 'x.a.test', 'www.a.test', 'x.b.test', 'www.b.test', 'WWW.B.TEST']
      assert.deepEqual(await Promise.all(hosts.map(async (host) => (await get(host, '/')).text)), [
        'wild',
        'wild',
        'exact',
        'exact',
        'three',
        'three',
      ])
      assert.equal((await get('x.y.a.test', '/')).status, 404)
    })

    test('with 5,000 sites the first and the last are served correctly', async () => {
      const sites = Array.from({ length: 5000 }, (_, index) =>
        makeSite(index + 1, { domains: [`s${index + 1}.test`], ...says(`site ${index + 1}`) }),
      )
      await served.serve(sites)
      for (const id of [1, 2500, 5000]) assert.equal((await get(`s${id}.test`, '/')).text, `site ${id}`)
      assert.equal((await get('s5001.test', '/')).status, 404)
      await served.serve([])
      assert.equal((await get('s1.test', '/')).status, 404)
    })

    test('unknown hosts get the default page of the settings, or no response', async () => {
      await served.serve([], { defaultPage: '<p>{env.HOME}</p>' })
      const page = await get('nobody.test', '/')
      assert.deepEqual([page.status, page.text], [404, '<p>{env.HOME}</p>'])
      await served.serve([], { catchAll: 'abort' })
      await assert.rejects(get('nobody.test', '/'))
    })
  })
