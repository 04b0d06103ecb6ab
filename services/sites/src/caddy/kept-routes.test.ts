import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeNode, makeSite } from '../../test/site-makers.ts'
import { compileConfig } from './compile.ts'
import type { CompiledSite, ConfigOptions, NodeProfile } from './desired-state.ts'

const options: ConfigOptions = { catchAll: 'not_found', maintenancePage: '<p>Back soon' }
const portal = { verify: 'unix//verify.sock', pages: 'unix//pages.sock', status: 'unix//status.sock' }

/** Sites whose routes depend on all that surrounds a record. */
const sites: CompiledSite[] = [
  makeSite(1, { domains: ['a.test', '*.a.test'], upstreams: [{ url: 'http://127.0.0.1:9' }] }),
  makeSite(2, { domains: ['b.test'], maintenance_mode: true, upstreams: [{ url: 'http://127.0.0.1:9' }] }),
  makeSite(3, { domains: ['c.test'], sign_in: {}, upstreams: [{ url: 'http://127.0.0.1:9' }] }),
  {
    ...makeSite(4, {
      domains: ['d.test'],
      tls: { mode: 'off' },
      upstreams: [{ url: 'http://127.0.0.1:9' }],
      basic_auth: [{ username: 'somebody', password: 'long-enough' }],
    }),
    passwordHashes: { somebody: 'first' },
  },
  makeSite(5, { domains: ['e.test'], kind: 'raw', raw_directives: 'respond hello' }),
  makeSite(6, { domains: ['f.test'], reach: 'tunnel', upstreams: [{ url: 'http://127.0.0.1:9' }] }),
]

/** The configuration as it is compiled of records that nothing was kept of. */
const anew = (all: readonly CompiledSite[], node: NodeProfile, given = options) =>
  compileConfig({ sites: structuredClone(all), options: given }, node)

test('a configuration of routes that were compiled before is the same as a new one, whatever changed around them', () => {
  const [first, second, third, fourth, fifth] = sites as [
    CompiledSite,
    CompiledSite,
    CompiledSite,
    CompiledSite,
    CompiledSite,
  ]
  const states: readonly (readonly [
    what: string,
    sites: readonly CompiledSite[],
    node: NodeProfile,
    options?: ConfigOptions,
  ])[] = [
    ['at first', sites, makeNode('oldest')],
    ['once more', sites, makeNode('oldest')],
    ['another version of Caddy', sites, makeNode('newest')],
    ['a portal', sites, makeNode('newest', { portal })],
    [
      'another page for maintenance',
      sites,
      makeNode('newest', { portal }),
      { ...options, maintenancePage: '<p>Later' },
    ],
    ['a tunnel', sites, makeNode('newest'), { ...options, reach: { home: [], tunnel: ['10.8.0.0/24'] } }],
    ['another tunnel', sites, makeNode('newest'), { ...options, reach: { home: [], tunnel: ['10.9.0.0/24'] } }],
    ['other hashes', [first, { ...fourth, passwordHashes: { somebody: 'second' } }], makeNode('oldest')],
    ['no hashes', [{ ...fourth, passwordHashes: {} }], makeNode('oldest')],
    ['adapted routes', [{ ...fifth, rawRoutes: [{ handle: [] }] }], makeNode('oldest')],
    ['another number', [{ ...second, id: 22 }], makeNode('oldest')],
    ['authorities', [{ ...third, upstreamAuthorities: { 1: ['AAAA'] } }], makeNode('oldest', { portal })],
    ['at first again', sites, makeNode('oldest')],
  ]
  for (const [what, all, node, given] of states) {
    const known = compileConfig({ sites: all, options: given ?? options }, node)
    const fresh = anew(all, node, given)
    assert.deepEqual(known.config, fresh.config, what)
    assert.deepEqual(known.notes, fresh.notes, what)
    assert.deepEqual(known.positions, fresh.positions, what)
  }
  assert.ok(anew(sites, makeNode('oldest')).notes.length >= 2, 'sites that are closed are noted each time')
})
