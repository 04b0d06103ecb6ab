import type { TableState } from '@hearth/ui'
import type { paths } from '../api.gen.ts'

/** Query of the list of sites. */
export type SiteQuery = NonNullable<paths['/api/sites']['get']['parameters']['query']>

/** Rows of one page of the table. */
export const sitesPerPage = 50

const kinds = ['proxy', 'redirect', 'static', 'respond', 'raw'] as const
const sorts = ['name', 'updated_at', 'created_at'] as const

/** Returns the query for the table's state, without values that the server does not know. */
export function toSiteQuery({ search, sort, page, filters }: Omit<TableState, 'change'>): SiteQuery {
  const kind = kinds.find((name) => name === filters['kind'])
  const state = filters['state']
  const sorted = sorts.find((name) => name === sort.replace(/^-/, ''))
  return {
    limit: sitesPerPage,
    offset: (page - 1) * sitesPerPage,
    ...(search === '' ? {} : { search: search.slice(0, 200) }),
    ...(kind === undefined ? {} : { kind }),
    ...(state === 'on' ? { enabled: 'true' } : state === 'off' ? { enabled: 'false' } : {}),
    ...(state === 'failed' ? { failed: 'true' } : {}),
    ...(sorted === undefined ? {} : { sort: sorted, order: sort.startsWith('-') ? 'desc' : 'asc' }),
  }
}
