import { isWildcard } from '../sites/domains.ts'
import { bucketsOf, type Bucket } from './buckets.ts'
import { catchAllRoute } from './catch-all.ts'
import type { CompiledSite, NodePlace } from './desired-state.ts'
import { errorPageRoute } from './error-page.ts'
import type { RoutePlace } from './site-places.ts'
import { redirectToHttps, serversOf, siteRoutes, type SiteSurroundings } from './site-routes.ts'

/** The routes of one server, with the sites behind each. */
export interface ServerRoutes {
  readonly routes: object[]
  readonly places: RoutePlace[]
  readonly errors?: { readonly routes: object[] }
  readonly errorPlaces: number[]
}

type Scheme = 'http' | 'https'

/** The routes of the server for HTTPS or plain HTTP: buckets of sites, and what strangers get. */
export function serverRoutes(sites: readonly CompiledSite[], scheme: Scheme, around: SiteSurroundings): ServerRoutes {
  const here = sites.filter((site) => scheme === 'http' || serversOf(site).https)
  const inner = new Map<number, object[]>()
  for (const site of here)
    inner.set(
      site.id,
      scheme === 'http' && serversOf(site).http === 'redirect'
        ? redirectToHttps(around)
        : siteRoutes(site, scheme, around),
    )
  const buckets = bucketsOf(here)
  const suffix = scheme === 'http' ? '-http' : ''
  const pages = here.flatMap((site) => {
    const isRedirect = scheme === 'http' && serversOf(site).http === 'redirect'
    const route = isRedirect ? undefined : errorPageRoute(site)
    return route ? [{ route, id: site.id }] : []
  })
  return {
    routes: [
      ...buckets.map((bucket) => bucketRoute(bucket, suffix, inner)),
      catchAllRoute(around.options, `strangers${suffix}`),
    ],
    places: [...buckets.map(({ entries }) => entries.map(({ site }) => site.id)), null],
    ...(pages.length > 0 && { errors: { routes: pages.map(({ route }) => route) } }),
    errorPlaces: pages.map(({ id }) => id),
  }
}

function bucketRoute({ name, entries }: Bucket, suffix: string, inner: ReadonlyMap<number, object[]>): object {
  const routes = entries.map(({ site, hosts }) => ({
    '@id': `site-${site.id}${isSecondPart(site, hosts) ? '-wildcards' : ''}${suffix}`,
    match: [{ host: [...hosts] }],
    handle: [{ handler: 'subroute', routes: inner.get(site.id) ?? [] }],
    terminal: true,
  }))
  return {
    '@id': `${name}${suffix}`,
    match: [{ host: entries.flatMap(({ hosts }) => hosts) }],
    handle: [{ handler: 'subroute', routes }],
    terminal: true,
  }
}

/** Returns true if these are the wildcards of a site that has exact names as well, and so a route for each. */
function isSecondPart({ record }: CompiledSite, hosts: readonly string[]): boolean {
  return hosts.length < record.domains.length && hosts.every(isWildcard)
}

/** Returns the addresses that a server listens on. */
export function listenOn({ bind = [] }: NodePlace, port: number): string[] {
  if (bind.length === 0) return [`:${port}`]
  return bind.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`))
}
