import { isIPv4, isIPv6 } from 'node:net'

/** The 4 or 16 bytes of an IP address, IPv6 with or without a zone, which does not count. Undefined for what is none. */
export function addressBytes(address: string): Uint8Array | undefined {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  return isIPv6(address) ? ipv6Bytes(address.replace(/%.*/, '')) : undefined
}

function ipv6Bytes(address: string): Uint8Array {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)
  const text = dotted === null ? address : `${dotted[1]}${asGroups(dotted[2]!)}`
  const [head = '', tail = ''] = text.split('::')
  const [left, right] = [groupsOf(head), groupsOf(tail)]
  const bytes = new Uint8Array(16)
  bytes.set(left)
  bytes.set(right, bytes.length - right.length)
  return bytes
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16)])

function asGroups(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
