import { generateKeyPairSync } from 'node:crypto'

/**
 * A public key whose private half nobody has, as COSE bytes (RFC 9053: EC2, ES256, P-256). What claims to come from a passkey
 * that does not exist is compared with it, so that the answer takes as long as for one that does.
 */
export function createDecoyKey(): Uint8Array<ArrayBuffer> {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => [...Buffer.from(text, 'base64url')]
  // Map of five: kty EC2, alg ES256, crv P-256, then x and y as strings of 32 bytes.
  return Uint8Array.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32, ...bytes(x), 0x22, 0x58, 32, ...bytes(y)])
}
