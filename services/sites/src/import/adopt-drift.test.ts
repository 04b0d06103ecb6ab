import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeNode, makeSite } from '../../test/site-makers.ts'
import { compileConfig } from '../caddy/compile.ts'
import { withoutReach } from '../caddy/reach-routes.ts'
import { readConfig } from './config/read-config.ts'
import { planAdoption } from './adopt-drift.ts'
import type { DesiredSite } from '../deploy/desired-sites.ts'

const sites = [
  makeSite(1, { kind: 'respond', domains: ['one.test'], tls: { mode: 'off' }, respond: { body: 'one' } }),
  makeSite(2, { domains: ['two.test'], tls: { mode: 'internal' }, upstreams: [{ url: 'http://127.0.0.1:9000' }] }),
]
const desired: DesiredSite[] = sites.map(({ id, record }) => ({
  id,
  revision: 1,
  name: record.site_name,
  record,
  extras: { hashes: {} },
}))
const { config } = compileConfig({ sites, options: { catchAll: 'not_found' } }, makeNode('oldest'))
const read = (value: unknown) => readConfig(value, { isOurs: true })

function changed(from: string, to: string): unknown {
  const text = JSON.stringify(config)
  assert.ok(text.includes(from))
  return JSON.parse(text.replaceAll(from, to))
}

test('an unchanged configuration needs no adoption', () => {
  assert.deepEqual(planAdoption(read(config), read(config), desired), { changed: [], added: [], gone: [], report: [] })
})

test('only the changed field is adopted', () => {
  const plan = planAdoption(read(config), read(changed('127.0.0.1:9000', '127.0.0.1:9001')), desired)
  assert.deepEqual([plan.added, plan.gone], [[], []])
  assert.deepEqual(
    plan.changed.map(({ id, members }) => [id, Object.keys(members)]),
    [[2, ['upstreams']]],
  )
})

test('a sign-in that was taken out outside is not taken out of the site', () => {
  const protect = {
    domains: ['in.test'],
    upstreams: [{ url: 'http://127.0.0.1:9000' }],
    tls: { mode: 'internal' as const },
  }
  const portal = { verify: 'unix//data/verify.sock', pages: 'unix//data/pages.sock', status: 'unix//data/status.sock' }
  const compiled = (sign_in: { groups: string[] } | null) =>
    compileConfig(
      { sites: [makeSite(4, { ...protect, sign_in })], options: { catchAll: 'not_found' } },
      makeNode('oldest', { portal }),
    ).config
  const [site] = desired
  assert.ok(site)
  const plan = planAdoption(read(compiled({ groups: [] })), read(compiled(null)), [{ ...site, id: 4 }])
  assert.deepEqual(
    plan.changed.filter(({ members }) => 'sign_in' in members),
    [],
  )
})

test('who reaches a site is not read from a configuration, and the rest of the site still is', () => {
  const compiled = (upstream: string, reach: 'home' | 'everyone') =>
    compileConfig(
      {
        sites: [
          makeSite(4, { domains: ['in.test'], upstreams: [{ url: upstream }], tls: { mode: 'internal' }, reach }),
        ],
        options: { catchAll: 'not_found', reach: { home: ['192.168.0.0/16'], tunnel: [] } },
      },
      makeNode('newest'),
    ).config
  const bare = (value: object) => read(withoutReach(value, (id) => id === 4))
  const [site] = desired
  assert.ok(site)
  const [before, after] = [compiled('http://127.0.0.1:9000', 'home'), compiled('http://127.0.0.1:9001', 'everyone')]
  const plan = planAdoption(bare(before), bare(after), [{ ...site, id: 4 }])
  assert.deepEqual(
    plan.changed.map(({ id, members }) => [id, Object.keys(members)]),
    [[4, ['upstreams']]],
  )
  assert.deepEqual(plan.report, [])
  // A site that nobody knows here would be open without its route.
  const strange = planAdoption(
    read(withoutReach(config, () => false)),
    read(withoutReach(before, () => false)),
    desired,
  )
  assert.deepEqual(strange.added, [])
})

test('a site removed outside is removed, and a site added outside is added', () => {
  const without = compileConfig(
    { sites: sites.slice(1), options: { catchAll: 'not_found' } },
    makeNode('oldest'),
  ).config
  assert.deepEqual(planAdoption(read(config), read(without), desired).gone, [1])
  const more = makeSite(3, {
    kind: 'respond',
    domains: ['three.test'],
    tls: { mode: 'off' },
    respond: { body: 'three' },
  })
  const grown = compileConfig(
    { sites: [...sites, more], options: { catchAll: 'not_found' } },
    makeNode('oldest'),
  ).config
  const plan = planAdoption(read(config), read(grown), desired)
  assert.deepEqual(
    plan.added.map(({ site }) => site.domains),
    [['three.test']],
  )
  assert.deepEqual([plan.changed, plan.gone], [[], []])
})
