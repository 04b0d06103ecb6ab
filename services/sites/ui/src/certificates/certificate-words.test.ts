import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byUrgency, gradeText, gradeTone, nameIn, uploadLabel } from './certificate-words.ts'

test('hosts that need attention come first, then by expiry', () => {
  const hosts = [
    { host: 'fine', state: 'valid', not_after: '2027-01-01T00:00:00Z' },
    { host: 'sooner', state: 'valid', not_after: '2026-12-01T00:00:00Z' },
    { host: 'gone', state: 'expired', not_after: '2026-01-01T00:00:00Z' },
    { host: 'new', state: 'pending', not_after: null },
  ] as const
  assert.deepEqual(
    byUrgency(hosts).map(({ host }) => host),
    ['gone', 'new', 'sooner', 'fine'],
  )
})

test('a grade lowered only by trust says what it would be otherwise', () => {
  assert.equal(gradeText('T', 'A'), 'The certificate is not trusted; without that the grade would be A')
  assert.equal(gradeText('B', 'B'), 'Grade B')
  assert.deepEqual(['A-', 'B', 'C', 'F', 'T'].map(gradeTone), ['good', 'accent', 'warn', 'bad', 'bad'])
})

test('an issuer is shown by its common name if it has one', () => {
  assert.equal(nameIn('C=US, O=Let’s Encrypt, CN=R11'), 'R11')
  assert.equal(nameIn('O=Somebody'), 'Somebody')
  assert.equal(nameIn('plain'), 'plain')
})

test('a certificate to choose is shown with its first names, and with a word when it is revoked', () => {
  const names = ['a.test', 'b.test', 'c.test']
  assert.equal(uploadLabel({ name: 'house', names }, false), 'house (a.test, b.test, …)')
  assert.equal(uploadLabel({ name: 'house', names: names.slice(0, 1) }, true), 'house (a.test), revoked')
  assert.equal(uploadLabel({ name: 'visitors', names: [] }, false), 'visitors')
})
