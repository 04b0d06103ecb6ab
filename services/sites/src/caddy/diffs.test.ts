import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { arbitrarySite } from '../../test/site-arbitrary.ts'
import { makeNode, makeSite } from '../../test/site-makers.ts'
import { canonicalJson } from './canonical-json.ts'
import { compileConfig } from './compile.ts'
import { diffJson } from './config-diff.ts'
import { hidden, redactConfig } from './redact.ts'
import { diffFields, diffSites } from './site-diff.ts'

test('diffJson reports changes by member, by @id and as whole values', () => {
  assert.deepEqual(diffJson({ a: 1, b: [1, 2], c: { d: 1 } }, { b: [1, 3], c: { d: 1, e: 2 } }), [
    { path: 'a', before: 1 },
    { path: 'b', before: [1, 2], after: [1, 3] },
    { path: 'c/e', after: 2 },
  ])
  const routes = (...ids: string[]) => ids.map((id) => ({ '@id': id, x: id === 'two' ? 2 : 1 }))
  assert.deepEqual(diffJson({ r: routes('one', 'three') }, { r: routes('one', 'two', 'three') }), [
    { path: 'r/two', after: { '@id': 'two', x: 2 } },
  ])
  assert.deepEqual(diffJson([{ a: 1 }, { a: 2 }], [{ a: 1 }]), [{ path: '1', before: { a: 2 } }])
})

test('two values have no differences exactly when their canonical JSON is equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      assert.equal(diffJson(one, other).length === 0, canonicalJson(one) === canonicalJson(other))
      assert.deepEqual(diffJson(one, structuredClone(one)), [])
    }),
  )
})

test('editing one site produces differences only at that site', () => {
  const sites = Array.from({ length: 300 }, (_, index) =>
    makeSite(index + 1, { domains: [`s${index + 1}.test`], kind: 'respond', respond: {}, tls: { mode: 'off' } }),
  )
  const compile = (list: typeof sites) =>
    compileConfig({ sites: list, options: { catchAll: 'abort' } }, makeNode('oldest')).config
  const edited = makeSite(7, { domains: ['s7.test'], kind: 'respond', respond: { body: 'new' }, tls: { mode: 'off' } })
  const changes = diffJson(compile(sites), compile(sites.map((site) => (site.id === 7 ? edited : site))))
  assert.ok(changes.length > 0)
  for (const { path } of changes) assert.match(path, /\/site-7-http\//)
})

const secretSite = (password: string, token: string) =>
  makeSite(
    1,
    {
      domains: ['a.test'],
      kind: 'proxy',
      upstreams: [{ url: 'http://10.0.0.1:80' }],
      basic_auth: [{ username: 'ann', password: 'long enough' }],
      request_headers: [{ op: 'set', name: 'Authorization', value: `Bearer ${token}` }],
      response_headers: [{ op: 'set', name: 'X-A', value: '1' }],
      raw_directives: `basicauth {\n\tann ${password}\n}`,
      tls: { mode: 'custom', certificate_id: 1 },
    },
    {
      passwordHashes: { ann: password },
      certificate: {
        form: 'pem',
        certificate: 'PUBLIC',
        key: '-----BEGIN EC PRIVATE KEY-----\nsecretkey\n-----END EC PRIVATE KEY-----',
      },
    },
  )
const [oneHash, otherHash] = [`$2a$12$${'a'.repeat(53)}`, `$2a$12$${'b'.repeat(53)}`]

test('changes of sites are listed by field, secrets only as changed', () => {
  const before = secretSite(oneHash, 'first-token')
  const after = secretSite(otherHash, 'second-token')
  after.record.force_https = false
  const changes = diffFields(before, after)
  assert.deepEqual(
    new Map(changes.map(({ field, ...values }) => [field, values])),
    new Map<string, object>([
      ['force_https', { before: true, after: false }],
      ['request_headers.0.value', { before: hidden, after: hidden }],
      ['raw_directives', { before: `basicauth {\n\tann ${hidden}\n}`, after: `basicauth {\n\tann ${hidden}\n}` }],
      ['basic_auth.ann.password', { before: hidden, after: hidden }],
    ]),
  )
  const text = JSON.stringify(diffSites([before], [after, makeSite(2, { domains: ['b.test'] })]))
  assert.doesNotMatch(text, /token|aaaa|bbbb/)
  assert.deepEqual(
    diffSites([before], []).map(({ change }) => change),
    ['removed'],
  )
  assert.deepEqual(diffSites([before], [structuredClone(before)]), [])
  const whole = structuredClone(before)
  whole.record.request_headers = []
  assert.doesNotMatch(JSON.stringify(diffFields(before, whole)), /first-token/)
})

test('a displayed configuration contains no hash, key or token', () => {
  const { config } = compileConfig(
    { sites: [secretSite(oneHash, 'first-token')], options: { catchAll: 'abort' } },
    makeNode('oldest'),
  )
  assert.match(JSON.stringify(config), /aaaa.*|secretkey|first-token/)
  const shown = JSON.stringify(redactConfig(config))
  assert.doesNotMatch(shown, /aaaa|secretkey|first-token/)
  assert.match(shown, /PUBLIC/)
  assert.match(shown, /"X-A":\["1"\]/)
})

test('redaction leaves sites without secrets unchanged', () => {
  fc.assert(
    fc.property(arbitrarySite(1), (site) => {
      const plain = { ...site, passwordHashes: {}, record: { ...site.record, basic_auth: [] } }
      const { config } = compileConfig({ sites: [plain], options: { catchAll: 'abort' } }, makeNode('newest'))
      assert.deepEqual(redactConfig(config), config)
    }),
    { numRuns: 50 },
  )
})
