import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { AddressSet } from './address-set.ts'
import { plainAddress } from './plain-address.ts'

/** Trusted proxies, and the forwarding header that is read from them. */
export interface ForwardingTrust {
  readonly proxies: AddressSet
  /** Header name in lower case. */
  readonly header: string
}

/**
 * The address a request came from. The header counts only when the connection itself comes from a trusted proxy; it is read
 * from the right, and the first address that is no trusted proxy is the client. Text that is no address ends the reading.
 */
export function clientAddress(request: IncomingMessage, trust: ForwardingTrust): string {
  let address = plainAddress(request.socket.remoteAddress ?? '')
  if (!trust.proxies.has(address)) return address
  const header = request.headers[trust.header]
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',')
  for (const hop of hops.toReversed()) {
    const candidate = plainAddress(withoutPort(hop.trim()))
    if (isIP(candidate) === 0) return address
    address = candidate
    if (!trust.proxies.has(address)) return address
  }
  return address
}

/**
 * Returns the key that requests of a client are counted by: an IPv4 address, or the /64 of an IPv6 address, because a client
 * has the whole of it.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail = ''] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::')
    ? Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
    : []
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}

/** Address and port of this machine that a connection was made to. */
export interface ServerEnd {
  readonly address: string
  readonly port: number
}

/**
 * Returns where the client connected to this server, or undefined when a header says that a proxy forwarded the request, or when
 * the connection has no address.
 */
export function serverEnd({ socket, headers }: IncomingMessage, trust: ForwardingTrust): ServerEnd | undefined {
  const { localAddress: address, localPort: port } = socket
  if (address === undefined || port === undefined) return undefined
  const forwarding = [trust.header, 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via']
  if (forwarding.some((name) => headers[name] !== undefined)) return undefined
  return { address: plainAddress(address), port }
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)
  if (bracketed?.[1] !== undefined) return bracketed[1]
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(hop) ? hop.slice(0, hop.lastIndexOf(':')) : hop
}
