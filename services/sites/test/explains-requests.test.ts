import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { CompiledSite, DesiredState } from '../src/caddy/desired-state.ts'
import { explainRequest } from '../src/caddy/explain.ts'
import { caddyAges, startServedSites, type ServedSites } from './served-sites.ts'
import { makeNode, makeSite } from './site-makers.ts'

const plain = { tls: { mode: 'off' } } as const
const says = (status: number) => ({ kind: 'respond', respond: { status } }) as const

/** Sites that end in every way that can be seen from outside. */
const sites: CompiledSite[] = [
  makeSite(1, { domains: ['a.test', '*.a.test'], ...says(201), tls: { mode: 'internal' } }),
  makeSite(2, { domains: ['www.a.test'], ...says(202), ...plain }),
  makeSite(3, {
    domains: ['c.test'],
    ...says(203),
    ...plain,
    redirects: [
      { from: '/old/*', to: '/new', keep_path: true },
      { from: '/one', to: 'https://x.test/{http.request.host}', code: 302 },
    ],
    paths: [
      { path: '/api', ...says(211) },
      { path: '/api/v2', match: 'exact', ...says(212) },
      { path: '/api/v2/', ...says(213) },
      { path: '/away', kind: 'redirect', strip: true, redirect: { to: 'https://y.test/base/', code: 307 } },
    ],
  }),
  makeSite(4, { domains: ['d.test'], ...says(204), access: { deny: ['127.0.0.0/8'] }, ...plain }),
  makeSite(5, { domains: ['e.test'], ...says(205), access: { allow: ['10.0.0.0/8'] }, ...plain }),
  makeSite(6, { domains: ['f.test'], ...says(206), maintenance_mode: true, ...plain }),
  makeSite(7, {
    domains: ['g.test'],
    ...says(207),
    maintenance_mode: true,
    maintenance: { allow: ['127.0.0.1'] },
    ...plain,
  }),
  makeSite(8, { domains: ['h.test'], kind: 'redirect', redirect: { to: 'https://z.test/deep/', code: 301 }, ...plain }),
  makeSite(9, { domains: ['i.test'], ...says(208), enabled: false, ...plain }),
  makeSite(10, { domains: ['j.test'], kind: 'raw', raw_directives: 'x', ...plain }),
  makeSite(11, { domains: ['k.test'], ...says(209), access: { block_bots: true }, ...plain }),
]

const paths =
  '/ /api /API/x /apis /api/v2 /api/v2/ /api/v2/x /api/%76%32 /old/a/b?c=d /old /one /one/x /away/far?q=1 /away //api///v2'
const urls = [
  'http://a.test/x?y=1',
  'https://a.test/',
  'http://x.a.test/',
  'http://www.a.test/',
  'http://x.y.a.test/',
  'http://nobody.test/',
  'http://h.test/p?q=1',
  ...paths.split(' ').map((path) => `http://c.test${path}`),
  ...['d', 'e', 'f', 'g', 'i', 'j', 'k'].map((name) => `http://${name}.test/`),
]

for (const age of caddyAges)
  describe(`an explained request matches the response of a real Caddy ${age.name}`, { skip: age.skip }, () => {
    let served: ServedSites
    const desired: DesiredState = { sites, options: { catchAll: 'not_found' } }
    before(async () => {
      served = await startServedSites(age)
      await served.serve(sites)
    })
    after(() => served[Symbol.asyncDispose]())

    for (const url of urls)
      test(url, async () => {
        const { protocol, hostname, pathname, search } = new URL(url)
        const { httpPort, httpsPort } = served.caddy
        const node = makeNode('oldest', { httpPort, httpsPort })
        const { answer } = explainRequest({ url, clientIp: '127.0.0.1', userAgent: '' }, desired, node)
        const ask = () => served.caddy.get(hostname, pathname + search, { https: protocol === 'https:' })
        const real = await eventually(ask, () => true)
        assert.equal('status' in answer ? answer.status : undefined, real.status, JSON.stringify(answer))
        assert.equal('location' in answer ? answer.location : undefined, real.headers.location)
      })

    test('a crawler is recognised', async () => {
      const userAgent = 'Googlebot/2.1'
      const { answer } = explainRequest({ url: 'http://k.test/', userAgent }, desired, makeNode('oldest'))
      const real = await served.caddy.get('k.test', '/', { headers: { 'User-Agent': userAgent } })
      assert.deepEqual(['status' in answer && answer.status, real.status], [403, 403])
    })
  })
