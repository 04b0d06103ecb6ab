import { isIP } from 'node:net'
import type { Upstream } from '../resolver-files.ts'

/** Ports by default. */
const defaultPorts = { udp: 53, tcp: 53, tls: 853, https: 443 } as const

const hostName = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Reads an upstream as operators write it:
 *
 * | Form | Asked by |
 * | --- | --- |
 * | `9.9.9.9`, `udp://9.9.9.9:53` | UDP, and TCP where an answer does not fit |
 * | `tcp://9.9.9.9` | TCP |
 * | `tls://9.9.9.9#dns.quad9.net`, `9.9.9.9@853#dns.quad9.net` | DNS over TLS (RFC 7858); the certificate must be of that name |
 * | `https://dns.quad9.net/dns-query#9.9.9.9` | DNS over HTTPS (RFC 8484); the address spares a look-up |
 *
 * IPv6 addresses with a port stand in brackets. Throws a `RangeError` that says what is wrong.
 */
export function parseUpstream(text: string): Upstream {
  const label = text.trim()
  if (label.length > 500) throw new RangeError('this is too long for an upstream')
  const [, scheme, rest] = /^([a-z]+):\/\/(.*)$/i.exec(label) ?? [undefined, undefined, label]
  const protocol = (scheme ?? (label.includes('@') || label.includes('#') ? 'tls' : 'udp')).toLowerCase()
  if (protocol === 'https') return parseHttps(label)
  if (protocol !== 'udp' && protocol !== 'tcp' && protocol !== 'tls') {
    throw new RangeError(`${protocol} is none of udp, tcp, tls and https`)
  }
  return parsePlain(label, protocol, rest ?? '')
}

function parsePlain(label: string, protocol: 'udp' | 'tcp' | 'tls', rest: string): Upstream {
  const [place = '', name, ...more] = rest.replace(/\/$/, '').split('#')
  if (more.length > 0) throw new RangeError('there is more than one #')
  const [address, port] = placeOf(place, defaultPorts[protocol])
  if (isIP(address) === 0) throw new RangeError(`${address || 'nothing'} is no IP address`)
  if (protocol !== 'tls' && name !== undefined) throw new RangeError(`a name has no meaning with ${protocol}`)
  if (name !== undefined && !hostName.test(name)) throw new RangeError(`${name} is no host name`)
  return { label, protocol, address, port, name: name?.toLowerCase(), path: undefined }
}

/** Address and port out of `a`, `a:p`, `a@p`, `[a]`, `[a]:p` and a bare IPv6 address. */
function placeOf(place: string, defaultPort: number): readonly [string, number] {
  const bracketed = /^\[([^\]]*)\](?:[:@](\d+))?$/.exec(place)
  if (bracketed !== null) return [bracketed[1] ?? '', portOf(bracketed[2], defaultPort)]
  const [before = '', after] = place.split('@')
  if (after !== undefined) return [before, portOf(after, defaultPort)]
  if (isIP(place) === 6) return [place, defaultPort]
  const [address = '', port] = place.split(':')
  return [address, portOf(port, defaultPort)]
}

function portOf(text: string | undefined, defaultPort: number): number {
  if (text === undefined) return defaultPort
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw new RangeError(`${text} is no port`)
  return port
}

function parseHttps(label: string): Upstream {
  const url = URL.parse(label)
  if (url === null) throw new RangeError('this is no https address')
  if (url.username !== '' || url.password !== '') throw new RangeError('names and passwords have no place here')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const address = url.hash === '' ? undefined : decodeURIComponent(url.hash.slice(1)).replace(/^\[|\]$/g, '')
  if (address !== undefined && isIP(address) === 0) throw new RangeError(`${address} is no IP address`)
  return {
    label,
    protocol: 'https',
    address: address ?? (isIP(host) === 0 ? undefined : host),
    port: portOf(url.port || undefined, defaultPorts.https),
    name: host,
    path: `${url.pathname === '/' ? '/dns-query' : url.pathname}${url.search}`,
  }
}

/** Returns an upstream as it is shown: as it was written, without the path of an https address, which may hold a secret. */
export const labelOf = ({ label, protocol }: Upstream): string =>
  protocol === 'https' ? label.replace(/^(https:\/\/[^/?#]+)[/?][^#]*/i, '$1') : label
