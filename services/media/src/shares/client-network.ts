import { isIP } from 'node:net'

/** Returns the network of an address as it is kept: the /24 of an IPv4 address, the /48 of an IPv6 one; `unknown` for no address. */
export function clientNetwork(address: string): string {
  const kind = isIP(address)
  if (kind === 0) return 'unknown'
  if (kind === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  // The parser of addresses writes each in its shortest form.
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return `${new URL(`http://[${groups.slice(0, 3).join(':')}::]`).hostname.slice(1, -1)}/48`
}
