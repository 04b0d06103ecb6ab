import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateDnsNotices } from './private-dns-notices.ts'

const now = Date.parse('2026-11-27T12:00:00Z')
const day = 86_400_000
const place = { address: '0.0.0.0', port: 853, error: null }
const certificate = {
  names: ['dns.example.org', '*.dns.example.org'],
  valid_from: new Date(now - 60 * day).toISOString(),
  valid_to: new Date(now + 30 * day).toISOString(),
  for_tls: true,
  for_https: true,
}
const good = {
  enabled: true,
  host: 'dns.example.org',
  https_url: 'https://dns.example.org/dns-query',
  tls: [place],
  https: [{ ...place, port: 443 }],
  http: [],
  certificate,
  certificate_problem: null,
}

const found = (more: object, at = now) =>
  privateDnsNotices({ ...good, ...more }, at).map(({ severity, title }) => `${severity}: ${title}`)

test('a certificate is warned of 14 days before it ends, and when it has ended', () => {
  assert.deepEqual(found({}), [])
  assert.deepEqual(found({}, now + 16 * day), [])
  assert.deepEqual(found({}, now + 16 * day + 1), ['warning: The certificate of Private DNS ends soon'])
  assert.deepEqual(found({}, now + 30 * day), ['critical: The certificate of Private DNS has ended'])
})

test('missing files, wrong names and taken ports have a notice; what is off has none', () => {
  const problem = 'DNS_TLS_KEY: there is no such file: /x'
  assert.deepEqual(found({ certificate: null, certificate_problem: problem }), [
    'critical: Private DNS has no certificate',
  ])
  assert.deepEqual(found({ certificate_problem: problem }), [
    'warning: The new certificate of Private DNS cannot be used',
  ])
  const wrong = ['critical: The certificate of Private DNS is for other names']
  assert.deepEqual(found({ certificate: { ...certificate, for_tls: false } }), wrong)
  assert.deepEqual(found({ tls: [], certificate: { ...certificate, for_tls: false } }), [])
  assert.deepEqual(found({ tls: [{ ...place, error: 'EADDRINUSE' }] }), ['critical: Private DNS cannot listen'])
  assert.deepEqual(found({ enabled: false, certificate: null }), [])
})
