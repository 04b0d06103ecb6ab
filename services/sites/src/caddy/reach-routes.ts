import { networksOfReach, type ReachNetworks, type SiteReach } from '../sites/reach-schema.ts'
import { networkMatcher } from './access-routes.ts'
import type { ConfigOptions, NodeProfile } from './desired-state.ts'
import { plainPage } from './plain-page.ts'

/** Header by which the refusal of a site that is not for everyone is told from answers of the site. */
export const reachHeader = 'Hearth-Reach'

/** Target of a request by which an authority checks a name: one token, and no way out of it. */
const challenge = '^/\\.well-known/acme-challenge/[A-Za-z0-9_-]{1,256}$'

/** Reason why a site is closed to all, or the networks that reach it; undefined for a site that everyone reaches. */
export type ReachState = { readonly ranges: readonly string[] } | { readonly closed: string } | undefined

/** Returns who reaches a site on a node. */
export function reachState(reach: SiteReach, networks: ReachNetworks | undefined, node: NodeProfile): ReachState {
  const ranges = networksOfReach(reach, networks ?? { home: [], tunnel: [] })
  if (ranges === undefined) return undefined
  // An old Caddy sees the proxy in front of it alone, which is at home.
  if ((node.trustedProxies ?? []).length > 0 && !node.capabilities.clientIpMatcher)
    return { closed: 'this Caddy does not see who is behind the proxy in front of it' }
  if (ranges.length > 0) return { ranges }
  return { closed: reach === 'home' ? 'no home network is known' : 'no tunnel is known: link a Hearth VPN' }
}

/** Returns true for a request by which an authority checks a name, which passes from everywhere. */
export const isChallenge = (target: string): boolean => new RegExp(challenge).test(target)

/**
 * The first route of a site that is not for everyone: it answers all visitors from elsewhere. The page and its headers are the same
 * for every site.
 */
export function reachRoutes(
  { id, record }: { readonly id: number; readonly record: { readonly reach: SiteReach } },
  { options, node, note }: ReachContext,
): object[] {
  const state = reachState(record.reach, options.reach, node)
  if (state === undefined) return []
  const passing = { method: ['GET'], vars_regexp: { '{http.request.uri}': { pattern: challenge } } }
  if ('closed' in state) {
    note(id, `${state.closed}; the site is closed until then`)
    return [{ match: [{ not: [passing] }], handle: [refusal(503, 'unknown', unknownPage)], terminal: true }]
  }
  const inside = networkMatcher(state.ranges.flatMap(withMapped), node.capabilities)
  const answer = refusal(403, 'refused', record.reach === 'home' ? homePage : tunnelPage)
  return [{ match: [{ not: [inside, passing] }], handle: [answer], terminal: true }]
}

interface ReachContext {
  readonly options: Pick<ConfigOptions, 'reach'>
  readonly node: NodeProfile
  readonly note: (siteId: number, text: string) => void
}

/** A proxy may name an IPv4 visitor in the form of IPv6. */
function withMapped(network: string): string[] {
  if (network.includes(':')) return [network]
  const [address = '', length = '32'] = network.split('/')
  return [network, `::ffff:${address}/${96 + Number(length)}`]
}

function refusal(status: number, state: string, body: string): object {
  return {
    handler: 'static_response',
    status_code: status,
    headers: {
      'Content-Type': ['text/html; charset=utf-8'],
      'Cache-Control': ['no-store'],
      [reachHeader]: [state],
    },
    body,
  }
}

const homePage = plainPage('Only reachable from home', 'Connect to the network at home, or to its VPN, and try again.')
const tunnelPage = plainPage('Only reachable through the VPN', 'Connect to the VPN and try again.')
const unknownPage = plainPage('Not reachable', 'It is not known yet from where this address may be reached.')

/**
 * A copy of a configuration in which known sites are without the routes that close them to visitors from elsewhere. Those of other
 * sites stay, which would be open without.
 */
export function withoutReach(config: unknown, isKnown: (siteId: number) => boolean, isInKnown = false): unknown {
  if (Array.isArray(config)) {
    const items = config as unknown[]
    return items
      .filter((item) => !isInKnown || !isReachRoute(item))
      .map((item) => withoutReach(item, isKnown, isInKnown))
  }
  if (config === null || typeof config !== 'object') return config
  const [, id] = /^site-(\d{1,10})(?:-|$)/.exec(String((config as { '@id'?: unknown })['@id'])) ?? []
  const isNowIn = id === undefined ? isInKnown : isKnown(Number(id))
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, withoutReach(value, isKnown, isNowIn)]),
  )
}

function isReachRoute(item: unknown): boolean {
  const { handle } = (item ?? {}) as { handle?: unknown }
  const [first] = Array.isArray(handle) ? (handle as { headers?: object }[]) : []
  return Array.isArray(handle) && handle.length === 1 && Object.hasOwn(first?.headers ?? {}, reachHeader)
}
