import { isIPv4, isIPv6 } from 'node:net'
import { linux, sockaddr } from './layouts.ts'

/**
 * Writes an address as `struct sockaddr_in` or `sockaddr_in6` to `to[at..]` and returns its length, 16 or 28. IPv6 addresses may
 * carry a zone, which then is an interface's number. Throws a `RangeError` for what is no address.
 */
export function encodeSocketAddress(to: Uint8Array, at: number, address: string, port: number): number {
  if (isIPv4(address)) {
    to.fill(0, at, at + sockaddr.ipv4Size)
    to[at] = linux.AF_INET
    writePort(to, at, port)
    to.set(address.split('.').map(Number), at + sockaddr.ipv4)
    return sockaddr.ipv4Size
  }
  if (!isIPv6(address)) throw new RangeError(`${address} is no IP address`)
  const [plain = '', zone] = address.split('%')
  to.fill(0, at, at + sockaddr.ipv6Size)
  to[at] = linux.AF_INET6
  writePort(to, at, port)
  to.set(ipv6Bytes(plain), at + sockaddr.ipv6)
  new DataView(to.buffer, to.byteOffset).setUint32(at + sockaddr.scope, Number(zone) || 0, true)
  return sockaddr.ipv6Size
}

function writePort(to: Uint8Array, at: number, port: number): void {
  to[at + sockaddr.port] = port >> 8
  to[at + sockaddr.port + 1] = port
}

/** The port of the address at `bytes[at..]`. */
export const portOf = (bytes: Uint8Array, at: number): number =>
  (bytes[at + sockaddr.port]! << 8) | bytes[at + sockaddr.port + 1]!

/** The address at `bytes[at..]` as text; IPv6 not shortened. */
export function addressText(bytes: Uint8Array, at: number): string {
  if (bytes[at] === linux.AF_INET) {
    const from = at + sockaddr.ipv4
    return `${bytes[from]}.${bytes[from + 1]}.${bytes[from + 2]}.${bytes[from + 3]}`
  }
  const groups = Array.from({ length: 8 }, (_, group) => {
    const from = at + sockaddr.ipv6 + 2 * group
    return ((bytes[from]! << 8) | bytes[from + 1]!).toString(16)
  })
  const zone = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at + sockaddr.scope, true)
  return groups.join(':') + (zone === 0 ? '' : `%${zone}`)
}

/**
 * Whether the address at `bytes[at..]` can only be of this machine or a network of its own: loopback, private (RFC 1918, RFC
 * 4193), shared (RFC 6598) or link-local, also as an IPv4 address in IPv6 form.
 */
export function isNearby(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === linux.AF_INET) return isNearbyIpv4(bytes, at + sockaddr.ipv4)
  const from = at + sockaddr.ipv6
  const first = bytes[from]!
  if ((first & 0xfe) === 0xfc) return true
  if (first === 0xfe && (bytes[from + 1]! & 0xc0) === 0x80) return true
  for (let k = 0; k < 10; k++) if (bytes[from + k] !== 0) return false
  if (bytes[from + 10] === 0xff && bytes[from + 11] === 0xff) return isNearbyIpv4(bytes, from + 12)
  for (let k = 10; k < 15; k++) if (bytes[from + k] !== 0) return false
  return bytes[from + 15] === 1
}

function isNearbyIpv4(bytes: Uint8Array, from: number): boolean {
  const first = bytes[from]!
  const second = bytes[from + 1]!
  if (first === 127 || first === 10) return true
  if (first === 192) return second === 168
  if (first === 172) return (second & 0xf0) === 16
  if (first === 169) return second === 254
  return first === 100 && (second & 0xc0) === 64
}

function ipv6Bytes(address: string): number[] {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)
  const text = dotted === null ? address : `${dotted[1]}${asGroups(dotted[2]!)}`
  const [head = '', tail] = text.split('::')
  const left = groupsOf(head)
  const right = groupsOf(tail ?? '')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 255])
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))

function asGroups(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
