import assert from 'node:assert/strict'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createTestAuthority } from '../../../test/test-authority.ts'
import { readAuthority, readCertificate, UploadRejected } from './read-pem.ts'

const now = Date.now()
const root = createTestAuthority()
const intermediate = root.intermediate('Between')
const mine = intermediate.issue({ names: ['a.example', 'b.example'] })
const other = root.issue({ names: ['other.example'] })
const between = mine.chain.slice(mine.certificate.length)
const subjects = (pem: string) => pem.split(/(?=-----BEGIN)/).map((block) => new X509Certificate(block).subject)

test('a chain in any order is sorted and stripped of everything else', () => {
  const text = `some words\n${root.root}${between}more words\n${mine.certificate}`
  const checked = readCertificate({ certificate: text, privateKey: mine.key }, now)
  assert.deepEqual(subjects(checked.pem), ['CN=a.example', 'CN=Between', 'CN=Test Root'])
  assert.ok(!checked.pem.includes('words'))
  assert.match(checked.key, /^-----BEGIN PRIVATE KEY-----/)
})

test('a single certificate, CRLF line ends and older key formats are accepted', () => {
  const alone = {
    certificate: mine.certificate.replaceAll('\n', '\r\n'),
    privateKey: mine.key.replaceAll('\n', '\r\n'),
  }
  assert.equal(readCertificate(alone, now).certificates.length, 1)
  const sec1 = mine.privateKey.export({ type: 'sec1', format: 'pem' })
  assert.equal(readCertificate({ ...alone, privateKey: sec1 }, now).key, mine.key)
})

const key = (kind: 'ed25519' | 'small' | 'curve') => {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519').privateKey
  if (kind === 'small') return generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  return generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey
}
const pemKey = (kind: Parameters<typeof key>[0]) => key(kind).export({ type: 'pkcs8', format: 'pem' })
const expired = root.issue({ names: ['a.example'], notBefore: now - 9e9, notAfter: now - 1000 })
const nameless = root.issue({ names: [] })
const authority = root.issue({ names: ['a.example'], isAuthority: true })

const refusals: readonly [string, { certificate?: string; privateKey?: string }, string, RegExp][] = [
  ['the key of another', { privateKey: other.key }, 'private_key', /does not belong/],
  ['no key', { privateKey: 'hello' }, 'private_key', /no private key/],
  ['a broken key', { privateKey: mine.key.replace(/\n.{10}/, '\nAAAAAAAAAA') }, 'private_key', /cannot be read/],
  [
    'a key with a passphrase',
    { privateKey: mine.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }) },
    'private_key',
    /encrypted/,
  ],
  ['a kind browsers do not know', { privateKey: pemKey('ed25519') }, 'private_key', /ed25519/],
  ['a small key', { privateKey: pemKey('small') }, 'private_key', /1024 bits/],
  ['an odd curve', { privateKey: pemKey('curve') }, 'private_key', /secp256k1/],
  ['no certificate', { certificate: 'hello' }, 'certificate', /no certificate/],
  [
    'a broken certificate',
    { certificate: mine.certificate.replace(/\nMII.{20}/, '\nMIIAAAA') },
    'certificate',
    /number 1/,
  ],
  ['the key in the wrong field', { certificate: mine.chain + mine.key }, 'certificate', /private key/],
  [
    'a stranger in the chain',
    { certificate: mine.chain + other.certificate },
    'certificate',
    /no issuer.*other\.example/,
  ],
  ['too many', { certificate: mine.chain.repeat(6) }, 'certificate', /more than 10/],
  ['an expired one', { certificate: expired.chain, privateKey: expired.key }, 'certificate', /expired/],
  ['one that names nobody', { certificate: nameless.chain, privateKey: nameless.key }, 'certificate', /names no host/],
  ['that of an authority', { certificate: authority.chain, privateKey: authority.key }, 'certificate', /authority/],
]

for (const [name, change, field, message] of refusals)
  test(`refused: ${name}`, () => {
    const upload = { certificate: mine.chain, privateKey: mine.key, ...change }
    assert.throws(
      () => readCertificate(upload, now),
      (error) => error instanceof UploadRejected && error.field === field && message.test(error.message),
    )
  })

test('a CA certificate is accepted as an authority, a leaf certificate is refused', () => {
  assert.deepEqual(subjects(readAuthority(root.root + between, now).pem), ['CN=Test Root', 'CN=Between'])
  assert.throws(() => readAuthority(mine.certificate, now), /no certificate of an authority/)
})
