import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { isNetworkMember } from '../sites/rules/networks.ts'
import { SiteSignIn, type SignInRule } from '../sites/sign-in-schema.ts'
import { compileSignIn, decide, type PortalRequest, type PortalUser } from './decide.ts'

type Outcome = ReturnType<typeof decide>['outcome']

const groups = ['family', 'staff', 'admins', 'guests']
const words = ['admin', 'api', 'Files', 'x', 'health', 'a.b', 'ü']
const someGroups = fc.subarray(groups, { maxLength: 2 })
const plainPath = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
const networks = fc.subarray(['10.0.0.0/8', '192.168.1.0/24', '2001:db8::/32', '192.168.1.7'], { maxLength: 2 })
const rule: fc.Arbitrary<SignInRule> = fc
  .record({
    match: fc.constantFrom('prefix' as const, 'exact' as const),
    path: plainPath,
    methods: fc.subarray(['GET', 'POST', 'DELETE'], { maxLength: 2 }),
    networks,
    access: fc.constantFrom('open' as const, 'sign_in' as const, 'denied' as const),
    groups: someGroups,
  })
  .map(({ groups: named, ...one }) => Object.assign(one, { groups: one.access === 'sign_in' ? named : [] }))
const signIn: fc.Arbitrary<SiteSignIn> = fc.record({ groups: someGroups, rules: fc.array(rule, { maxLength: 6 }) })
const user: fc.Arbitrary<PortalUser | undefined> = fc.option(
  someGroups.map((names) => ({ id: 'u', username: 'ann', email: null, groups: new Set(names) })),
  { nil: undefined },
)
const addresses = ['10.1.2.3', '192.168.1.7', '192.168.1.8', '203.0.113.5', '2001:db8::1'] as const
const around = {
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PROPFIND', 'post', 'Head'),
  address: fc.constantFrom(...addresses, undefined),
}

/** Where a request may come from: one whose address is not known, from anywhere. */
const originsOf = ({ address }: PortalRequest) => (address === undefined ? addresses : [address])

/** What a server takes a path for, and how it compares texts. */
interface Reading {
  readonly path: string
  readonly same: (text: string) => string
}

/** The rules read literally, by a server with this reading of the path. */
function model(
  site: SiteSignIn,
  request: PortalRequest,
  { path, same }: Reading,
  visitor: PortalUser | undefined,
): Outcome {
  const sent = request.method.toUpperCase()
  const met = site.rules.find((one) => {
    const method = sent === 'HEAD' && one.methods.includes('GET') ? 'GET' : sent
    if (one.methods.length > 0 && !one.methods.includes(method)) return false
    if (one.networks.length > 0 && !isNetworkMember(request.address ?? '', one.networks)) return false
    if (one.match === 'exact') return same(path) === same(one.path)
    const prefix = one.path === '/' ? '' : one.path
    return same(path) === same(prefix) || same(path).startsWith(`${same(prefix)}/`)
  })
  const { access, groups: wanted } = met ?? { access: 'sign_in' as const, groups: site.groups }
  if (access === 'open') return 'allow'
  if (access === 'denied') return 'forbidden'
  if (visitor === undefined) return 'sign_in'
  return wanted.length === 0 || wanted.some((group) => visitor.groups.has(group)) ? 'allow' : 'forbidden'
}

