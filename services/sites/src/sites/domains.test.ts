import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDomain, splitDomains, whyNotPublic, wildcardOver } from './domains.ts'

test('domains are accepted in the forms people type', () => {
  for (const [text, domain] of [
    ['Example.ORG.', 'example.org'],
    ['müller.de', 'xn--mller-kva.de'],
    ['*.Bücher.example', '*.xn--bcher-kva.example'],
    ['nas', 'nas'],
    ['_acme.example.org', '_acme.example.org'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
  ] as const)
    assert.deepEqual(readDomain(text), { domain }, text)
})

test('an invalid domain is refused with the reason', () => {
  for (const [text, problem] of [
    ['', /empty/],
    ['https://a.org', /scheme/],
    ['a.org:443', /port/],
    ['a.*.org', /wildcard/],
    ['*', /wildcard/],
    ['*a.org', /wildcard/],
    ['a.org/path', /character/],
    ['a b', /character/],
    ['{env.X}', /character/],
    ['-a.org', /not a valid/],
    ['a..org', /not a valid/],
    ['1.2.3', /not a valid|number/],
    ['1.2.3.256', /not a valid|number/],
    ['0x7f.1', /not a valid|number/],
    [`${'a'.repeat(64)}.org`, /not a valid/],
    [`${'a.'.repeat(126)}org`, /253|not a valid/],
  ] as const) {
    const reading = readDomain(text)
    assert.match('problem' in reading ? reading.problem : '', problem, `${text} → ${JSON.stringify(reading)}`)
  }
})

test('a list of domains is split at blanks and commas', () => {
  assert.deepEqual(splitDomains(' a.org, b.org\nc.org,,'), ['a.org', 'b.org', 'c.org'])
})

test('a name knows its covering wildcard and whether it is public', () => {
  assert.deepEqual(['a.b.org', 'org', '*.b.org', '1.2.3.4'].map(wildcardOver), [
    '*.b.org',
    undefined,
    undefined,
    undefined,
  ])
  assert.equal(whyNotPublic('example.org'), undefined)
  assert.match(whyNotPublic('*.nas.lan') ?? '', /lan/)
})
