import { isNetworkMember } from '../sites/rules/networks.ts'
import type { PathRoute, SiteRecord } from '../sites/schema.ts'
import { isWildcard, wildcardOver } from '../sites/domains.ts'
import { isBot } from './access-routes.ts'
import type { CompiledSite, DesiredState, NodeProfile } from './desired-state.ts'
import { explainTarget, redirectLocation, type ExplainedAnswer } from './explain-answer.ts'
import { isChallenge, reachState } from './reach-routes.ts'
import { patternsOf, sortPaths } from './path-routes.ts'
import { serversOf, whatIsLacking } from './site-routes.ts'

/** A request to explain. */
export interface ExplainedRequest {
  /** http or https, host, path and query. */
  readonly url: string
  readonly clientIp?: string
  readonly userAgent?: string
}

/** Explanation of how a request is answered. */
export interface Explanation {
  readonly server: 'http' | 'https'
  readonly site: { readonly id: number; readonly site_name: string; readonly domain: string } | null
  /** The path of the site that takes it. */
  readonly path: Pick<PathRoute, 'match' | 'path'> | null
  readonly tls: SiteRecord['tls'] | null
  /** Steps before the answer, in order. */
  readonly steps: readonly string[]
  readonly answer: ExplainedAnswer
}

/** Explains how Caddy would answer a request with the configuration of this state, without a request to it. Throws TypeError for no URL. */
export function explainRequest(request: ExplainedRequest, desired: DesiredState, node: NodeProfile): Explanation {
  const url = new URL(request.url)
  const server = url.protocol === 'https:' ? 'https' : 'http'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const found = findSite(host, server, desired.sites)
  const base = { server, path: null, steps: [] } as const
  if (!found) {
    const isTls = server === 'https'
    const text = isTls ? 'no site has this host; the TLS handshake fails' : 'no site has this host'
    return {
      ...base,
      site: null,
      tls: null,
      answer: { kind: 'stranger', text, status: isTls || desired.options.catchAll === 'abort' ? null : 404 },
    }
  }
  const { site, domain } = found
  const { record } = site
  const known = {
    ...base,
    site: { id: site.id, site_name: record.site_name, domain },
    tls: server === 'https' ? record.tls : null,
  }
  const refused = reachAnswer(record, { url, request }, { desired, node })
  if (refused !== undefined) return { ...known, answer: refused }
  if (server === 'http' && serversOf(site).http === 'redirect') {
    const port = node.httpsPort === 443 ? '' : `:${node.httpsPort}`
    const location = `https://${url.hostname}${port}${url.pathname}${url.search}`
    return { ...known, answer: { kind: 'redirect', status: 308, location } }
  }
  return { ...known, ...insideSite(site, { url, request }, node) }
}

function findSite(
  host: string,
  server: 'http' | 'https',
  sites: readonly CompiledSite[],
): { site: CompiledSite; domain: string } | undefined {
  const enabled = sites.filter((site) => site.record.enabled && (server === 'http' || serversOf(site).https))
  for (const domain of [host, wildcardOver(host)]) {
    const site = enabled.find(({ record }) => domain !== undefined && record.domains.includes(domain))
    if (site && domain !== undefined && (domain === host || isWildcard(domain))) return { site, domain }
  }
  return undefined
}

interface ParsedRequest {
  readonly url: URL
  readonly request: ExplainedRequest
}

function insideSite(
  site: CompiledSite,
  parsed: ParsedRequest,
  node: NodeProfile,
): Pick<Explanation, 'path' | 'steps' | 'answer'> {
  const { record } = site
  const lacking = whatIsLacking(site, node)
  const early =
    lacking === undefined ? earlyAnswer(record, parsed) : ({ kind: 'closed', status: 503, text: lacking } as const)
  if (early) return { path: null, steps: [], answer: early }
  const steps = [
    ...(record.sign_in === null ? [] : ['asks the portal whether the visitor may pass first']),
    ...(record.basic_auth.length > 0 ? [`asks for one of ${record.basic_auth.length} users and passwords (401)`] : []),
    ...(record.forward_auth === null ? [] : [`asks ${record.forward_auth.url}${record.forward_auth.uri} first`]),
    ...(record.max_body === null ? [] : [`takes at most ${record.max_body} bytes`]),
    ...(record.compression === 'off'
      ? []
      : [`compresses with ${record.compression === 'both' ? 'zstd or gzip' : record.compression}`]),
  ]
  const path = sortPaths(record.paths).find((path) => patternsOf(path).some((pattern) => isOnPath(parsed.url, pattern)))
  const answer = explainTarget(path ?? record, path, parsed.url)
  return { path: path ? { match: path.match, path: path.path } : null, steps, answer }
}

/** The answer to a visitor who does not reach the site; undefined for one who does. */
function reachAnswer(
  { reach }: SiteRecord,
  { url, request }: ParsedRequest,
  { desired, node }: { readonly desired: DesiredState; readonly node: NodeProfile },
): ExplainedAnswer | undefined {
  const state = reachState(reach, desired.options.reach, node)
  if (state === undefined || isChallenge(`${url.pathname}${url.search}`)) return undefined
  if ('closed' in state) return { kind: 'closed', status: 503, text: state.closed }
  if (request.clientIp !== undefined && isNetworkMember(request.clientIp, state.ranges)) return undefined
  const where = reach === 'home' ? 'at home nor in the tunnel' : 'in the tunnel of the VPN'
  return { kind: 'forbidden', status: 403, text: `the visitor is ${reach === 'home' ? 'neither' : 'not'} ${where}` }
}

function earlyAnswer(record: SiteRecord, { url, request }: ParsedRequest): ExplainedAnswer | undefined {
  const { access, maintenance } = record
  const isIn = (networks: readonly string[]) =>
    request.clientIp !== undefined && isNetworkMember(request.clientIp, networks)
  const forbidden = (text: string) => ({ kind: 'forbidden', status: 403, text }) as const
  if (isIn(access.deny)) return forbidden('the network of the visitor is denied')
  if (access.allow.length > 0 && !isIn(access.allow))
    return forbidden('the network of the visitor is not among those allowed')
  if (access.block_bots && isBot(request.userAgent ?? '')) return forbidden('crawlers are kept out')
  if (record.maintenance_mode && !isIn(maintenance.allow))
    return { kind: 'maintenance', status: 503, text: `back in ${maintenance.retry_after} s` }
  const longestFirst = [...record.redirects].sort((one, other) => other.from.length - one.from.length)
  const redirect = longestFirst.find(({ from }) =>
    (from.endsWith('/*') ? [from.slice(0, -2), from] : [from]).some((pattern) => isOnPath(url, pattern)),
  )
  if (!redirect) return undefined
  const strip = redirect.keep_path ? redirect.from.slice(0, -2) : ''
  return { kind: 'redirect', status: redirect.code, location: redirectLocation(redirect, url, strip) }
}

/** As Caddy compares paths: decoded, without regard to capitals, a star at the end for all that follows. */
function isOnPath(url: URL, pattern: string): boolean {
  const path = decode(url.pathname)
    .replaceAll(/\/{2,}/g, '/')
    .toLowerCase()
  const wanted = pattern.toLowerCase()
  return wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
