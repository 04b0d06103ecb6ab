import { answer } from '@hearth/ui'
import { api } from '../api.ts'
import type { Site, SiteQuery } from './site.ts'

/** One page of sites, and how many fit altogether. */
export interface SitePage {
  readonly rows: readonly Site[]
  readonly total: number
}

/** Reads one page of sites. Throws an `ApiError`. */
export async function readSites(query: SiteQuery): Promise<SitePage> {
  const { data = [], response } = await api.GET('/api/sites', { params: { query } })
  return { rows: data, total: Number(response.headers.get('x-total-count') ?? data.length) }
}

/** Reads one site. Throws an `ApiError`. */
export const readSite = (id: number): Promise<Site> => answer(api.GET('/api/sites/{id}', { params: { path: { id } } }))
