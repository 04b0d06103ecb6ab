import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { generateKeyPair, generatePresharedKey, isKey, publicKeyOf } from './keys.ts'

describe('keys', () => {
  test('the public key equals the one of wireguard-tools', () => {
    const publicKey = publicKeyOf('iKRKQhUhKSjCGdWn0g4KXbRAVr8LsHMG1cb2QxqNn0g=')
    assert.equal(publicKey, 'v2gQSMKeXdxBLBx2TRlu3OrFRFmr5T2PQYmZYT6KDVo=')
  })

  test('key pairs match and differ each time', () => {
    const pairs = Array.from({ length: 50 }, generateKeyPair)
    for (const { privateKey, publicKey } of pairs) assert.equal(publicKeyOf(privateKey), publicKey)
    assert.equal(new Set(pairs.map(({ privateKey }) => privateKey)).size, 50)
    assert.ok(isKey(generatePresharedKey()))
  })

  test('a key is exactly the canonical base64 of 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) =>
        isKey(Buffer.from(bytes).toString('base64')),
      ),
    )
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const bytes = Buffer.from(text, 'base64')
        return isKey(text) === (bytes.length === 32 && bytes.toString('base64') === text)
      }),
    )
    const key = generatePresharedKey()
    for (const text of [`${key}\n`, ` ${key}`, key.slice(0, -1), `${key.slice(0, -2)}B=`, `${key}=`])
      assert.equal(isKey(text), false)
  })

  test('an error about a private key does not repeat it', () => {
    assert.throws(
      () => publicKeyOf('secret-thing'),
      (error: Error) => !error.message.includes('secret-thing'),
    )
  })
})
