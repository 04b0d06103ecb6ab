import { BlockList, isIP } from 'node:net'
import { commaList, settingKind } from '@hearth/runtime'
import { z } from 'zod'
import { normaliseHost } from './host-name.ts'

/** Destinations that an operator exempts from the guard. Hosts are in the form of `normaliseHost`. */
export interface OutboundAllow {
  /** True when the host was named, with this port or without any. */
  hasHost(host: string, port: number): boolean
  /** True when the address was named, with this port or without any, or lies in a network that was. */
  hasAddress(address: string, port: number): boolean
  /** True when addresses may be exempt, so that names must be resolved. */
  readonly knowsAddresses: boolean
}

/**
 * Reads entries: a host, `HOST:PORT` (IPv6 in brackets), an address, or a network in CIDR form. Throws a `RangeError` that
 * names the entry that is none of them.
 */
export function createOutboundAllow(entries: readonly string[]): OutboundAllow {
  const networks = new BlockList()
  const hosts = new Set<string>()
  for (const entry of entries) {
    if (entry.includes('/')) addNetwork(networks, entry)
    else hosts.add(hostEntry(entry))
  }
  const named = (host: string, port: number) => hosts.has(host) || hosts.has(withPort(host, port))
  return {
    hasHost: named,
    hasAddress: (address, port) =>
      networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') || named(normaliseHost(address) ?? address, port),
    knowsAddresses: networks.rules.length > 0 || [...hosts].some((host) => isIP(host.replace(/ \d+$/, '')) !== 0),
  }
}

/**
 * Adds the addresses that the operator set in other variables: being set there allows them, each with its host and port and
 * nothing else. Undefined ones, of variables that are not set, add nothing.
 */
export function allowAddresses(allow: OutboundAllow, urls: readonly (string | undefined)[]): OutboundAllow {
  const own = createOutboundAllow(urls.flatMap((url) => (url === undefined ? [] : [hostAndPort(new URL(url))])))
  return {
    hasHost: (host, port) => allow.hasHost(host, port) || own.hasHost(host, port),
    hasAddress: (address, port) => allow.hasAddress(address, port) || own.hasAddress(address, port),
    knowsAddresses: allow.knowsAddresses || own.knowsAddresses,
  }
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

/** The setting `OUTBOUND_ALLOW`: a comma-separated list; nothing is exempt without it. */
export const outboundAllow = commaList
  .transform((entries, context) => {
    const wrong = entries.findIndex((entry) => !isEntry(entry))
    if (wrong === -1) return createOutboundAllow(entries)
    context.addIssue({
      code: 'custom',
      message: `entry ${wrong + 1} is not a host, HOST:PORT or a network in CIDR form`,
    })
    return z.NEVER
  })
  .meta(settingKind('address list'))
  .prefault('')

function isEntry(entry: string): boolean {
  try {
    createOutboundAllow([entry])
    return true
  } catch {
    return false
  }
}

function addNetwork(networks: BlockList, entry: string): void {
  const [, address = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? []
  const family = isIP(address)
  if (family === 0 || Number(length) > (family === 6 ? 128 : 32)) throw wrongEntry(entry)
  networks.addSubnet(address, Number(length), family === 6 ? 'ipv6' : 'ipv4')
}

function hostEntry(entry: string): string {
  const [, name = '', digits] = (isIP(entry) === 6 ? ['', entry] : /^(.+?)(?::(\d{1,5}))?$/.exec(entry)) ?? []
  const host = normaliseHost(name)
  const isPattern = name.includes('*')
  if (host === undefined || isPattern || Number(digits ?? 1) < 1 || Number(digits ?? 1) > 65_535)
    throw wrongEntry(entry)
  return digits === undefined ? host : withPort(host, Number(digits))
}

/** Separated by a space, which no host contains, so that IPv6 address and port are unambiguous. */
function withPort(host: string, port: number): string {
  return `${host} ${port}`
}

function wrongEntry(entry: string): RangeError {
  return new RangeError(`${entry} is not a host, HOST:PORT or a network in CIDR form`)
}
