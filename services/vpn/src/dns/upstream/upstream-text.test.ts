import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { labelOf, parseUpstream } from './upstream-text.ts'

const parts = (text: string) => {
  const { protocol, address, port, name, path } = parseUpstream(text)
  return [protocol, address, port, name, path]
}

test('upstreams are accepted in all usual notations', () => {
  assert.deepEqual(parts('9.9.9.9'), ['udp', '9.9.9.9', 53, undefined, undefined])
  assert.deepEqual(parts('udp://9.9.9.9:5353'), ['udp', '9.9.9.9', 5353, undefined, undefined])
  assert.deepEqual(parts('2620:fe::fe'), ['udp', '2620:fe::fe', 53, undefined, undefined])
  assert.deepEqual(parts('udp://[2620:fe::fe]:5353'), ['udp', '2620:fe::fe', 5353, undefined, undefined])
  assert.deepEqual(parts('tcp://9.9.9.9'), ['tcp', '9.9.9.9', 53, undefined, undefined])
  assert.deepEqual(parts('tls://9.9.9.9#dns.Quad9.net'), ['tls', '9.9.9.9', 853, 'dns.quad9.net', undefined])
  assert.deepEqual(parts('9.9.9.9@853#dns.quad9.net'), ['tls', '9.9.9.9', 853, 'dns.quad9.net', undefined])
  assert.deepEqual(parts('2620:fe::fe@8853#dns.quad9.net'), ['tls', '2620:fe::fe', 8853, 'dns.quad9.net', undefined])
  assert.deepEqual(parts('tls://[2620:fe::fe]:853#dns.quad9.net'), [
    'tls',
    '2620:fe::fe',
    853,
    'dns.quad9.net',
    undefined,
  ])
  assert.deepEqual(parts('tls://1.1.1.1'), ['tls', '1.1.1.1', 853, undefined, undefined])
  assert.deepEqual(parts('https://dns.quad9.net/dns-query'), ['https', undefined, 443, 'dns.quad9.net', '/dns-query'])
  assert.deepEqual(parts('https://dns.quad9.net#9.9.9.9'), ['https', '9.9.9.9', 443, 'dns.quad9.net', '/dns-query'])
  assert.deepEqual(parts('https://1.1.1.1/dns-query'), ['https', '1.1.1.1', 443, '1.1.1.1', '/dns-query'])
  assert.deepEqual(parts('https://[2620:fe::fe]:8443/q?x=1'), ['https', '2620:fe::fe', 8443, '2620:fe::fe', '/q?x=1'])
})

test('an invalid upstream is refused with a reason', () => {
  const wrong = [
    '',
    'dns.quad9.net',
    'tls://dns.quad9.net',
    'http://1.1.1.1/',
    'udp://1.1.1.1:0',
    'udp://1.1.1.1:65536',
  ]
  const more = [
    '1.1.1.1#a#b',
    'udp://1.1.1.1#x',
    'tls://1.1.1.1#-x',
    'https://u:p@host/',
    'https://host/#name',
    '1.1.1.1:x',
  ]
  for (const text of [...wrong, ...more, 'sdns://AQcA', '300.1.1.1', `tls://1.1.1.1#${'a'.repeat(600)}`]) {
    assert.throws(() => parseUpstream(text), RangeError, text)
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseUpstream(text)
      } catch (error) {
        assert.ok(error instanceof RangeError)
      }
    }),
  )
})

test('the displayed upstream omits its path, which may be personal', () => {
  assert.equal(labelOf(parseUpstream('https://dns.example/abc-secret?x#1.2.3.4')), 'https://dns.example#1.2.3.4')
  assert.equal(labelOf(parseUpstream('tls://1.1.1.1#one.one.one.one')), 'tls://1.1.1.1#one.one.one.one')
})
