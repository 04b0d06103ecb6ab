import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { keysObstacle, makeKeyPair, withPrivateKey } from './browser-keys.ts'

test('a pair has the public key of its private key, in the form of WireGuard', async () => {
  for (let count = 0; count < 20; count += 1) {
    const { privateKey, publicKey } = await makeKeyPair(crypto.subtle)
    assert.match(publicKey, /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
    const prefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
    const der = Buffer.concat([prefix, Buffer.from(privateKey, 'base64')])
    const derived = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    assert.equal(derived.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'), publicKey)
  }
})

test('what a browser cannot do is said in a sentence', async () => {
  assert.match(keysObstacle(false, undefined) ?? '', /https or at localhost only/)
  assert.equal(keysObstacle(true, crypto.subtle), undefined)
  const old = { generateKey: () => Promise.reject(new DOMException('unknown', 'NotSupportedError')) }
  await assert.rejects(makeKeyPair(old as unknown as SubtleCrypto), /^Error: This browser cannot make X25519 keys/)
})

test('the private key goes where the configuration leaves it out', () => {
  const text =
    '# phone\n[Interface]\n# PrivateKey = (the key stays on the device; put it here)\nAddress = 10.8.0.2/32\n'
  assert.equal(withPrivateKey(text, 'k+/='), '# phone\n[Interface]\nPrivateKey = k+/=\nAddress = 10.8.0.2/32\n')
})
