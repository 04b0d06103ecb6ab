import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { makeNode, makeSite } from '../../../test/site-makers.ts'
import { compileConfig } from '../../caddy/compile.ts'
import { readConfig } from './read-config.ts'

const routes = (list: unknown) => ({ apps: { http: { servers: { s: { listen: [':443'], routes: list } } } } })

/** Words that mean something in a configuration, so that arbitrary values get past the first look. */
const word = fc.constantFrom(
  'handler',
  'handle',
  'match',
  'host',
  'routes',
  'subroute',
  'reverse_proxy',
  'upstreams',
  'dial',
  'headers',
  'request',
  'response',
  'set',
  'path',
  'static_response',
  'status_code',
  'not',
  'remote_ip',
  'ranges',
  'a.example.org',
  '10.0.0.5:80',
  '/api/*',
  'group',
  'terminal',
  'file_server',
  'vars',
  'root',
  'encode',
  'authentication',
  'providers',
  'http_basic',
  'accounts',
  'rewrite',
  'handle_response',
  '__proto__',
  'toString',
  'valueOf',
  'constructor',
)
const leaf = fc.oneof(word, fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
const json = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(word, tie('any'), { maxKeys: 5 }),
  ),
})).any

describe('any configuration', () => {
  test('is read without an exception, and every finding has a location', () => {
    fc.assert(
      fc.property(fc.oneof(json, json.map(routes), fc.array(json, { maxLength: 3 }).map(routes)), (config) => {
        const { sites, report } = readConfig(config)
        assert.ok(sites.every(({ path, site }) => path !== '' && (site.domains?.length ?? 0) > 0))
        assert.ok(report.every(({ path, what }) => path !== '' && what !== ''))
      }),
      { numRuns: 500 },
    )
  })

  test('is read without an exception when any one value of ours is replaced', () => {
    const site = makeSite(1, {
      site_name: 'a',
      domains: ['a.example.org'],
      upstreams: [{ url: 'https://10.0.0.5:80' }],
      health: { active: {}, passive: {} },
      forward_auth: { url: 'http://10.0.0.9:1', copy_headers: ['X'] },
      access: { allow: ['10.0.0.0/8'], block_bots: true },
      paths: [{ path: '/api', kind: 'static', strip: true, static: { root: '/srv', fallback: '/x.html' } }],
      redirects: [{ from: '/a/*', to: '/b', keep_path: true }],
      maintenance_mode: true,
      error_page: 'x',
    })
    const { config } = compileConfig(
      { sites: [site], options: { catchAll: 'not_found' } },
      makeNode('newest', { logFile: '/l' }),
    )
    const text = JSON.stringify(config)
    const locations = placesOf(JSON.parse(text))
    fc.assert(
      fc.property(fc.nat(locations.length - 1), fc.oneof(leaf, json), (index, value) => {
        const changed: unknown = JSON.parse(text)
        replace(changed, locations[index] ?? [], value)
        readConfig(changed, { isOurs: true })
      }),
      { numRuns: 500 },
    )
  })

  test('is skipped entirely when it is too deep, too large or missing', () => {
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level += 1) deep = { handle: [deep] }
    for (const config of [deep, routes(deep), null, 1, 'x', []]) {
      const { sites, report } = readConfig(config)
      assert.deepEqual([sites, report.map(({ outcome, path }) => [outcome, path])], [[], [['left_out', '/']]])
    }
  })

  test('with very many hosts finishes in time, with the maximum number of sites', () => {
    const many = Array.from({ length: 6000 }, (_, index) => ({
      match: [{ host: [`h${index}.example.org`] }],
      handle: [{ handler: 'static_response', body: 'x' }],
    }))
    const { sites, report } = readConfig(routes(many))
    assert.equal(sites.length, 5000)
    assert.match(report.map(({ what }) => what).join(), /1000 sites more than the 5000/)
  })

  test('whose every route matches every host is abandoned in time', () => {
    const hosts = Array.from({ length: 5000 }, (_, index) => `h${index}.example.org`)
    const open = Array.from({ length: 5000 }, () => ({ handle: [{ handler: 'headers' }] }))
    const { report } = readConfig(routes([{ match: [{ host: hosts }], handle: [] }, ...open]))
    assert.match(report.map(({ what }) => what).join(), /too many routes are for all of them|more/)
  })
})

type Path = (string | number)[]

function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
}

function replace(root: unknown, path: Path, value: unknown): void {
  let at = root as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>
  const last = path.at(-1)
  if (last !== undefined) at[last] = value
}
