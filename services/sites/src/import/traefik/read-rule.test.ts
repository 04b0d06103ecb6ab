import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, constantFrom, property } from 'fast-check'
import { hostsOfRule, readRule } from './read-rule.ts'

test('hosts and paths are read in every form of versions 2 and 3', () => {
  const one = (hosts: string[], path?: object) => ({ hosts, ...(path && { path }) })
  for (const [rule, ...matches] of [
    ['Host(`a.example`)', one(['a.example'])],
    ['Host("A.example")', one(['a.example'])],
    ['Host(`a.example`, `b.example`)', one(['a.example', 'b.example'])],
    ['Host(`a.example`) || Host(`b.example`)', one(['a.example']), one(['b.example'])],
    ['Host(`a.example`) && PathPrefix(`/api`)', one(['a.example'], { match: 'prefix', path: '/api' })],
    ['PathPrefix(`/`) && Host(`a.example`)', one(['a.example'])],
    ['Host(`a.example`) && Path(`/x`)', one(['a.example'], { match: 'exact', path: '/x' })],
    [
      '(Host(`a.example`) || Host(`b.example`)) && (PathPrefix(`/c`) || Path(`/d`))',
      one(['a.example'], { match: 'prefix', path: '/c' }),
      one(['a.example'], { match: 'exact', path: '/d' }),
      one(['b.example'], { match: 'prefix', path: '/c' }),
      one(['b.example'], { match: 'exact', path: '/d' }),
    ],
  ] as const)
    assert.deepEqual(readRule(rule), { matches }, rule)
})

test('what a site cannot ask for is named', () => {
  for (const [rule, problem] of [
    ['', /not complete/],
    ['HostRegexp(`.+`)', /HostRegexp/],
    ['Host(`a.example`) && Headers(`x`, `y`)', /Headers/],
    ['Host(`a.example`) && !Path(`/x`)', /negation/],
    ['PathPrefix(`/x`)', /without a host/],
    ['Host(`a`) && Host(`b`)', /two hosts/],
    ['Host(`a.example`) && PathPrefix(`/{id:[0-9]+}`)', /pattern/],
    ['Host(`a.example`', /not understood/],
    ['(Host(`a.example`)', /not closed/],
    ['Host(`a.example`) Host(`b.example`)', /after its end/],
    ['Host:a.example', /not understood/],
  ] as const) {
    const reading = readRule(rule)
    assert.match('problem' in reading ? reading.problem : '', problem, rule)
  }
})

test('any text is read without an error, in little time', () => {
  const piece = constantFrom('Host(`a`)', 'PathPrefix(`/x`)', '&&', '||', '!', '(', ')', ' ', '`', 'x')
  check(
    property(array(piece, { maxLength: 200 }), (pieces) => {
      readRule(pieces.join(''))
    }),
  )
  const many = Array.from({ length: 12 }, (_, n) => `(Host(\`a${n}\`) || Host(\`b${n}\`))`).join(' && ')
  assert.match(JSON.stringify(readRule(many)), /too many alternatives/)
  assert.match(JSON.stringify(readRule('('.repeat(5000))), /nested too deeply/)
})

test('the hosts of any rule are found, and all where they cannot be', () => {
  const own = 'app.example.org'
  const other = 'b.example.net'
  for (const [rule, isForOwn, isForOther] of [
    ['Host(`app.example.org`) && PathRegexp(`^/(admin|login)`)', true, false],
    ['Host(`x.test`, `App.example.org.`) && Method(`POST`)', true, false],
    ['Host(`x.test`) && Method(`POST`) || Host(`app.example.org`) && !Query(`a`, `b`)', true, false],
    ['HostRegexp(`^.+\\.example\\.org$`)', true, false],
    ['HostRegexp(`^(app|web)\\.example\\.org$`)', true, false],
    ['HostRegexp(`{name:[a-z|]+}.example.org`)', true, false],
    ['HostRegexp(`\\d+xample\\.org$`)', true, false],
    ['HostSNI(`app.example.org`)', true, false],
    ['HostRegexp(`^app\\.(.+)$`)', true, false],
    ['HostRegexp(`app.{domain:.+}`)', true, false],
    ['HostRegexp(`^apps?\\..+`)', true, false],
    ['HostRegexp(`^pp\\.(.+)$`)', false, false],
    ['HostRegexp(`^.*$`)', true, true],
    ['HostRegexp(`web|b.example.org`)', true, true],
    ['HostRegexp(`.+`)', true, true],
    ['HostSNI(`*`)', true, true],
    ['PathPrefix(`/admin`)', true, true],
    ['Host(`x.test`) || PathPrefix(`/admin`)', true, true],
    ['!Host(`x.test`)', true, true],
    ['Host:app.example.org', true, true],
    ['Host(`x.test`) && !Path(`/x`)', false, false],
  ] as const)
    assert.deepEqual([hostsOfRule(rule)(own), hostsOfRule(rule)(other)], [isForOwn, isForOther], rule)
})

test('the end of a long pattern is found at once', () => {
  for (const pattern of [
    'a'.repeat(9000),
    `${'a'.repeat(9000)}+`,
    '\\.'.repeat(4000),
    '('.repeat(9000),
    '|'.repeat(9000),
  ])
    hostsOfRule(`HostRegexp(\`${pattern}\`)`)('a'.repeat(9000))
  assert.match(JSON.stringify(readRule('!'.repeat(5000))), /nested too deeply/)
})
