import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { z } from 'zod'
import { validArbitraryOf } from '@hearth/testing/conformance'
import { arbitrarySite } from '../../test/site-arbitrary.ts'
import { makeNode, makeSite } from '../../test/site-makers.ts'
import { SiteCreate } from '../sites/schema.ts'
import { canonicalJson } from './canonical-json.ts'
import { compileConfig } from './compile.ts'
import type { CompiledSite } from './desired-state.ts'

interface Route {
  readonly '@id': string
  readonly match: { readonly host: string[] }[]
  readonly handle: { readonly routes: Route[] }[]
}
const options = { catchAll: 'not_found' } as const
const compile = (sites: readonly CompiledSite[]) => compileConfig({ sites, options }, makeNode('oldest'))
const routesOf = (config: object, server: string) =>
  (config as { apps: { http: { servers: Record<string, { routes: Route[] }> } } }).apps.http.servers[server]?.routes ??
  []
const says = (id: number, body = 'x') =>
  makeSite(id, { domains: [`s${id}.test`], kind: 'respond', respond: { body }, tls: { mode: 'internal' } })
const sitesUpTo = (count: number) => Array.from({ length: count }, (_, index) => says(index + 1))

describe('the compiler', () => {
  test('any site compiles, deterministically, for the oldest and the newest node', () => {
    fc.assert(
      fc.property(fc.tuple(arbitrarySite(1), arbitrarySite(2)), (sites) => {
        for (const age of ['oldest', 'newest'] as const) {
          const one = compileConfig({ sites, options }, makeNode(age))
          const other = compileConfig({ sites: sites.toReversed(), options }, makeNode(age))
          assert.equal(canonicalJson(one.config), canonicalJson(other.config))
          assert.equal(canonicalJson(JSON.parse(JSON.stringify(one.config))), canonicalJson(one.config))
        }
      }),
      { numRuns: 60 },
    )
  })

  test('a protected wildcard is closed, and shows nothing for the errors of sites below it', () => {
    const node = {
      ...makeNode('oldest'),
      portal: { verify: 'unix//verify.sock', pages: 'unix//pages.sock', status: 'unix//status.sock' },
    }
    const sites = ['*.a.test', 'b.test'].map((domain, index) =>
      makeSite(index + 1, { domains: [domain], tls: { mode: 'internal' }, sign_in: {} }),
    )
    const { config, notes } = compileConfig({ sites, options }, node)
    const { errors } = (config as { apps: { http: { servers: { https: { errors: { routes: Route[] } } } } } }).apps.http
      .servers.https
    assert.deepEqual(
      errors.routes.flatMap(({ match }) => match.flatMap(({ host }) => host)),
      ['b.test'],
    )
    assert.deepEqual([...new Set(notes.map(({ siteId }) => siteId))], [1])
    assert.match(notes[0]?.text ?? '', /without a wildcard; the site is closed/)
  })

  test('every input that matches the site schema compiles', () => {
    const schema = z.toJSONSchema(SiteCreate, { io: 'input' })
    const shape = validArbitraryOf(schema, schema)
    fc.assert(
      fc.property(shape, (value) => {
        const parsed = SiteCreate.safeParse({
          ...(value as object),
          site_name: 'a',
          domain: undefined,
          domains: ['a.test'],
          caddy_directives: undefined,
        })
        if (!parsed.success) return
        const users = parsed.data.basic_auth.map(({ username }) => ({ username }))
        const site = { id: 1, record: { ...parsed.data, basic_auth: users, enabled: true } }
        for (const age of ['oldest', 'newest'] as const)
          assert.ok(JSON.stringify(compileConfig({ sites: [site], options }, makeNode(age)).config))
      }),
      { numRuns: 40 },
    )
  })

  const manySites = sitesUpTo(900)
  const before = compile(manySites)
  test('editing one site changes only its own bucket', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.string(), (id, body) => {
        const after = compile(manySites.map((site) => (site.id === id ? says(id, `${body}!`) : site)))
        const changed = (server: string) => {
          const old = routesOf(before.config, server).map((route) => JSON.stringify(route))
          return routesOf(after.config, server).filter((route, index) => JSON.stringify(route) !== old[index])
        }
        const [bucket, ...others] = changed('https')
        assert.equal(others.length, 0)
        assert.ok(bucket?.match[0]?.host.includes(`s${id}.test`))
        assert.deepEqual(changed('http'), [])
      }),
      { numRuns: 8 },
    )
  })

  test('buckets hold about 120 hosts, and adding or removing a site moves few others', () => {
    const bucketOf = (count: number) =>
      new Map(
        routesOf(compile(sitesUpTo(count)).config, 'https').flatMap((route) =>
          (route.handle[0]?.routes ?? []).map((site) => [site['@id'], route['@id']] as const),
        ),
      )
    const sizes = Map.groupBy(bucketOf(5000).values(), (name) => name)
    for (const [name, { length }] of sizes) assert.ok(length > 40 && length < 240, `${name} has ${length}`)
    const [before, after] = [bucketOf(1200), bucketOf(1201)]
    const moved = [...before].filter(([site, bucket]) => after.get(site) !== bucket)
    assert.ok(moved.length < 200, `${moved.length} of 1200 sites moved`)
  })

  test('a site with many domains stays in one bucket', () => {
    const domains = Array.from({ length: 100 }, (_, index) => `d${index}.test`)
    const large = makeSite(9000, { domains, kind: 'respond', respond: {}, tls: { mode: 'internal' } })
    const holding = routesOf(compile([...sitesUpTo(500), large]).config, 'https').filter((route) =>
      route.match?.[0]?.host.some((host) => domains.includes(host)),
    )
    assert.equal(holding.length, 1)
  })

  test('positions point at the routes of the sites they list', () => {
    const { config, positions } = compile([
      ...sitesUpTo(300),
      makeSite(301, { domains: ['*.w.test', 'w.test'], kind: 'respond', respond: {}, tls: { mode: 'off' } }),
    ])
    for (const server of ['https', 'http']) {
      const routes = routesOf(config, server)
      assert.equal(positions.routes[server]?.length, routes.length)
      for (const [index, place] of (positions.routes[server] ?? []).entries()) {
        if (!Array.isArray(place)) continue
        const ids = routes[index]?.handle[0]?.routes.map((route) => Number(/^site-(\d+)/.exec(route['@id'])?.[1]))
        assert.deepEqual(place, ids)
      }
    }
  })

  test('every @id is unique', () => {
    const text = JSON.stringify(
      compile([
        ...sitesUpTo(300),
        makeSite(301, { domains: ['*.w.test', 'w.test'], kind: 'respond', respond: {}, tls: { mode: 'internal' } }),
      ]).config,
    )
    const ids = [...text.matchAll(/"@id":"([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
  })

  test('a disabled site is omitted; a site that lacks its protection is closed and reported', () => {
    const disabled = makeSite(1, { domains: ['a.test'], kind: 'respond', respond: { body: 'secret' }, enabled: false })
    const open = makeSite(2, {
      domains: ['b.test'],
      kind: 'respond',
      respond: { body: 'secret' },
      basic_auth: [{ username: 'constructor' }],
    })
    const { config, notes } = compile([disabled, { ...open, passwordHashes: {} }])
    assert.ok(!JSON.stringify(config).includes('secret'))
    assert.ok(!JSON.stringify(config).includes('a.test'))
    assert.deepEqual(
      notes.map(({ siteId }) => siteId),
      [2],
    )
  })

  test('features that an old node does not support are omitted and reported', () => {
    const site = makeSite(1, {
      domains: ['a.test'],
      upstreams: [{ url: 'http://a:1' }, { url: 'http://b:1' }],
      lb: { policy: 'weighted_round_robin' },
      health: { active: { fails: 3 } },
    })
    const noted = (age: 'oldest' | 'newest') =>
      compileConfig({ sites: [site], options }, makeNode(age)).notes.map(({ text }) => text)
    assert.equal(noted('oldest').length, 2)
    assert.deepEqual(noted('newest'), [])
  })
})
