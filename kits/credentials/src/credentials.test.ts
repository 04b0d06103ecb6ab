import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { test } from 'node:test'
import {
  createPassword,
  createFileCipher,
  createSealer,
  createSessionKey,
  createToken,
  csrfTokenOf,
  hashPassword,
  isCsrfToken,
  isToken,
  keyOfPassphrase,
  loadSecretKey,
  passwordWeakness,
  verifyPassword,
} from './index.ts'

test('a password matches only its own hash, and two hashes of one password differ', async () => {
  const stored = await hashPassword('correct horse')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await verifyPassword('correct horse', stored), true)
  assert.equal(await verifyPassword('correct hors', stored), false)
  assert.notEqual(await hashPassword('correct horse'), stored)
  assert.equal(await verifyPassword('anything', undefined), false)
  assert.equal(await verifyPassword('anything', 'plain text'), false)
})

test('a passphrase and a salt give the same key for ever: files that it sealed can be opened', async () => {
  const key = await keyOfPassphrase('twelve green bottles', Buffer.alloc(16, 7))
  assert.equal(Buffer.from(key).toString('hex'), 'bfe4985e22de417b53f72ec6ca989df863fdc313387e87246d139dc0ff7377ec')
})

test('composed and decomposed Unicode letters give the same password', async () => {
  assert.equal(await verifyPassword('pa\u0308sswo\u0308rter', await hashPassword('p\u00e4ssw\u00f6rter')), true)
})

test('weak passwords are refused with a reason, long random ones are not', () => {
  for (const weak of [
    'password',
    'Passw0rd',
    'password123',
    '12345678',
    'aaaaaaaa',
    'abcdefgh',
    'Welcome1!',
    'hgfedcba',
  ]) {
    assert.ok(passwordWeakness(weak), weak)
  }
  assert.ok(passwordWeakness('marie2024', ['marie', 'marie@example.org']))
  assert.equal(passwordWeakness('tall-giraffe-7', ['marie']), undefined)
  assert.equal(passwordWeakness(createPassword(), ['admin']), undefined)
})

test('tokens have the documented format, and one wrong character is detected without a database query', () => {
  const token = createToken('hvpn')
  assert.match(token, /^hvpn_[A-Za-z0-9]{44}$/)
  assert.equal(isToken(token, 'hvpn'), true)
  const wrong = token.slice(0, 10) + (token[10] === 'a' ? 'b' : 'a') + token.slice(11)
  for (const text of [wrong, token.slice(0, -1), `${token}a`, token.replace('hvpn', 'hinv'), ''])
    assert.equal(isToken(text, 'hvpn'), false)
  assert.equal(new Set(Array.from({ length: 1000 }, () => createToken('hvpn'))).size, 1000)
})

test('sealed text opens only with its key and for its own column', () => {
  const sealer = createSealer(randomBytes(32))
  const sealed = sealer.seal('secret', 'peers.private_key:1')
  assert.ok(!sealed.includes('secret'))
  assert.equal(sealer.open(sealed, 'peers.private_key:1'), 'secret')
  assert.throws(() => sealer.open(sealed, 'peers.private_key:2'), /another/)
  assert.throws(() => createSealer(randomBytes(32)).open(sealed, 'peers.private_key:1'), /another/)
  const flipped = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.at(-1)
  assert.throws(() => sealer.open(flipped, 'peers.private_key:1'), /another/)
  assert.notEqual(sealer.seal('secret', 'x'), sealer.seal('secret', 'x'))
})

test('the key file is created once with mode 0600; an invalid one is refused with the name of its setting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-key-'))
  try {
    const file = join(folder, 'secret.key')
    await assert.rejects(loadSecretKey({ file, mayCreate: false }), /SECRET_KEY_FILE: .* is missing/)
    const key = await loadSecretKey({ file, mayCreate: true })
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.deepEqual(Buffer.from(await loadSecretKey({ file, mayCreate: true })), Buffer.from(key))
    assert.deepEqual(
      Buffer.from(await loadSecretKey({ value: Buffer.from(key).toString('hex'), file, mayCreate: false })),
      Buffer.from(key),
    )
    await writeFile(file, 'short')
    await assert.rejects(loadSecretKey({ file, mayCreate: true }), /SECRET_KEY_FILE: must hold 32 bytes/)
    await assert.rejects(
      loadSecretKey({ value: 'nope', file, mayCreate: true }),
      (error: Error) => error.message === 'SECRET_KEY: must hold 32 bytes in base64 or hex',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a CSRF token belongs to one session', () => {
  const [one, two] = [createSessionKey(), createSessionKey()]
  assert.equal(isCsrfToken(csrfTokenOf(one), one), true)
  assert.equal(isCsrfToken(csrfTokenOf(one), two), false)
  assert.equal(isCsrfToken('', one), false)
})

async function through(stream: Transform, content: Buffer, pieces = 7): Promise<Buffer> {
  const chunks = Array.from({ length: Math.ceil(content.length / pieces) }, (_, index) =>
    content.subarray(index * pieces, (index + 1) * pieces),
  )
  return Buffer.concat(await Readable.from(chunks).pipe(stream).toArray())
}

test('an encrypted file opens only when complete and with its key and header', async () => {
  const cipher = createFileCipher(randomBytes(32))
  for (const length of [0, 1, 15, 16, 17, 5000]) {
    const content = randomBytes(length)
    const closed = await through(cipher.encrypt('header'), content)
    assert.equal(closed.length, length + 28)
    assert.deepEqual(await through(cipher.decrypt('header'), closed), content)
    await assert.rejects(through(cipher.decrypt('other'), closed), /changed/)
    await assert.rejects(through(createFileCipher(randomBytes(32)).decrypt('header'), closed), /changed/)
    await assert.rejects(through(cipher.decrypt('header'), closed.subarray(0, -1)), /changed|cut short/)
    await assert.rejects(through(cipher.decrypt('header'), closed.subarray(0, 5)), /cut short/)
  }
})
