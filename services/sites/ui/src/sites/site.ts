import type { TableState } from '@hearth/ui'
import type { components, paths } from '../api.gen.ts'

type Operations = paths['/api/sites/{id}']

/** A site as the server answers it. */
export type Site = Operations['get']['responses']['200']['content']['application/json']
/** Members to change; what is left out stays. */
export type SitePatch = Operations['patch']['requestBody']['content']['application/json']
/** A new site; what is left out takes its default. */
export type SiteInput = paths['/api/sites']['post']['requestBody']['content']['application/json']
/** Result of saving a site. */
export type SiteEnvelope = components['schemas']['SiteEnvelope']
export type SiteKind = Site['kind']

/** The address a browser opens for a site, or undefined when it has only wildcards. Ports are those Caddy listens on. */
export function addressOf(
  site: Pick<Site, 'domains' | 'tls'>,
  ports: { http: number; https: number },
): string | undefined {
  const host = site.domains.find((domain) => !domain.startsWith('*'))
  if (host === undefined) return undefined
  const isPlain = site.tls.mode === 'off'
  const port = isPlain ? ports.http : ports.https
  const suffix = port === (isPlain ? 80 : 443) ? '' : `:${port}`
  return `${isPlain ? 'http' : 'https'}://${host}${suffix}/`
}

/** Query of the list of sites. */
export type SiteQuery = NonNullable<paths['/api/sites']['get']['parameters']['query']>

/** Rows of one page of the table. */
export const sitesPerPage = 50

const kinds = ['proxy', 'redirect', 'static', 'respond', 'raw'] as const
const reaches = ['everyone', 'home', 'tunnel'] as const
const sorts = ['name', 'updated_at', 'created_at'] as const

/** Returns the query for the table's state, without values that the server does not know. */
export function toSiteQuery({ search, sort, page, filters }: Omit<TableState, 'change'>): SiteQuery {
  const kind = kinds.find((name) => name === filters['kind'])
  const reach = reaches.find((name) => name === filters['reach'])
  const state = filters['state']
  const sorted = sorts.find((name) => name === sort.replace(/^-/, ''))
  return {
    limit: sitesPerPage,
    offset: (page - 1) * sitesPerPage,
    ...(search === '' ? {} : { search: search.slice(0, 200) }),
    ...(kind === undefined ? {} : { kind }),
    ...(reach === undefined ? {} : { reach }),
    ...(state === 'on' ? { enabled: 'true' } : state === 'off' ? { enabled: 'false' } : {}),
    ...(state === 'failed' ? { failed: 'true' } : {}),
    ...(sorted === undefined ? {} : { sort: sorted, order: sort.startsWith('-') ? 'desc' : 'asc' }),
  }
}
