import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asciiName, parseRuleDomain } from './domain-name.ts'

test('a domain is accepted as people type it', () => {
  assert.deepEqual(parseRuleDomain(' Ads.Example.COM. '), { domain: 'ads.example.com', belowOnly: false })
  assert.deepEqual(parseRuleDomain('Ads.Example.COM.'), { domain: 'ads.example.com', belowOnly: false })
  assert.deepEqual(parseRuleDomain('*.example.com'), { domain: 'example.com', belowOnly: true })
  assert.deepEqual(parseRuleDomain('bücher.example'), { domain: 'xn--bcher-kva.example', belowOnly: false })
  assert.deepEqual(parseRuleDomain('_dmarc.example.com'), { domain: '_dmarc.example.com', belowOnly: false })
  assert.deepEqual(parseRuleDomain('zip'), { domain: 'zip', belowOnly: false })
})

test('an invalid domain is refused', () => {
  const wrong = [
    '',
    '.',
    'a..b',
    'http://a.example',
    '192.0.2.1',
    'a b.example',
    '*.*.example',
    `${'a'.repeat(64)}.example`,
  ]
  for (const text of [...wrong, 'a.example/path', '*', '*.', 'a\n.example', Array(60).fill('abcdef').join('.')])
    assert.equal(parseRuleDomain(text), undefined, text)
  assert.equal(asciiName('*.example.com'), undefined)
})
