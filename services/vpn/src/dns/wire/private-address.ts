import { Type } from './codes.ts'

/**
 * Returns true if the IPv4 address at m[at] leads into a network that is not the Internet: this host, private (RFC 1918), shared
 * (RFC 6598), loopback, link-local.
 */
export function isPrivate4(m: Uint8Array, at: number): boolean {
  const a = m[at]!
  const b = m[at + 1]!
  switch (a) {
    case 0:
    case 10:
    case 127:
      return true
    case 100:
      return b >= 64 && b <= 127
    case 169:
      return b === 254
    case 172:
      return b >= 16 && b <= 31
    case 192:
      return b === 168
    default:
      return false
  }
}

/** The same for IPv6: loopback, unique local, link- and site-local, and IPv4 addresses that are mapped or translated (RFC 6052). */
export function isPrivate6(m: Uint8Array, at: number): boolean {
  const a = m[at]!
  const b = m[at + 1]!
  if ((a & 0xfe) === 0xfc) return true
  if (a === 0xfe) return (b & 0x80) !== 0
  if (a === 0 && b === 0x64 && m[at + 2] === 0xff && m[at + 3] === 0x9b) {
    return isZero(m, at + 4, at + 12) && isPrivate4(m, at + 12)
  }
  if (a === 0x20 && b === 0x02) return isPrivate4(m, at + 2)
  if (!isZero(m, at, at + 10)) return false
  if (m[at + 10] === 0xff && m[at + 11] === 0xff) return isPrivate4(m, at + 12)
  // `::`, `::1` and the old form of IPv4 addresses in IPv6.
  return isZero(m, at + 10, at + 12)
}

function isZero(m: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (m[at] !== 0) return false
  return true
}

/** Returns true if one of the address hints of an SVCB or HTTPS record (RFC 9460 7.3) is private; the parameters stand at m[from..to). */
export function hasPrivateHint(m: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at + 4 <= to;) {
    const key = (m[at]! << 8) | m[at + 1]!
    const end = Math.min(to, at + 4 + ((m[at + 2]! << 8) | m[at + 3]!))
    const size = key === 4 ? 4 : key === 6 ? 16 : 0
    if (size > 0) {
      for (let hint = at + 4; hint + size <= end; hint += size) {
        if (size === 4 ? isPrivate4(m, hint) : isPrivate6(m, hint)) return true
      }
    }
    at = end
  }
  return false
}

/** Returns true if a record with its data at m[at..end) is a private address. */
export function isPrivateRecord(m: Uint8Array, type: number, at: number, end: number): boolean {
  if (type === Type.a) return end - at === 4 && isPrivate4(m, at)
  return type === Type.aaaa && end - at === 16 && isPrivate6(m, at)
}
