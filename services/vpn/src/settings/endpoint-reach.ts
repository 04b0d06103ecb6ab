import { BlockList, isIP } from 'node:net'
import { isPublicAddress } from '@hearth/outbound'

/** From where devices can reach a host: from anywhere, from the same network only, or from this host only. */
export type EndpointReach = 'public' | 'private' | 'loopback'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('0.0.0.0', 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addAddress('::', 'ipv6')

/** Domains that only the network at home knows (RFC 6762, RFC 8375, and what routers and Docker use). */
const localDomain = /(^|\.)(local|lan|home|internal|intranet|private|home\.arpa|test|example|invalid)$/i

/** Tells from where a host name or an address without port can be reached. A name is judged by its form; it is not looked up. */
export function endpointReach(host: string): EndpointReach {
  const family = isIP(host)
  if (family !== 0) {
    if (loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')) return 'loopback'
    return isPublicAddress(host) ? 'public' : 'private'
  }
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  return !name.includes('.') || localDomain.test(name) ? 'private' : 'public'
}
