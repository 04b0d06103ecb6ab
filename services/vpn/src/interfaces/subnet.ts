import { Address4, Address6 } from 'ip-address'

/**
 * An IPv4 network with the address this host has in it, from `address/prefix`; the text has been checked to be one. Numbers are
 * the 32 bits of an address.
 */
export function subnet4(text: string) {
  const parsed = new Address4(text)
  const prefix = parsed.subnetMask
  return {
    address: parsed.correctForm(),
    prefix,
    host: Number(parsed.bigInt()),
    network: Number(parsed.startAddress().bigInt()),
    broadcast: Number(parsed.endAddress().bigInt()),
    /** CIDR form without host bits. */
    cidr: `${parsed.startAddress().correctForm()}/${prefix}`,
  }
}
type Subnet4 = ReturnType<typeof subnet4>

/** The same for IPv6. */
export function subnet6(text: string) {
  const parsed = new Address6(text)
  const prefix = parsed.subnetMask
  return {
    address: parsed.correctForm(),
    prefix,
    host: parsed.bigInt(),
    network: parsed.startAddress().bigInt(),
    cidr: `${parsed.startAddress().correctForm()}/${prefix}`,
  }
}
type Subnet6 = ReturnType<typeof subnet6>

/** The number of an IPv4 address. */
export const numberOfIpv4 = (address: string): number => Number(new Address4(address).bigInt())

/** The address of a number. */
export const ipv4OfNumber = (number: number): string => Address4.fromBigInt(BigInt(number)).correctForm()

/** An IPv6 address as it is written by everyone: lower case, zeros compressed. */
export const canonicalIpv6 = (address: string): string => new Address6(address).correctForm()

/** The n-th address of an IPv6 network. */
export const ipv6Host = (subnet: Subnet6, offset: number): string =>
  Address6.fromBigInt(subnet.network + BigInt(offset)).correctForm()

/** Returns true if two networks of one family share an address. */
export function overlaps(a: string, b: string): boolean {
  const [one, two] = a.includes(':') ? [new Address6(a), new Address6(b)] : [new Address4(a), new Address4(b)]
  return (
    one.startAddress().bigInt() <= two.endAddress().bigInt() && two.startAddress().bigInt() <= one.endAddress().bigInt()
  )
}

/** Returns true if two networks, of whatever family, share an address. */
export const sharesAddress = (a: string, b: string): boolean => a.includes(':') === b.includes(':') && overlaps(a, b)

/** Returns true if an IPv4 address can belong to a peer: inside the network, and neither its network nor broadcast address nor this host's. */
export function isPeerAddress4(subnet: Subnet4, address: number): boolean {
  return address > subnet.network && address < subnet.broadcast && address !== subnet.host
}

/** The same for IPv6; the first address of a network belongs to routers. */
export function isPeerAddress6(subnet: Subnet6, address: string): boolean {
  const number = new Address6(address).bigInt()
  const last = subnet.network + 2n ** BigInt(128 - subnet.prefix) - 1n
  return number > subnet.network && number <= last && number !== subnet.host
}

/** Networks no tunnel can have: this host itself, link-local, multicast, reserved. */
const unusable4 = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4']
const unusable6 = ['::/16', 'fe80::/10', 'ff00::/8']

/** Returns true if a network lies in, or contains, one that no tunnel can have. */
export function isReserved(network: string): boolean {
  return (network.includes(':') ? unusable6 : unusable4).some((reserved) => overlaps(reserved, network))
}

/** Reason why this host cannot have such an IPv4 address on a tunnel; undefined when it can. */
export function address4Problem(text: string): string | undefined {
  const subnet = subnet4(text)
  if (subnet.prefix < 8 || subnet.prefix > 30) return 'must have a prefix from 8 to 30'
  if (unusable4.some((network) => overlaps(network, subnet.cidr))) return 'must not lie in a reserved network'
  if (subnet.host === subnet.network) return 'must be an address of a host, not of the network'
  if (subnet.host === subnet.broadcast) return 'must be an address of a host, not the broadcast address'
  return undefined
}

/** The same for IPv6. */
export function address6Problem(text: string): string | undefined {
  const subnet = subnet6(text)
  if (subnet.prefix < 16 || subnet.prefix > 126) return 'must have a prefix from 16 to 126'
  if (unusable6.some((network) => overlaps(network, subnet.cidr))) return 'must not lie in a reserved network'
  if (subnet.host === subnet.network) return 'must be an address of a host, not of the network'
  return undefined
}
