import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraefikDocument } from './read-document.ts'
import { readRule } from './read-rule.ts'
import { secondsOf } from './read-service.ts'
import { readTraefik } from './read-traefik.ts'

const bcrypt = `$2y$05$${'a'.repeat(53)}`

const fileOf = (routers: object, middlewares: object = {}) => {
  const servers = (port: number) => ({ loadBalancer: { servers: [{ url: `http://10.0.0.7:${port}` }] } })
  return JSON.stringify({ http: { routers, middlewares, services: { s: servers(1), t: servers(2) } } })
}
const router = (more: object = {}) => ({ rule: 'Host(`a.example.org`)', service: 's', ...more })
const siteOf = (text: string) => {
  const [found] = readTraefik(text).sites
  assert.ok(found !== undefined, text)
  return found.site
}
const linesOf = (text: string) =>
  readTraefik(text).report.map(({ outcome, path, what }) => `${outcome} ${path}: ${what}`)

test('a router at an entry point for HTTPS is secure also without tls', () => {
  for (const entryPoints of [['websecure'], ['https'], ['web', 'websecure'], ['WebSecure']]) {
    const site = siteOf(fileOf({ a: router({ entryPoints }) }))
    assert.deepEqual([site.tls, site.enabled], [{ mode: 'auto' }, true], entryPoints.join())
  }
  const site = siteOf(fileOf({ a: router({ entryPoints: ['web'] }) }))
  assert.deepEqual([site.tls, site.enabled], [{ mode: 'off' }, true])
})

test('a router at entry points of its own is switched off', () => {
  for (const entryPoints of [['internal'], ['lan-https'], ['traefik', 'metrics']]) {
    const text = fileOf({ a: router({ entryPoints, tls: {} }) })
    assert.equal(siteOf(text).enabled, false, entryPoints.join())
    assert.match(linesOf(text).join('\n'), /it was at the entry points .* only; the site is switched off/)
  }
  const both = fileOf({ a: router({ entryPoints: ['websecure', 'internal'] }) })
  assert.equal(siteOf(both).enabled, true)
  assert.match(linesOf(both).join('\n'), /^lost \/http\/routers\/a: the entry points internal$/m)
})

test('of two routers with the same hosts and path the one that answers is taken over, and the other is in the report', () => {
  const portOf = (routers: object) => siteOf(fileOf(routers)).upstreams?.[0]?.url.slice(-1)
  const long = 'Host(`a.example.org`) && PathPrefix(`/`)'
  for (const [a, b, port, left] of [
    [{}, { service: 't' }, '1', 'b'],
    [{}, { service: 't', priority: 100 }, '2', 'a'],
    [{ priority: 5 }, { service: 't', priority: 3 }, '1', 'b'],
    [{}, { service: 't', rule: long }, '2', 'a'],
    [{ priority: 100 }, { service: 't', rule: long }, '1', 'b'],
  ] as const) {
    const routers = { a: router(a), b: router(b) }
    assert.equal(portOf(routers), port, JSON.stringify(routers))
    const lines = linesOf(fileOf(routers)).filter((line) => line.startsWith('left_out'))
    assert.deepEqual(lines.length, 1)
    assert.match(lines[0] ?? '', new RegExp(`^left_out /http/routers/${left}: the same hosts and path as`))
  }
  const path = 'Host(`a.example.org`) && PathPrefix(`/x`)'
  const text = fileOf({ a: router({ rule: path }), b: router({ rule: path, service: 't', priority: 900 }) })
  assert.deepEqual(
    siteOf(text).paths?.map(({ upstreams }) => upstreams),
    [[{ url: 'http://10.0.0.7:2' }]],
  )
})

test('two lists of users switch a site off, for a visitor had to be on both', () => {
  const users = (name: string) => ({ basicAuth: { users: [`${name}:${bcrypt}`] } })
  const text = fileOf({ a: router({ middlewares: ['m', 'n'] }) }, { m: users('ada'), n: users('bob') })
  assert.equal(siteOf(text).enabled, false)
  assert.match(linesOf(text).join('\n'), /two lists of users, both of which a visitor has to be on/)
})

test('durations that are none are refused at once', () => {
  assert.deepEqual(['10', '1.5', '10s', '1m30s', '500ms'].map(secondsOf), [10, 1.5, 10, 90, 0.5])
  for (const text of [`${'1'.repeat(40)}x`, `${'1'.repeat(100_000)}x`, `${'1s'.repeat(50_000)}x`, '1m30', 's'])
    assert.equal(secondsOf(text), undefined)
})

test('rules with values without an end, with too many terms or characters are refused at once', () => {
  for (const rule of [
    `Host(${'``'.repeat(40)}x`,
    `Host(\`a\`${' '.repeat(40)}x`,
    `Host(${'`a` '.repeat(30)}x)`,
    `Host(${'`a`, '.repeat(1500)}x)`,
  ])
    assert.match(JSON.stringify(readRule(rule)), /not understood/)
  const terms = Array.from({ length: 1000 }, () => 'A(``)').join('&&')
  assert.match(JSON.stringify(readRule(terms)), /too many terms/)
  // What is cut off could have asked for more.
  const long = `Host(\`a.example\`)${' '.repeat(10_000)}&& ClientIP(\`10.0.0.0/8\`)`
  assert.match(JSON.stringify(readRule(long)), /more than 10000 characters/)
})

test('chains of chains are read up to a bound', () => {
  const chain = (...names: string[]) => ({ chain: { middlewares: names } })
  const doubling = Object.fromEntries(Array.from({ length: 18 }, (_, n) => [`c${n}`, chain(`c${n + 1}`, `c${n + 1}`)]))
  const text = fileOf({ a: router({ middlewares: ['c0'] }) }, { ...doubling, c18: { compress: {} } })
  assert.equal(siteOf(text).enabled, false)
  assert.deepEqual(
    linesOf(text).filter((line) => line.includes('middlewares')),
    ['changed /http/routers/a: more than 200 middlewares; the site is switched off'],
  )
  const circle = fileOf({ a: router({ middlewares: ['c'] }) }, { c: chain('c', 'c') })
  assert.equal(siteOf(circle).enabled, false)
  // The last one that is read ends a chain, and what follows it is still said to be too much.
  const many = Array.from({ length: 198 }, () => 'm')
  const last = { m: { compress: {} }, c: chain('m'), n: { ipAllowList: { sourceRange: ['10.0.0.0/8'] } } }
  assert.equal(siteOf(fileOf({ a: router({ middlewares: [...many, 'c', 'n'] }) }, last)).enabled, false)
})

test('a text of empty lines is read at once', () => {
  assert.throws(() => readTraefikDocument('\n'.repeat(50_000)), /holds no configuration/)
  assert.throws(() => readTraefikDocument(`[a]${'\n'.repeat(50_000)}x`), /cannot be read as TOML/)
})
