import { addressBytes } from '../address-bytes.ts'
import { linux, sockaddr } from './layouts.ts'

/**
 * Writes an address as `struct sockaddr_in` or `sockaddr_in6` to `to[at..]` and returns its length, 16 or 28. IPv6 addresses may
 * carry a zone, which then is an interface's number. Throws a `RangeError` for what is no address.
 */
export function encodeSocketAddress(to: Uint8Array, at: number, address: string, port: number): number {
  const bytes = addressBytes(address)
  if (bytes === undefined) throw new RangeError(`${address} is no IP address`)
  if (bytes.length === 4) {
    to.fill(0, at, at + sockaddr.ipv4Size)
    to[at] = linux.AF_INET
    writePort(to, at, port)
    to.set(bytes, at + sockaddr.ipv4)
    return sockaddr.ipv4Size
  }
  const zone = address.split('%')[1]
  to.fill(0, at, at + sockaddr.ipv6Size)
  to[at] = linux.AF_INET6
  writePort(to, at, port)
  to.set(bytes, at + sockaddr.ipv6)
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
 * Returns true if the address at `bytes[at..]` can only be of this machine or a local network: loopback, private (RFC 1918, RFC
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
