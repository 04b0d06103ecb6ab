import { isIPv4 } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import type { SearchNetwork } from './schema.ts'

/** Longest network that is searched, and most addresses of all of them. */
const minPrefix = 22
export const maxAddresses = 1024

/** Private networks, as number and prefix. */
const privateRanges = [
  [0x0a_00_00_00, 8],
  [0xac_10_00_00, 12],
  [0xc0_a8_00_00, 16],
] as const

/** The networks of this host, by its interfaces; those that may not be searched say why. */
export function networksOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): SearchNetwork[] {
  const found = new Map<string, SearchNetwork>()
  for (const [name, addresses = []] of Object.entries(interfaces))
    for (const { family, internal, cidr } of addresses) {
      if (family !== 'IPv4' || internal || cidr === null) continue
      const network = networkOf(cidr, name)
      if (network !== undefined && !found.has(network.network)) found.set(network.network, network)
    }
  return [...found.values()]
}

/** The network that an address with a prefix belongs to, such as `192.168.1.7/24`; undefined for one of a single address. */
export function networkOf(cidr: string, interfaceName: string): SearchNetwork | undefined {
  const [address = '', prefixText = ''] = cidr.split('/')
  const prefix = Number(prefixText)
  if (!Number.isInteger(prefix) || prefix > 30) return undefined
  const base = (toNumber(address) & maskOf(prefix)) >>> 0
  const size = 2 ** (32 - prefix) - 2
  return {
    network: `${toAddress(base)}/${prefix}`,
    interface: interfaceName,
    addresses: size,
    reason: isPrivate(base) ? (prefix < minPrefix ? 'too_large' : null) : 'not_private',
  }
}

/** True for a network that an operator may name for the search: a private one, or of this host alone, that is not too large. */
export function isSearchable(cidr: string): boolean {
  if (!/^(?:\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/.test(cidr) || !isIPv4(cidr.split('/')[0] ?? '')) return false
  const network = networkOf(cidr, '')
  return (
    network !== undefined && network.addresses <= maxAddresses && (network.reason === null || cidr.startsWith('127.'))
  )
}

/** Addresses of hosts in a network, in order, without those of the network itself and of everybody. */
export function* hostsOf({ network, addresses }: Pick<SearchNetwork, 'network' | 'addresses'>): Generator<string> {
  const base = toNumber(network.split('/')[0] ?? '')
  for (let host = 1; host <= addresses; host += 1) yield toAddress(base + host)
}

/** True if a port that is bound to an address answers at another one of this host. */
export function isBoundTo(
  bindAddress: string | undefined,
  address: string,
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): boolean {
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return bindAddress === address
  if (address.startsWith('127.')) return true
  return Object.values(interfaces).some((addresses) => addresses?.some((own) => own.address === address))
}

const isPrivate = (address: number): boolean =>
  privateRanges.some(([range, prefix]) => (address & maskOf(prefix)) >>> 0 === range)

const maskOf = (prefix: number): number => (prefix === 0 ? 0 : (0xff_ff_ff_ff << (32 - prefix)) >>> 0)

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) >>> 0

const toAddress = (number: number): string => [24, 16, 8, 0].map((shift) => String((number >>> shift) & 0xff)).join('.')
