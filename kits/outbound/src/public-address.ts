import { BlockList, isIP } from 'node:net'

/** Special-purpose networks of IPv4 by the registries; documentation and benchmarking networks included. */
const special4 = blockListOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/**
 * All that is routed in the IPv6 internet. Outside of it lie the unspecified and loopback addresses, the mapped and the
 * NAT64 ones, unique-local, link-local, site-local and multicast.
 */
const global6 = blockListOf('ipv6', ['2000::/3'])

/** Within it: protocol assignments with Teredo, ORCHID and benchmarking, documentation, 6to4. */
const special6 = blockListOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/**
 * Returns true for an address of the public internet, false for everything private, local, shared, reserved or multicast, for
 * all forms that carry an IPv4 address inside an IPv6 one (mapped, 6to4, Teredo, NAT64), and for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4')
    case 6:
      return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
    default:
      return false
  }
}

function blockListOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    list.addSubnet(address, Number(length), family)
  }
  return list
}
