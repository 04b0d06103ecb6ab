import { splitList } from '../envelope.ts'
import type { InterfaceRow } from '../tables.ts'
import { overlaps, subnet4, subnet6 } from '../interfaces/subnet.ts'
import type { RoutingMode } from './schema.ts'

/** Where a device reaches an interface. */
interface Endpoint {
  /** Host name or address. */
  readonly host: string
  readonly port: number
}

/** Everything a device's configuration says. */
export interface DeviceConfiguration {
  /** Shown in a comment; visible characters only. */
  readonly name: string
  /** Base64; null when the key is on the device. A secret. */
  readonly privateKey: string | null
  readonly ip: string
  readonly ipv6: string | null
  /** Comma-separated resolvers; empty for none. */
  readonly dns: string
  readonly mtu: number
  readonly serverPublicKey: string
  /** Base64 or null. A secret. */
  readonly presharedKey: string | null
  readonly endpoint: Endpoint
  /** Where the device's other configuration leads, when it has two; said in a comment. */
  readonly otherEndpoint?: { readonly endpoint: Endpoint; readonly isStandby: boolean } | null
  readonly allowedIps: readonly string[]
  /** Seconds; 0 is off. */
  readonly persistentKeepalive: number
}

/** Writes the configuration file that `wg-quick` and the WireGuard apps read, each value in its canonical form. */
export function encodeConfiguration(config: DeviceConfiguration): string {
  const lines = [
    `# ${config.name}`,
    ...otherLines(config),
    '[Interface]',
    config.privateKey === null
      ? '# PrivateKey = (the key stays on the device; put it here)'
      : `PrivateKey = ${config.privateKey}`,
    `Address = ${[`${config.ip}/32`, ...(config.ipv6 === null ? [] : [`${config.ipv6}/128`])].join(', ')}`,
    ...(config.dns === '' ? [] : [`DNS = ${config.dns}`]),
    `MTU = ${config.mtu}`,
    '',
    '[Peer]',
    `PublicKey = ${config.serverPublicKey}`,
    ...(config.presharedKey === null ? [] : [`PresharedKey = ${config.presharedKey}`]),
    `Endpoint = ${endpointText(config.endpoint)}`,
    `AllowedIPs = ${config.allowedIps.join(', ')}`,
    ...(config.persistentKeepalive === 0 ? [] : [`PersistentKeepalive = ${config.persistentKeepalive}`]),
  ]
  return `${lines.join('\n')}\n`
}

const endpointText = ({ host, port }: Endpoint): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

function otherLines({ otherEndpoint: other = null }: DeviceConfiguration): string[] {
  if (other === null) return []
  const { endpoint, isStandby } = other
  const what = isStandby ? 'While this one does not connect, use that for the standby' : 'This is for the standby of'
  return [`# ${what}: ${endpointText(endpoint)}`, '# Use one of the two configurations at a time.']
}

/**
 * The networks of the `AllowedIPs` line. A resolver that none of them covers gets its own route: a device that queries it
 * past the tunnel would show every network it is in what it looks up.
 *
 * @param listed the operator's own list, canonical CIDRs, and the networks behind other peers of the interface
 */
export function routedNetworks(
  mode: RoutingMode,
  { listed, behindOthers }: { listed: readonly string[]; behindOthers: readonly string[] },
  on: Pick<InterfaceRow, 'address' | 'address6' | 'dns'>,
): string[] {
  if (mode === 'full_tunnel') return ['0.0.0.0/0', '::/0']
  const own = [subnet4(on.address).cidr, ...(on.address6 === null ? [] : [subnet6(on.address6).cidr])]
  const networks = { isolated: own, split_tunnel: [...own, ...listed, ...behindOthers], custom: listed }[mode]
  const resolvers = splitList(on.dns).map((address) => `${address}/${address.includes(':') ? 128 : 32}`)
  const uncovered = resolvers.filter((resolver) => !networks.some((network) => covers(network, resolver)))
  return [...new Set([...networks, ...uncovered])]
}

/** A single address overlaps a network exactly when it lies inside. */
function covers(network: string, address: string): boolean {
  return network.includes(':') === address.includes(':') && overlaps(network, address)
}
