import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../problems.ts'
import { allSections } from './all-sections.ts'
import { readDocument } from './read-document.ts'
import { maxBytes } from './schema.ts'

const begin = 'format: hearth-vpn-1\n'

function refusalOf(text: string): string {
  try {
    readDocument(text, allSections)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error.message
  }
  return assert.fail(`it was read: ${text.slice(0, 80)}`)
}

test('hostile YAML is refused with a clear error, and quickly', () => {
  const bomb = `${begin}a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n === 0 ? 'a' : `b${n - 1}`}, *a]`).join('\n')}\n`
  const cases: [string, RegExp][] = [
    ['', /must begin with "format: hearth-vpn-1"/],
    ['- a\n', /must begin with "format: hearth-vpn-1"/],
    ['format: hearth-vpn-9\n', /line 1: format must be hearth-vpn-1/],
    [bomb, /line 2: the file must have no anchor \(&\)/],
    [`${begin}peers: *x\n`, /line 2: .*(alias|refer)/i],
    [`${begin}peers: !!js/function 'x'\n`, /line 2: .*tag/i],
    [`${begin}peers:\n  a: {}\n  a: {}\n`, /line 4: the file has "a" twice/],
    [`${begin}peers:\n  Ä: { interface: x }\n  ä: { interface: x }\n`, /line 4: peers\.ä stands there twice/],
    [`${begin}peers:\n  1: { interface: x }\n`, /line 3: the file must have names that are text; quote numbers/],
    [`${begin}peers:\n  ? [a, b]\n  : { interface: x }\n`, /must have names that are text/],
    [`%YAML 1.1\n---\n${begin}`, /must be YAML 1\.2/],
    [`${begin}---\n${begin}`, /documents/],
    [`${begin}peers:\n\t- x\n`, /line 3/],
    [`${begin}peers: [\n`, /line/],
    [`${begin}peers: 7\n`, /line 2: peers must have members/],
    [`${begin}dns_rules: {}\n`, /line 2: dns_rules must be a list/],
    [`${begin}users: {}\n`, /line 2: users is unknown/],
    [`${begin}peers:\n  a: { interface: x, __proto__: {} }\n`, /line 3: peers\.a\.__proto__ is unknown/],
    [`${begin}settings: { default_mtu: 12 }\n`, /line 2: settings\.default_mtu must be at least 1280/],
    [`${begin}x: ${'['.repeat(20_000)}`, /nested too deep|line/],
    [`${begin}x: ${'{a: '.repeat(20_000)}`, /nested too deep|line/],
    [`${begin}${'# \n'.repeat(maxBytes / 2)}`, /larger than 4 MiB/],
  ]
  for (const [text, expected] of cases) {
    const began = performance.now()
    assert.match(refusalOf(text), expected, text.slice(0, 80))
    assert.ok(performance.now() - began < 30_000, text.slice(0, 80))
  }
})

test('no name means anything to the language', () => {
  const { sections } = readDocument(
    `${begin}peers:\n  __proto__: { interface: home }\n  constructor: { interface: home }\n`,
    allSections,
  )
  const [peers] = sections.values()
  assert.deepEqual(
    peers?.map(({ name }) => name),
    ['__proto__', 'constructor'],
  )
})

test('a secret in a file never stands in an error', () => {
  const secret = 'v1.SECRETSECRET'
  const message = refusalOf(
    `${begin}peers:\n  a: { interface: home, private_key: ${secret}, preshared_key: [${secret}] }\n`,
  )
  assert.ok(!message.includes('SECRET'), message)
})
