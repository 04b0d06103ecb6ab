import { isIPv4, isIPv6 } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { isNetworkMember, networkProblem } from '../sites/rules/networks.ts'

/** Interfaces of this machine, as `os.networkInterfaces` lists them. */
export type MachineInterfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

/** Bridges of containers and virtual machines: what comes from there may come from anywhere. */
const bridges = /^(?:docker|br-|veth|virbr|cni|flannel|lxc|podman|vmnet|vboxnet)/

/** Returns why a text is no home network; undefined for one that is. */
export function homeNetworkProblem(text: string): string | undefined {
  const problem = networkProblem(text)
  if (problem !== undefined) return problem
  if (text.includes(':') && isNetworkMember(text.replace(/\/.*$/, ''), ['::/80']))
    return `${text} must be written as IPv4`
  return isTooWide(text) ? `${text} takes in too much: at least /8 for IPv4 and /16 for IPv6` : undefined
}

/** Networks in which no tunnel is: the host itself, links, groups. */
const reserved = {
  four: ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'],
  six: ['::/80', 'fe80::/10', 'ff00::/8'],
}

/**
 * Returns the network of an interface's address, `10.8.0.0/24` for `10.8.0.1/24`; undefined for one that is none, too wide, or no
 * tunnel's.
 */
export function networkOf(addressAndPrefix: string): string | undefined {
  const [address = '', length = ''] = addressAndPrefix.split('/')
  if (!/^\d{1,3}$/.test(length) || networkProblem(addressAndPrefix) !== undefined) return undefined
  if (isTooWide(addressAndPrefix) || isNetworkMember(address, reserved[address.includes(':') ? 'six' : 'four']))
    return undefined
  const bits = address.includes(':') ? 128 : 32
  const host = BigInt(bits - Number(length))
  const masked = (numberOf(address) >> host) << host
  return `${textOf(masked, bits)}/${length}`
}

/** A list with such a network is no list: it would open sites to the world. */
function isTooWide(network: string): boolean {
  const [address = '', length] = network.split('/')
  return length !== undefined && Number(length) < (address.includes(':') ? 16 : 8)
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => '0'), ...back]
  return groups.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n)
}

function textOf(value: bigint, bits: number): string {
  const width = bits === 32 ? 8n : 16n
  const parts = Array.from({ length: bits === 32 ? 4 : 8 }, (_, n) => {
    const part = (value >> (BigInt((bits === 32 ? 3 : 7) - n) * width)) & ((1n << width) - 1n)
    return bits === 32 ? String(part) : part.toString(16)
  })
  return bits === 32 ? parts.join('.') : new URL(`http://[${parts.join(':')}]`).hostname.slice(1, -1)
}

/** Returns the private networks that this machine is in, without those of the tunnels and of containers. */
export function suggestHomeNetworks(interfaces: MachineInterfaces, tunnels: readonly string[]): string[] {
  const own = Object.entries(interfaces).flatMap(([name, entries]) => (bridges.test(name) ? [] : (entries ?? [])))
  const networks = own
    .filter(({ internal, address }) => !internal && isNetworkMember(address, privateNetworks))
    .flatMap(({ cidr }) => (cidr === null ? [] : (networkOf(cidr) ?? [])))
  return [...new Set(networks)].filter((network) => !tunnels.includes(network))
}

/**
 * Returns the addresses at which devices inside may reach this machine: those it has in the tunnels, or else one private address of
 * each family.
 */
export function suggestInsideAddresses(interfaces: MachineInterfaces, tunnelAddresses: readonly string[]): string[] {
  const named = Object.entries(interfaces).flatMap(([name, entries]) => (bridges.test(name) ? [] : (entries ?? [])))
  const own = named.filter(({ internal }) => !internal).map(({ address }) => address)
  const inTunnel = tunnelAddresses.filter((address) => own.includes(address))
  const known = inTunnel.length > 0 ? inTunnel : own.filter((address) => isNetworkMember(address, privateNetworks))
  return [known.find((address) => isIPv4(address)), known.find((address) => isIPv6(address))].filter(
    (address) => address !== undefined,
  )
}
