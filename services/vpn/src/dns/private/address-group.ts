import { addressBytes } from '../address-bytes.ts'

/** What counts as one sender: an IPv4 address, also in IPv6 form, or the network of an IPv6 address, /64. */
export function addressGroup(address: string): string {
  const plain = address.replace(/%.*/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const bytes = addressBytes(plain)
  return bytes === undefined ? plain : Buffer.from(bytes.subarray(0, 8)).toString('hex')
}
