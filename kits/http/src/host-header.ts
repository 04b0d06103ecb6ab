import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** A registered name or IPv4 address with an optional port, as RFC 3986 defines them; the name may be empty. */
const namedHost = /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*(?::\d{0,5})?$/i

/** An IPv6 address in brackets with an optional port. */
const bracketedHost = /^\[([\da-f:.]+(?:%[\w.~-]+)?)\](?::\d{0,5})?$/i

/**
 * Reason why a request's Host header must be refused with 400 (RFC 9112, section 3.2): there is more than one, or its value is
 * no host and port. Returns undefined for a valid request. Node itself refuses an HTTP/1.1 request without the header.
 */
export function hostError({ rawHeaders }: IncomingMessage): string | undefined {
  let value: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (value !== undefined) return 'The request has more than one Host header'
    value = rawHeaders[index + 1] ?? ''
  }
  return value === undefined || isHost(value) ? undefined : 'The Host header is not a valid host name or address'
}

function isHost(value: string): boolean {
  if (namedHost.test(value)) return true
  const [, address] = bracketedHost.exec(value) ?? []
  return address !== undefined && isIPv6(address)
}
