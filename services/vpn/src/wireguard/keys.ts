import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'

/** The fixed head of a PKCS #8 document that holds an X25519 private key; the 32 bytes of the key follow. */
const pkcs8Head = Buffer.from('302e020100300506032b656e04220420', 'hex')

const decodedLength = 32

/** True for the one way to write 32 bytes in base64: 44 characters, padded, no stray bits in the last one. */
export function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text)
}

/** Makes an X25519 key pair for a device or a client, each half canonical base64 of 32 bytes. `privateKey` is a secret. */
export function generateKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('x25519')
  const encoded = privateKey.export({ type: 'pkcs8', format: 'der' })
  const text = clamp(encoded.subarray(-decodedLength)).toString('base64')
  return { privateKey: text, publicKey: publicKeyOf(text) }
}

/** The public half of a private key. Throws a `RangeError` without the key in it when the text is no key. */
export function publicKeyOf(privateKey: string): string {
  if (!isKey(privateKey)) throw new RangeError('the private key is not 32 bytes of base64')
  const encoded = Buffer.concat([pkcs8Head, Buffer.from(privateKey, 'base64')])
  const key = createPublicKey(createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' }))
  return key.export({ type: 'spki', format: 'der' }).subarray(-decodedLength).toString('base64')
}

/** Makes a preshared key: 32 random bytes, base64. */
export function generatePresharedKey(): string {
  return randomBytes(decodedLength).toString('base64')
}

/** Sets the bits every X25519 implementation sets before use, so that the text reads back from a device as it was given. */
function clamp(key: Buffer): Buffer {
  const clamped = Buffer.from(key)
  clamped[0] = (clamped[0] ?? 0) & 0xf8
  clamped[31] = ((clamped[31] ?? 0) & 0x7f) | 0x40
  return clamped
}