const literal = (text: string) => text
const withoutCapitals = (text: string) => text.toLowerCase()

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Paths that known servers make of one. */
function readingsOf(raw: string): Reading[] {
  const decoded = [tryDecode(raw), tryDecode(tryDecode(raw))]
  const slashed = decoded.flatMap((path) => [path, path.replaceAll('\\', '/')])
  const plain = slashed.flatMap((path) => [path, path.replaceAll(/;[^/]*/g, ''), path.split(/[?#]/, 1)[0] ?? ''])
  const merged = plain.flatMap((path) => [path, path.replaceAll(/\/{2,}/g, '/')])
  const cleaned = merged.flatMap((path) => [path, withoutDots(path)])
  const trimmed = cleaned.flatMap((path) => [path, path.replace(/(?<=.)\/+$/, '')])
  return [...new Set(trimmed)].flatMap((path) => [
    { path, same: literal },
    { path, same: withoutCapitals },
  ])
}

function withoutDots(path: string): string {
  const kept: string[] = []
  for (const part of path.split('/').slice(1)) {
    if (part === '..') kept.pop()
    else if (part !== '.') kept.push(part)
  }
  return `/${kept.join('/')}`
}

describe('decisions about requests', () => {
  test('100,000 requests to 200 sites by 50 users are decided as the rules read', () => {
    const sites = fc.sample(signIn, { numRuns: 200, seed: 7 })
    const users = fc.sample(user, { numRuns: 50, seed: 8 })
    const compiled = sites.map(compileSignIn)
    const requests = fc.sample(fc.record({ ...around, target: plainPath.map(encodeURI) }), { numRuns: 2000, seed: 9 })
    const counts = { allow: 0, sign_in: 0, forbidden: 0 }
    for (let number = 0; number < 100_000; number += 1) {
      const [site, visitor, request] = [number % 200, (number * 7) % 50, requests[(number * 13) % 2000]]
      const [rules, ready] = [sites[site], compiled[site]]
      if (request === undefined || rules === undefined || ready === undefined) throw new Error('nothing to decide')
      const who = users[visitor]
      const { outcome, isAmbiguous } = decide(ready, request, who)
      counts[outcome] += 1
      for (const address of originsOf(request)) {
        const read = model(rules, { ...request, address }, { path: decodeURI(request.target), same: literal }, who)
        // A path that differs from a rule in capitals or its last slash alone may be refused, and is never let through.
        if (!isAmbiguous)
          assert.equal(outcome, read, JSON.stringify({ rules, request, groups: [...(who?.groups ?? [])] }))
        else if (outcome === 'allow') assert.equal(read, 'allow')
      }
    }
    assert.ok(Math.min(...Object.values(counts)) > 5000, JSON.stringify(counts))
  })

  test('no spelling of a path gets through where any server would take it for a path that is refused', () => {
    const piece = fc.constantFrom(
      ...'admin Admin ADMIN api x . .. %2e%2e %2E ;a=b %2f %5c \\ %25 %2561dmin %61dmin ..; %00 %ff files health ü %C3%BC # admin;x'.split(
        ' ',
      ),
      '',
    )
    const target = fc.array(piece, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`)
    const glued = fc.array(piece, { maxLength: 6 }).map((parts) => `/${parts.join('')}`)
    fc.assert(
      fc.property(signIn, fc.record({ ...around, target: fc.oneof(target, glued) }), user, (site, request, visitor) => {
        if (decide(compileSignIn(site), request, visitor).outcome !== 'allow') return
        for (const address of originsOf(request))
          for (const reading of readingsOf(request.target.split('?', 1)[0] ?? '')) {
            const read = model(site, { ...request, address }, reading, visitor)
            assert.equal(read, 'allow', JSON.stringify({ site, request, reading, address }))
          }
      }),
      { numRuns: 8000 },
    )
  })

  const site = (input: object) => compileSignIn(SiteSignIn.parse(input))
  const get = (target: string, address?: string) => ({ method: 'GET', target, address })
  const ann: PortalUser = { id: '1', username: 'ann', email: null, groups: new Set(['family']) }

  test('a visitor from home passes, one from outside signs in', () => {
    const rules = site({ rules: [{ networks: ['192.168.0.0/16'], access: 'open' }] })
    assert.equal(decide(rules, get('/', '192.168.3.4'), undefined).outcome, 'allow')
    assert.equal(decide(rules, get('/', '203.0.113.9'), undefined).outcome, 'sign_in')
    assert.equal(decide(rules, get('/', undefined), undefined).outcome, 'sign_in')
    assert.equal(decide(rules, get('/', '::ffff:192.168.3.4'), undefined).outcome, 'allow')
  })

  test('a visitor whose address is not known is let through only from wherever they may come', () => {
    const denied = site({ rules: [{ networks: ['203.0.113.0/24'], access: 'denied' }] })
    assert.deepEqual(decide(denied, get('/', undefined), ann), { outcome: 'forbidden', rule: 0, isAmbiguous: true })
    assert.equal(decide(denied, get('/', 'unknown'), ann).outcome, 'forbidden')
    assert.equal(decide(denied, get('/', '198.51.100.1'), ann).outcome, 'allow')
    const rules = [
      { path: '/lan', networks: ['10.0.0.0/8'], access: 'open' },
      { path: '/lan', access: 'denied' },
    ]
    assert.equal(decide(site({ rules }), get('/lan', undefined), ann).outcome, 'forbidden')
    assert.equal(decide(site({ rules }), get('/', undefined), ann).isAmbiguous, false)
  })

  test('a method in small letters meets the rules of that method', () => {
    const rules = site({ rules: [{ methods: ['POST', 'GET'], access: 'denied' }] })
    for (const method of ['POST', 'post', 'Post', 'get', 'head'])
      assert.equal(decide(rules, { ...get('/'), method }, ann).outcome, 'forbidden', method)
    assert.equal(decide(rules, { ...get('/'), method: 'put' }, ann).outcome, 'allow')
  })

  test('a public path is open as it is written, and in no other spelling', () => {
    const rules = site({ rules: [{ path: '/share', access: 'open' }] })
    for (const path of ['/share', '/share/a', '/share?x=/../'])
      assert.equal(decide(rules, get(path), undefined).outcome, 'allow')
    for (const path of [
      '/share/../admin',
      '/share/..%2fadmin',
      '/share//x',
      '/shared',
      '/SHARE',
      '/share/%2e%2e/x',
      '/share/a;b',
    ])
      assert.equal(decide(rules, get(path), undefined).outcome, 'sign_in', path)
  })

  test('a path that is denied stays denied in every spelling', () => {
    const rules = site({ rules: [{ path: '/admin', access: 'denied' }] })
    for (const path of ['/admin', '/Admin/x', '/x/../admin', '//admin', '/%61dmin', '/x/..;/admin', '/admin%2fx'])
      assert.equal(decide(rules, get(path), ann).outcome, 'forbidden', path)
    assert.equal(decide(rules, get('/administrator'), ann).outcome, 'allow')
  })

  test('a path is folded once, however many rules there are', ({ mock }) => {
    const rules = Array.from({ length: 50 }, (_, index) => ({ path: `/area-${index}`, access: 'denied' as const }))
    const site = compileSignIn(SiteSignIn.parse({ rules }))
    const folding = mock.method(String.prototype, 'normalize')
    const target = `/${'%EF%B7%BA'.repeat(900)}`
    decide(site, { method: 'GET', target, address: undefined }, undefined)
    assert.equal(folding.mock.callCount(), 1)
  })
})
