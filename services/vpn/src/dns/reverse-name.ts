import { addressBytes } from './address-bytes.ts'

/** The name that leads from an address back to its name: `5.1.168.192.in-addr.arpa`. */
export function reverseName(address: string): string {
  const bytes = [...(addressBytes(address) ?? [])].toReversed()
  if (bytes.length === 4) return `${bytes.join('.')}.in-addr.arpa`
  return `${bytes.map((byte) => `${(byte & 15).toString(16)}.${(byte >> 4).toString(16)}`).join('.')}.ip6.arpa`
}
