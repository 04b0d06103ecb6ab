import { isIPv4, isIPv6 } from 'node:net'
import { Address4, Address6 } from 'ip-address'
import { DeviceError } from './device.ts'

/** An address or network taken apart. */
interface NetworkAddress {
  readonly family: 4 | 6
  /** The address as the system prints it. */
  readonly address: string
  readonly prefix: number
}

/**
 * Reads `10.8.0.1/24`, `fd13::1/64` or a bare address (a prefix of full length), host bits kept, IPv6 in its short form.
 * Anything else, however little it differs, throws a `DeviceError`: what comes out is safe to put into a command's text.
 */
export function parseNetworkAddress(text: string): NetworkAddress {
  const [address = '', length, ...rest] = text.split('/')
  const family = isIPv4(address) ? 4 : isIPv6(address) && !address.includes('%') ? 6 : undefined
  if (family === undefined || rest.length > 0) throw new DeviceError(`${JSON.stringify(text)} is not an address`)
  const maxPrefix = family === 4 ? 32 : 128
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) {
    throw new DeviceError(`${JSON.stringify(text)} has no valid prefix length`)
  }
  const prefix = length === undefined ? maxPrefix : Number(length)
  if (prefix > maxPrefix) throw new DeviceError(`${JSON.stringify(text)} has no valid prefix length`)
  return { family, address: family === 4 ? address : new Address6(address).correctForm(), prefix }
}

/** The CIDR form of an address, host bits kept, as the system prints it. */
export function cidrOf(text: string): string {
  const { address, prefix } = parseNetworkAddress(text)
  return `${address}/${prefix}`
}

/** The CIDR form of the network an address lies in, host bits cleared, as a WireGuard device prints an allowed address. */
export function networkOf(text: string): string {
  const { family, address, prefix } = parseNetworkAddress(text)
  if (family === 4 && prefix === 32) return `${address}/32`
  const network = family === 4 ? new Address4(`${address}/${prefix}`) : new Address6(`${address}/${prefix}`)
  return `${network.startAddress().correctForm()}/${prefix}`
}
