import { isIP } from 'node:net'
import { checkedInterfaceName, DeviceError } from '../../wireguard/device.ts'
import { networkOf, parseNetworkAddress } from '../../wireguard/network-address.ts'

/** A named set or map of a table. */
export interface NamedSet {
  /** `set` or `map` with its type and flags. */
  readonly kind: 'set' | 'map'
  readonly type: string
  readonly flags: readonly string[]
  /** Elements, with their verdicts in a map. */
  readonly elements: ReadonlyMap<string, string>
}

/** Contents of a table of the firewall. */
export interface Ruleset {
  readonly sets: ReadonlyMap<string, NamedSet>
  /** Lines of each chain. */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

/** Family of addresses, as a rule of nft selects it. */
export interface Family {
  readonly number: 4 | 6
  readonly saddr: string
  readonly daddr: string
  readonly type: string
  readonly icmp: number
}

/** Both families. */
export const families: readonly Family[] = [
  { number: 4, saddr: 'ct original ip saddr', daddr: 'ct original ip daddr', type: 'ipv4_addr', icmp: 1 },
  { number: 6, saddr: 'ct original ip6 saddr', daddr: 'ct original ip6 daddr', type: 'ipv6_addr', icmp: 58 },
]

/** Rule lines of all sources together; beyond that every source passes all rules. */
export const maxSourceLines = 20_000

/** Flags of sets that packets fill. */
export const dynamic = 'flags dynamic,timeout'

/** Connections that are remembered as decided, of each kind. */
export const rememberedConnections = 32_768

/** Addresses are checked before they get here; checked again, because they go into a rule file. */
export function checked(address: string): string {
  if (isIP(address) === 0 || address.includes('%')) throw new DeviceError('not an address')
  return address
}
/** An interface's name as nft takes it; checked again too. */
export const quoted = (name: string): string => `"${checkedInterfaceName(name)}"`

/** Leaves out each network that lies within another. */
export function withoutCovered(networks: readonly string[]): string[] {
  const kept = new Set<string>()
  const lengths = new Set<number>()
  const byLength = [...new Set(networks.map(networkOf))]
    .map(parseNetworkAddress)
    .toSorted((a, b) => a.prefix - b.prefix)
  for (const { address, prefix } of byLength) {
    const isCovered = [...lengths].some((length) => kept.has(networkOf(`${address}/${length}`)))
    if (isCovered) continue
    kept.add(`${address}/${prefix}`)
    lengths.add(prefix)
  }
  return [...kept]
}
