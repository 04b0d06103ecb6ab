import { isWildcard, wildcardOver } from '../sites/domains.ts'
import { escapeBraces } from '../sites/placeholders.ts'
import { type Bucket, type BucketEntry, bucketsOf } from './buckets.ts'
import type { CompiledSite, ConfigOptions, NodeProfile } from './desired-state.ts'
import { keptRoute, reachSurroundings, surroundingsOf } from './kept-routes.ts'
import type { RouteOwner } from './locate-error.ts'
import { reachRoutes } from './reach-routes.ts'
import { portalAwayRoute } from './sign-in-routes.ts'
import { redirectToHttps, serversOf, siteRoutes, type SiteContext } from './site-routes.ts'

/** The last route of a server: what a host gets that belongs to no site. Without it Caddy would answer with an empty 200. */
function catchAllRoute({ catchAll, defaultPage }: ConfigOptions, id: string): object {
  if (catchAll === 'abort') return { '@id': id, handle: [{ handler: 'static_response', abort: true }] }
  const page = defaultPage
    ? { headers: { 'Content-Type': ['text/html; charset=utf-8'] }, body: escapeBraces(defaultPage) }
    : { body: 'There is no such site here.\n' }
  return { '@id': id, handle: [{ handler: 'static_response', status_code: 404, ...page }] }
}

/**
 * The route of a server's `errors` that shows the site's page when no upstream answers. `others` are names of other sites below its
 * wildcards.
 */
export function errorPageRoute({ record }: CompiledSite, others: readonly string[] = []): object | undefined {
  if (record.error_page === null) return undefined
  const error = { vars: { '{http.error.status_code}': ['500', '502', '503', '504'] } }
  const show = {
    handler: 'static_response',
    status_code: '{http.error.status_code}',
    headers: { 'Content-Type': ['text/html; charset=utf-8'], 'Cache-Control': ['no-store'] },
    body: escapeBraces(record.error_page),
  }
  return {
    match: [{ host: [...record.domains], ...(others.length > 0 && { not: [{ host: [...others] }] }), ...error }],
    handle: [show],
    terminal: true,
  }
}

/** Returns a function for the names of other sites below the wildcards of one: they have, or have not, pages of their own. */
function namesBelowWildcards(sites: readonly CompiledSite[]): (site: CompiledSite) => string[] {
  let names: Map<string, { id: number; domain: string }[]> | undefined
  return ({ id, record }) => {
    const wildcards = record.domains.filter(isWildcard)
    if (wildcards.length === 0) return []
    // All sites are looked through once, and only where one has a wildcard.
    names ??= Map.groupBy(
      sites.flatMap((site) => site.record.domains.map((domain) => ({ id: site.id, domain }))),
      ({ domain }) => wildcardOver(domain) ?? '',
    )
    const below = wildcards.flatMap((wildcard) => names?.get(wildcard) ?? [])
    return below.filter((one) => one.id !== id).map(({ domain }) => domain)
  }
}

/** The routes of one server, with the sites behind each. */
export interface ServerRoutes {
  readonly routes: object[]
  readonly positions: RouteOwner[]
  readonly errors?: { readonly routes: object[] }
  readonly errorPlaces: number[]
}

type Scheme = 'http' | 'https'

/** The routes of the server for HTTPS or plain HTTP: buckets of sites, and the answer to unknown hosts. */
export function serverRoutes(sites: readonly CompiledSite[], scheme: Scheme, context: SiteContext): ServerRoutes {
  const here = sites.filter((site) => scheme === 'http' || serversOf(site).https)
  const surroundings = surroundingsOf(context)
  const around = { ...context, surroundings, limited: reachSurroundings(context, surroundings) }
  const buckets = bucketsOf(here)
  const suffix = scheme === 'http' ? '-http' : ''
  const othersBelow = namesBelowWildcards(here)
  const pages = here.flatMap((site) => {
    const isRedirect = scheme === 'http' && serversOf(site).http === 'redirect'
    if (isRedirect) return []
    const page = site.record.error_page === null ? undefined : errorPageRoute(site, othersBelow(site))
    const pages = [portalAwayRoute(site), page]
    return pages.flatMap((route) => (route === undefined ? [] : [{ route, id: site.id }]))
  })
  return {
    routes: [
      ...buckets.map((bucket) => bucketRoute(bucket, suffix, (entry) => routeOf(entry, scheme, around))),
      catchAllRoute(context.options, `strangers${suffix}`),
    ],
    positions: [...buckets.map(({ entries }) => entries.map(({ site }) => site.id)), null],
    ...(pages.length > 0 && { errors: { routes: pages.map(({ route }) => route) } }),
    errorPlaces: pages.map(({ id }) => id),
  }
}

function bucketRoute({ name, entries }: Bucket, suffix: string, routeOf: (entry: BucketEntry) => object): object {
  return {
    '@id': `${name}${suffix}`,
    match: [{ host: entries.flatMap(({ hosts }) => hosts) }],
    handle: [{ handler: 'subroute', routes: entries.map(routeOf) }],
    terminal: true,
  }
}

/** The route of a site in its bucket. */
function routeOf(
  { site, hosts }: BucketEntry,
  scheme: Scheme,
  context: SiteContext & { readonly surroundings: string; readonly limited: string },
): object {
  const name = `${isSecondPart(site, hosts) ? '-wildcards' : ''}${scheme === 'http' ? '-http' : ''}`
  const { note } = context
  const surroundings = site.record.reach === 'everyone' ? context.surroundings : context.limited
  return keptRoute(
    site,
    { name, surroundings },
    {
      note,
      compile: (noted) => {
        const isRedirect = scheme === 'http' && serversOf(site).http === 'redirect'
        const inner = { ...context, note: noted }
        const rest = isRedirect ? redirectToHttps(context) : siteRoutes(site, scheme, inner)
        const routes = [...reachRoutes(site, inner), ...rest]
        return {
          '@id': `site-${site.id}${name}`,
          match: [{ host: [...hosts] }],
          handle: [{ handler: 'subroute', routes }],
          terminal: true,
        }
      },
    },
  )
}

/** Returns true if these are the wildcards of a site that has exact names as well, and so a route for each. */
function isSecondPart({ record }: CompiledSite, hosts: readonly string[]): boolean {
  return hosts.length < record.domains.length && hosts.every(isWildcard)
}

/** Returns the addresses that a server listens on. */
export function listenOn({ bind = [] }: NodeProfile, port: number): string[] {
  if (bind.length === 0) return [`:${port}`]
  return bind.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`))
}
