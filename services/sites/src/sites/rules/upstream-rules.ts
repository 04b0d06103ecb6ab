import { isIP } from 'node:net'
import { readUpstreamUrl, type UpstreamAddress } from '../upstream-url.ts'
import { isMetadataHost } from '../../metadata-address.ts'
import { isNetworkMember } from './networks.ts'
import { isToken } from './header-rules.ts'
import type { ProxyMembers } from '../proxy-schema.ts'
import type { Report, RuleContext, SiteToCheck } from './rule-context.ts'

/** Dependencies of the address checks. */
export interface AddressChecks {
  readonly report: Report
  readonly warn: Report
  readonly context: RuleContext
}

/** Checks a site or a path as a proxy. `prefix` is the path of its members, empty or `paths.0.`. */
export function checkProxy(
  prefix: string,
  target: ProxyMembers & Pick<SiteToCheck, 'kind'>,
  checks: AddressChecks,
): void {
  const { report } = checks
  if (target.kind === 'proxy' && target.upstreams.length === 0)
    report(`${prefix}upstreams`, 'a site of kind proxy needs at least one')
  for (const [index, { url }] of target.upstreams.entries())
    checkUpstream(`${prefix}upstreams.${index}.url`, url, checks)
  const schemes = new Set(target.upstreams.map(({ url }) => transportOf(url)))
  if (schemes.size > 1) report(`${prefix}upstreams`, 'must all be http, all https or all h2c')
  checkBalancing(prefix, target, report)
  checkHealth(prefix, target, report)
  const { server_name: name, ca_id: ca } = target.upstream_tls
  if (name !== null && !/^[A-Za-z0-9.-]+$/.test(name))
    report(`${prefix}upstream_tls.server_name`, 'must be a host name')
  if (ca !== null && !checks.context.hasAuthority(ca)) report(`${prefix}upstream_tls.ca_id`, 'is no uploaded authority')
}

/** Checks where requests would go: a readable address that is neither this service, Caddy's admin API nor a cloud's metadata. */
export function checkUpstream(field: string, url: string, { report, warn, context }: AddressChecks): void {
  const problem = upstreamProblem(url, context)
  if (problem !== undefined) return report(field, problem)
  const address = readUpstreamUrl(url)
  if ('problem' in address || address.scheme === 'unix' || !context.listenPorts.includes(address.port)) return undefined
  if (isLocal(address.host, context)) warn(field, 'is where Caddy itself listens; requests may go round in a circle')
}

/** Returns the reason why requests must not be sent to the address, or undefined. */
export function upstreamProblem(url: string, context: RuleContext): string | undefined {
  const address = readUpstreamUrl(url)
  return 'problem' in address ? address.problem : whyRefused(address, context)
}

function transportOf(url: string): string {
  const address = readUpstreamUrl(url)
  return 'problem' in address || address.scheme === 'unix' ? 'http' : address.scheme
}

function whyRefused(address: UpstreamAddress, context: RuleContext): string | undefined {
  if (context.protectedAddresses.some((other) => isSame(address, other, context)))
    return "is this service or Caddy's admin API, which must not be a site"
  if (address.scheme === 'unix') {
    const isAllowed = context.socketDirectories.some((base) => address.path.startsWith(`${base.replace(/\/$/, '')}/`))
    return isAllowed ? undefined : 'is a socket outside the directories that are allowed'
  }
  const { host } = address
  if (host.includes(':') && isIP(host) !== 6) return 'must hold an IPv6 address in the brackets'
  if (isOddAddress(host)) return 'must write an address as four plain numbers'
  return isMetadataHost(host) ? 'is an address of machine metadata, which must not be a site' : undefined
}

/** `127.1`, `0x7f000001`, `2130706433`: resolvers take them for addresses, and nothing else does. */
function isOddAddress(host: string): boolean {
  const last = host.replace(/\.$/, '').split('.').at(-1) ?? ''
  if (host.includes(':') || !/^(0x[0-9a-f]*|\d+)$/i.test(last)) return false
  return !/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(host) || host.split('.').some((part) => Number(part) > 255)
}

function isSame(address: UpstreamAddress, other: string, context: RuleContext): boolean {
  if (other.startsWith('unix/'))
    return address.scheme === 'unix' && `unix/${address.path}` === other.replace(/\|.*$/, '')
  if (address.scheme === 'unix') return false
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(other.replace(/^tcp[46]?\//, '')) ?? []
  if (Number(port) !== address.port) return false
  return isSameHost(address.host, host) || (isLocal(address.host, context) && isLocal(host, context))
}

const plainName = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** Returns true if two hosts are one as they are written; an address has several spellings. */
function isSameHost(one: string, other: string): boolean {
  return plainName(one) === plainName(other) || (isIP(other) !== 0 && isNetworkMember(one, [other]))
}

/** Loopback and unspecified addresses, also inside of compatible, NAT64 and 6to4 ones. */
const loopback = [
  '127.0.0.0/8',
  '0.0.0.0/32',
  '::/128',
  '::1/128',
  '::7f00:0/104',
  '64:ff9b::7f00:0/104',
  '2002:7f00::/24',
]

/** Returns true if a host is this machine, under whatever name. */
function isLocal(host: string, { localHosts }: RuleContext): boolean {
  const name = plainName(host)
  return (
    ['', 'localhost', 'ip6-localhost', 'ip6-loopback'].includes(name) ||
    name.endsWith('.localhost') ||
    localHosts.some((local) => isSameHost(name, local)) ||
    isNetworkMember(name, loopback)
  )
}

function checkBalancing(prefix: string, { lb }: ProxyMembers, report: Report): void {
  const needsName = lb.policy === 'header' || lb.policy === 'query'
  if (needsName && lb.name === null) report(`${prefix}lb.name`, `is required for the policy ${lb.policy}`)
  if (lb.name !== null && !isToken(lb.name)) report(`${prefix}lb.name`, 'must be letters, digits and -, _, .')
}

function checkHealth(prefix: string, { health: { active } }: ProxyMembers, report: Report): void {
  if (active === null) return
  if (!/^\/[^\s{}#\\]*$/.test(active.path))
    report(`${prefix}health.active.path`, 'must start with / and hold no blanks, braces or #')
  if (active.host_header !== null && !/^[A-Za-z0-9.:[\]-]+$/.test(active.host_header))
    report(`${prefix}health.active.host_header`, 'must be a host name')
  if (active.timeout > active.interval) report(`${prefix}health.active.timeout`, 'must not be longer than the interval')
}
