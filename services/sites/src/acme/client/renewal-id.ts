import type { X509Certificate } from 'node:crypto'
import { readDer } from './der.ts'

const authorityKeyId = Buffer.from('0603551d23', 'hex')

/**
 * The name of a certificate in renewal information (RFC 9773 section 4.1): its authority's key and its serial number. Undefined
 * for a certificate that does not name the key.
 */
export function renewalId({ raw, serialNumber }: Pick<X509Certificate, 'raw' | 'serialNumber'>): string | undefined {
  const at = raw.indexOf(authorityKeyId)
  if (at < 0) return undefined
  const octets = readDer(raw.subarray(at + authorityKeyId.length))
  const sequence = octets?.tag === 0x04 ? readDer(octets.content) : undefined
  const key = sequence?.tag === 0x30 ? readDer(sequence.content) : undefined
  if (key?.tag !== 0x80) return undefined
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`
  const serial = Buffer.from(hex, 'hex')
  // An integer whose first bit is set has a zero before it.
  const bytes = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), serial]) : serial
  return `${key.content.toString('base64url')}.${bytes.toString('base64url')}`
}
