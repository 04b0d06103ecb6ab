import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { locateError } from '../src/caddy/locate-error.ts'
import type { CompiledSite, NodeProfile } from '../src/caddy/desired-state.ts'
import { isSentinelError, withSentinel } from '../src/caddy/sentinel.ts'
import { caddyAges, startServedSites, type ServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

const internal = { tls: { mode: 'internal' } } as const
const says = (id: number) => makeSite(id, { domains: [`s${id}.test`], kind: 'respond', respond: {}, ...internal })
const many = Array.from({ length: 400 }, (_, index) => says(index + 1))

/** Ways in which a site can be bad that no rule sees, for the site 250 and its neighbours. */
const bad: Record<string, (id: number) => CompiledSite> = {
  'an unknown handler': (id) =>
    makeSite(
      id,
      { domains: [`s${id}.test`], kind: 'raw', ...internal },
      { rawRoutes: [{ handle: [{ handler: 'nowhere' }] }] },
    ),
  'a bad matcher': (id) => {
    const match = [{ remote_ip: { ranges: ['nonsense'] } }]
    return makeSite(id, { domains: [`s${id}.test`], kind: 'raw', ...internal }, { rawRoutes: [{ match, handle: [] }] })
  },
  'an unknown member': (id) =>
    makeSite(
      id,
      { domains: [`s${id}.test`], kind: 'raw', tls: { mode: 'off' } },
      {
        rawRoutes: [{ handle: [{ handler: 'subroute', routes: [{ handle: [{ handler: 'headers', nothing: 1 }] }] }] }],
      },
    ),
  'a bad bcrypt hash': (id) =>
    makeSite(
      id,
      {
        domains: [`s${id}.test`],
        kind: 'respond',
        respond: {},
        basic_auth: [{ username: 'ann', password: 'long enough' }],
        ...internal,
      },
      { passwordHashes: { ann: '' } },
    ),
  'a bad certificate': (id) =>
    makeSite(
      id,
      { domains: [`s${id}.test`], kind: 'respond', respond: {}, tls: { mode: 'custom', certificate_id: 5 } },
      { certificate: { form: 'pem', certificate: 'none', key: 'none' } },
    ),
  'a certificate file that is not there': (id) =>
    makeSite(
      id,
      { domains: [`s${id}.test`], kind: 'respond', respond: {}, tls: { mode: 'custom', certificate_id: 5 } },
      { certificate: { form: 'files', certificate: '/nowhere/a.pem', key: '/nowhere/a.key' } },
    ),
  'a bad authority of clients': (id) =>
    makeSite(
      id,
      { domains: [`s${id}.test`], kind: 'respond', respond: {}, tls: { mode: 'internal', client_auth_ca_id: 5 } },
      { clientAuthorities: ['AAAA'] },
    ),
  'a bad authority of upstreams': (id) =>
    makeSite(
      id,
      { domains: [`s${id}.test`], upstreams: [{ url: 'https://a:1' }], upstream_tls: { ca_id: 5 }, ...internal },
      { upstreamAuthorities: { 5: ['not base64'] } },
    ),
}

for (const age of caddyAges)
  describe(`errors of Caddy ${age.name} are attributed to the right site`, { skip: age.skip }, () => {
    let served: ServedSites
    before(async () => {
      served = await startServedSites(age)
    })
    after(() => served[Symbol.asyncDispose]())

    for (const [what, make] of Object.entries(bad))
      test(what, async () => {
        const { config, positions } = served.compile(many.map((site) => (site.id === 250 ? make(250) : site)))
        const dry = await served.caddy.load(withSentinel(config))
        assert.ok(!isSentinelError(dry.error), dry.error)
        assert.equal(locateError(dry.error, positions), 250, dry.error)
        const loaded = await served.caddy.load(config)
        assert.equal(loaded.status, 400)
        assert.equal(locateError(loaded.error, positions), 250, loaded.error)
      })

    test('a log file that cannot be opened', async () => {
      const own = makeSite(250, {
        domains: ['s250.test'],
        kind: 'respond',
        respond: {},
        log: { own_file: true },
        ...internal,
      })
      const siteLogDirectory = join(served.caddy.directory, 'logs')
      await mkdir(join(siteLogDirectory, 'site-250.log'), { recursive: true })
      const node: Partial<NodeProfile> = { siteLogDirectory }
      const { config, positions } = served.compile(
        many.map((site) => (site.id === 250 ? own : site)),
        {},
        node,
      )
      const dry = await served.caddy.load(withSentinel(config))
      // Old versions open the file with the first line.
      if (!isSentinelError(dry.error)) assert.equal(locateError(dry.error, positions), 250, dry.error)
    })

    test('an error that concerns no site is attributed to none', async () => {
      const { config, positions } = served.compile(many)
      const { error } = await served.caddy.load({ ...config, storage: { module: 'nowhere' } })
      assert.notEqual(error, '')
      assert.equal(locateError(error, positions), undefined, error)
      assert.equal(locateError('something else', positions), undefined)
    })
  })
