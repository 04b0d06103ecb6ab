import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@hearth/runtime'
import { createTestAuthority } from '../../../test/test-authority.ts'
import { startTlsServer, type TlsServerWish } from '../../../test/tls-server.ts'
import { createGrader, GradeFailed } from './grader.ts'

const authority = createTestAuthority()
const intermediate = authority.intermediate('Test Intermediate')
const trusting = createGrader({ clock: systemClock, roots: [authority.root] })
const strict = createGrader({ clock: systemClock })
const good = intermediate.issue({ names: ['a.example', '*.wild.example', '127.0.0.1'] })
const weak = { minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const
const longHsts = 'max-age=31536000; includeSubDomains'

async function gradeOf(wish: Partial<TlsServerWish>, host = 'a.example', grader = trusting) {
  await using server = await startTlsServer({ certificate: good, ...wish })
  return await grader.grade(host, server.endpoint)
}

const codes = (grade: Awaited<ReturnType<typeof gradeOf>>) => grade.findings.map(({ code }) => code)

test('a good server gets an A, and A+ with a long HSTS', async () => {
  const plain = await gradeOf({ ciphers: 'ECDHE+AESGCM:ECDHE+CHACHA20' })
  assert.deepEqual([plain.grade, plain.gradeTrustIgnored], ['A', 'A'])
  const best = await gradeOf({ ciphers: 'ECDHE+AESGCM:ECDHE+CHACHA20', hsts: longHsts })
  assert.equal(best.grade, 'A+')
  const { observation } = best
  assert.deepEqual(observation.versions, ['TLSv1.2', 'TLSv1.3'])
  assert.ok(observation.suites.some(({ name }) => name === 'ECDHE-ECDSA-AES128-GCM-SHA256'))
  assert.ok(observation.groups.includes('X25519MLKEM768'))
  assert.deepEqual(
    observation.chain.map(({ subject }) => subject),
    ['a.example', 'Test Intermediate'],
  )
  assert.equal(observation.redirectsToHttps, true)
  assert.equal(best.notAfter, observation.chain[0]?.notAfter)
})

test('wildcard names and IP addresses can be graded', async () => {
  assert.equal((await gradeOf({ ciphers: 'ECDHE+AESGCM' }, '*.wild.example')).grade, 'A')
  assert.equal((await gradeOf({ ciphers: 'ECDHE+AESGCM' }, '127.0.0.1')).grade, 'A')
})

test('old protocols cap the grade at B, whatever else is right', async () => {
  const grade = await gradeOf({ ...weak, hsts: longHsts })
  assert.equal(grade.grade, 'B')
  assert.deepEqual(grade.observation.versions, ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'])
  assert.ok(codes(grade).includes('old_protocol'))
})

test('a server with outdated protocols and ciphers gets at most C', async () => {
  const grade = await gradeOf({ ...weak, maxVersion: 'TLSv1.1', hsts: longHsts })
  assert.deepEqual([grade.grade, grade.observation.versions], ['C', ['TLSv1', 'TLSv1.1']])
  // Its headers are read all the same.
  assert.equal(grade.observation.hstsSeconds, 31_536_000)
})

test('without TLS 1.3 the grade is A-', async () => {
  const grade = await gradeOf({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE+AESGCM', hsts: longHsts })
  assert.deepEqual([grade.grade, codes(grade)[0]], ['A-', 'no_tls13'])
  assert.ok(grade.observation.groups.includes('X25519'))
})

test('a small key gets B, a smaller one F', async () => {
  const loose = createGrader({ clock: systemClock })
  const small = await gradeOf(
    { ...weak, certificate: authority.issue({ names: ['a.example'], rsaBits: 1024 }) },
    'a.example',
    loose,
  )
  assert.equal(small.gradeTrustIgnored, 'B')
  assert.ok(codes(small).includes('key_small'))
  const tiny = await gradeOf(
    { ...weak, certificate: authority.issue({ names: ['a.example'], rsaBits: 768 }) },
    'a.example',
    loose,
  )
  assert.equal(tiny.gradeTrustIgnored, 'F')
})

test('an expired certificate, a wrong name and an unknown issuer are detected', async () => {
  const suites = { ciphers: 'ECDHE+AESGCM' }
  const expired = authority.issue({ names: ['a.example'], notBefore: Date.now() - 9e9, notAfter: Date.now() - 60_000 })
  const late = await gradeOf({ ...suites, certificate: expired })
  assert.deepEqual([late.grade, late.gradeTrustIgnored, codes(late)[0]], ['T', 'A', 'expired'])
  const other = await gradeOf(suites, 'b.example')
  assert.deepEqual([other.grade, other.gradeTrustIgnored, codes(other)[0]], ['M', 'A', 'name_mismatch'])
  const unknown = await gradeOf({ ...suites, hsts: longHsts }, 'a.example', strict)
  assert.deepEqual([unknown.grade, unknown.gradeTrustIgnored, codes(unknown)[0]], ['T', 'A+', 'untrusted'])
})

test('a missing redirect and an OCSP staple are reported', async () => {
  const grade = await gradeOf({ redirects: false, ocspAnswer: Buffer.from('staple') })
  assert.ok(codes(grade).includes('no_redirect'))
  assert.ok(codes(grade).includes('ocsp_staple'))
})

test('an unreachable server fails with a reason instead of a grade', async () => {
  const server = await startTlsServer({ certificate: good })
  await server[Symbol.asyncDispose]()
  await assert.rejects(trusting.grade('a.example', server.endpoint), (error) => {
    assert.ok(error instanceof GradeFailed)
    assert.match(error.message, /could not be reached: ECONNREFUSED/)
    return true
  })
})

test('a timeout ends probing, and the grade says so', async () => {
  await using server = await startTlsServer({ certificate: good, hsts: longHsts })
  const hurried = createGrader({ clock: systemClock, roots: [authority.root], gradeMs: 0 })
  await assert.rejects(hurried.grade('a.example', server.endpoint), /time ran out/)
})
