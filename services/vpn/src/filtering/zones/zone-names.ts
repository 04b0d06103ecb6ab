import { isIP } from 'node:net'
import { addressBytes } from '../../dns/address-bytes.ts'
import { canonicalIpv6 } from '../../interfaces/subnet.ts'
import { asciiName } from '../../lists/domain-name.ts'

/** A zone in its one form, and the domains that make it. */
export interface ZoneNames {
  /** A domain, or a network without host bits. */
  readonly zone: string
  readonly names: readonly string[]
}

/** Prefixes of networks: shorter ones hold more than one organisation's addresses. */
const prefixes = { 4: { min: 8, max: 32, step: 8 }, 6: { min: 8, max: 128, step: 4 } } as const

/**
 * Reads a zone as a person writes it: a domain, with `*.` or a final dot or without, or a network (`10.0.0.0/8`), which stands
 * for its reverse zones: one, or several when its prefix ends within a label. Returns the reason when it is none.
 */
export function readZone(text: string): ZoneNames | { readonly reason: string } {
  const trimmed = text.trim()
  if (trimmed.includes('/') || isIP(trimmed) !== 0) return readNetwork(trimmed)
  if (/^\.*$/.test(trimmed)) return { reason: 'must not be the root: servers for all names stand in the DNS settings' }
  const name = asciiName(trimmed.replace(/^\*\./, ''))
  return name === undefined ? { reason: 'must be a domain name or a network' } : { zone: name, names: [name] }
}

function readNetwork(text: string): ZoneNames | { readonly reason: string } {
  const [address = '', length = '', ...rest] = text.split('/')
  const bytes = address.includes('%') ? undefined : addressBytes(address)
  if (bytes === undefined || rest.length > 0) return { reason: 'must be a domain name or a network' }
  const { min, max, step } = prefixes[bytes.length === 4 ? 4 : 6]
  const prefix = text.includes('/') ? (/^(0|[1-9]\d{0,2})$/.test(length) ? Number(length) : -1) : max
  if (prefix < min || prefix > max) return { reason: `must have a prefix from ${min} to ${max}` }
  const network = bytes.map((byte, at) => byte & maskAt(prefix, at))
  const zone = `${addressText(network)}/${prefix}`
  if (network.some((byte, at) => byte !== bytes[at]))
    return { reason: `must not have bits behind its prefix: the network is ${zone}` }
  const whole = Math.ceil(prefix / step)
  const count = 2 ** (whole * step - prefix)
  return { zone, names: Array.from({ length: count }, (_, n) => reverseZone(network, whole, n)) }
}

/** The bits of byte `at` that belong to a prefix. */
const maskAt = (prefix: number, at: number): number => (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * at))) & 0xff

/** The reverse zone with so many labels of a network; `add` is added to the last of them. */
function reverseZone(network: Uint8Array, labels: number, add: number): string {
  const isIpv4 = network.length === 4
  const parts = isIpv4 ? [...network] : [...network].flatMap((byte) => [byte >> 4, byte & 15])
  const own = parts.slice(0, labels).map((part, at) => (at === labels - 1 ? part + add : part))
  const texts = own.toReversed().map((part) => part.toString(isIpv4 ? 10 : 16))
  return `${texts.join('.')}.${isIpv4 ? 'in-addr' : 'ip6'}.arpa`
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, k) =>
    (((bytes[2 * k] ?? 0) << 8) | (bytes[2 * k + 1] ?? 0)).toString(16),
  )
  return canonicalIpv6(groups.join(':'))
}
