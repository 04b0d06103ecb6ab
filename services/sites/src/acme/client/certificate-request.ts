import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { der } from './der.ts'

const sequence = 0x30
const set = 0x31
const extensionRequest = der(0x06, Buffer.from('2a864886f70d01090e', 'hex'))
const subjectAltName = der(0x06, Buffer.from('551d11', 'hex'))
const ecdsaWithSha256 = der(sequence, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))

/**
 * Creates a certificate signing request (RFC 2986) for names, DER. The subject is empty: authorities read the names alone.
 *
 * @param key PEM of a key on P-256
 */
export function createRequest(names: readonly string[], key: string): Buffer {
  const general = names.map((name) => der(0x82, Buffer.from(name, 'ascii')))
  const extension = der(sequence, subjectAltName, der(0x04, der(sequence, ...general)))
  const attribute = der(sequence, extensionRequest, der(set, der(sequence, extension)))
  const version = der(0x02, Buffer.from([0]))
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const info = der(sequence, version, der(sequence), spki, der(0xa0, attribute))
  const signature = sign('sha256', info, createPrivateKey(key))
  return der(sequence, info, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
}
