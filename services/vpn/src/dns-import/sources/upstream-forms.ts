import { isIP } from 'node:net'
import type { DnsFinds } from '../found-dns.ts'

/** Turns an upstream of AdGuard Home into the form of this service; undefined for one that it does not ask, which is then left out. */
export function upstreamOfAdGuard(finds: DnsFinds, text: string): string | undefined {
  const [, scheme = '', place = ''] = /^(?:([a-z0-9]+):\/\/)?(.+)$/i.exec(text) ?? []
  if (scheme === 'https') return text
  if (!['', 'udp', 'tcp', 'tls'].includes(scheme)) {
    finds.omit(text, `${scheme} is not spoken here`)
    return undefined
  }
  const host = place.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^([^:]+):\d+$/, '$1')
  if (isIP(host) !== 0) return text
  const example = scheme === 'tls' ? 'tls://ADDRESS#' : `${scheme === '' ? 'udp' : scheme}://ADDRESS`
  finds.omit(text, `names its server; add it by its address, ${example}${scheme === 'tls' ? host : ''}`)
  return undefined
}

/** Turns an upstream of Pi-hole, such as `127.0.0.1#5335`, into the form of this service; undefined when it has no address. */
export function upstreamOfPiHole(finds: DnsFinds, text: string): string | undefined {
  const [host = '', port] = text.trim().split('#')
  if (isIP(host) === 0) {
    finds.omit(text, 'names its server; add it by its address')
    return undefined
  }
  const place = host.includes(':') ? `[${host}]` : host
  return port === undefined ? `udp://${place}` : `udp://${place}:${port}`
}
