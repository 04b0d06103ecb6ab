import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateFacts } from '../certificate-facts.ts'
import type { Observation } from './observation.ts'
import { maxAgeOf } from './probe-web.ts'
import { scoreOf } from './score.ts'

const now = 1_800_000_000_000
const day = 86_400_000

const leaf: CertificateFacts = {
  subject: 'a.example',
  issuer: 'Some CA',
  keyType: 'rsa',
  keyBits: 2048,
  signature: 'sha256WithRSAEncryption',
  notBefore: now - 30 * day,
  notAfter: now + 60 * day,
  isSelfSigned: false,
}
const newSuite = { name: 'TLS_AES_128_GCM_SHA256', version: '1.3', dhBits: undefined } as const
const suite = (name: string, dhBits?: number) => ({ name, version: 'older', dhBits }) as const
const best = suite('ECDHE-RSA-AES256-GCM-SHA384')

const fine: Observation = {
  host: 'a.example',
  versions: ['TLSv1.2', 'TLSv1.3'],
  suites: [newSuite, best],
  groups: ['X25519'],
  chain: [leaf],
  isNameRight: true,
  distrust: undefined,
  hasOcspStaple: false,
  hstsSeconds: undefined,
  redirectsToHttps: true,
  isComplete: true,
}

const cases: readonly [string, Partial<Observation>, string, string?][] = [
  ['a current server', {}, 'A'],
  ['a long HSTS lifts it', { hstsSeconds: 15_552_000 }, 'A+'],
  ['a short one does not', { hstsSeconds: 15_551_999 }, 'A'],
  ['nor when time ran out', { hstsSeconds: 31_536_000, isComplete: false }, 'A'],
  ['TLS 1.0 caps at B, HSTS or not', { versions: ['TLSv1', 'TLSv1.2', 'TLSv1.3'], hstsSeconds: 31_536_000 }, 'B'],
  ['TLS 1.1 too', { versions: ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'] }, 'B'],
  [
    'nothing newer than 1.1 caps at C',
    { versions: ['TLSv1', 'TLSv1.1'], suites: [suite('ECDHE-RSA-AES256-SHA')] },
    'C',
  ],
  ['no TLS 1.3 is a warning', { versions: ['TLSv1.2'], suites: [best], hstsSeconds: 31_536_000 }, 'A-'],
  ['TLS 1.3 alone is fine', { versions: ['TLSv1.3'], suites: [newSuite] }, 'A'],
  ['a key of 1024 bits', { chain: [{ ...leaf, keyBits: 1024 }] }, 'B'],
  ['a key below that', { chain: [{ ...leaf, keyBits: 1023 }] }, 'F'],
  ['MD5', { chain: [{ ...leaf, signature: 'md5WithRSAEncryption' }] }, 'F'],
  ['MD5 further up', { chain: [leaf, { ...leaf, signature: 'md5WithRSAEncryption' }] }, 'F'],
  [
    'a root may be signed as it likes',
    { chain: [leaf, { ...leaf, signature: 'sha1WithRSAEncryption', isSelfSigned: true }] },
    'A',
  ],
  ['SHA-1 is not trusted', { chain: [{ ...leaf, signature: 'ecdsa-with-SHA1' }] }, 'T', 'A'],
  ['an unknown issuer', { distrust: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', hstsSeconds: 31_536_000 }, 'T', 'A+'],
  ['an expired certificate', { chain: [{ ...leaf, notAfter: now }] }, 'T', 'A'],
  ['one from tomorrow', { chain: [{ ...leaf, notBefore: now + day }] }, 'T', 'A'],
  ['another name', { isNameRight: false }, 'M', 'A'],
  ['another name and unknown issuer', { isNameRight: false, distrust: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'M', 'A'],
  ['untrusted and outdated', { distrust: 'X', versions: ['TLSv1', 'TLSv1.2'] }, 'T', 'B'],
  ['a suite without forward secrecy is a warning', { suites: [newSuite, best, suite('AES256-GCM-SHA384')] }, 'A-'],
  ['no suite with it', { versions: ['TLSv1.2'], suites: [suite('AES256-GCM-SHA384')] }, 'B'],
  ['no authenticated encryption', { versions: ['TLSv1.2'], suites: [suite('ECDHE-RSA-AES256-SHA384')] }, 'B'],
  ['a small Diffie-Hellman group', { suites: [newSuite, suite('DHE-RSA-AES256-GCM-SHA384', 1024)] }, 'B'],
  ['a broken one', { suites: [newSuite, suite('DHE-RSA-AES256-GCM-SHA384', 768)] }, 'F'],
  ['3DES', { suites: [newSuite, best, suite('ECDHE-RSA-DES-CBC3-SHA')] }, 'C'],
  ['RC4', { suites: [newSuite, best, suite('ECDHE-RSA-RC4-SHA')] }, 'C'],
  ['no encryption', { suites: [newSuite, best, suite('ECDHE-RSA-NULL-SHA')] }, 'F'],
  ['nobody on the other side', { suites: [newSuite, best, suite('ADH-AES256-SHA')] }, 'F'],
]

for (const [name, change, grade, ignoringTrust = grade] of cases)
  test(`${name}: ${grade}`, () => {
    const score = scoreOf({ ...fine, ...change }, now)
    assert.deepEqual([score.grade, score.gradeTrustIgnored], [grade, ignoringTrust])
  })

test('the components of the score are weighted', () => {
  const { parts } = scoreOf({ ...fine, versions: ['TLSv1', 'TLSv1.3'] }, now)
  assert.deepEqual(parts, { protocol: 95, keyExchange: 90, cipher: 90, total: 92 })
  const strong = scoreOf({ ...fine, suites: [best], chain: [{ ...leaf, keyType: 'ec', keyBits: 384 }] }, now)
  assert.deepEqual(strong.parts, { protocol: 100, keyExchange: 100, cipher: 100, total: 100 })
})

test('the worst finding comes first, and every finding is listed', () => {
  const { findings } = scoreOf({ ...fine, distrust: 'X', versions: ['TLSv1', 'TLSv1.2'], hstsSeconds: 31_536_000 }, now)
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['untrusted', 'old_protocol', 'no_tls13', 'hsts'],
  )
})

test('renewal is overdue in the last week, or in the last quarter of a short lifetime', () => {
  const isSoon = (life: number, left: number) =>
    scoreOf({ ...fine, chain: [{ ...leaf, notBefore: now + left - life, notAfter: now + left }] }, now).findings.some(
      ({ code }) => code === 'expires_soon',
    )
  assert.deepEqual([isSoon(90 * day, 8 * day), isSoon(90 * day, 6 * day)], [false, true])
  assert.deepEqual([isSoon(day / 2, day / 4), isSoon(day / 2, day / 9)], [false, true])
})

test('max-age is parsed as in RFC 6797', () => {
  const read = ['max-age=31536000', 'includeSubDomains; MAX-AGE = "600"', 'max-age=x', '', 'xmax-age=5']
  assert.deepEqual(read.map(maxAgeOf), [31_536_000, 600, undefined, undefined, undefined])
})
