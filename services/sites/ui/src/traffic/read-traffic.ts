import { answer } from '@hearth/ui'
import { api } from '../api.ts'
import type { components } from '../api.gen.ts'

export type TrafficOverview = components['schemas']['TrafficOverview']
export type SiteTraffic = components['schemas']['SiteTraffic']
export type TrafficNumbers = components['schemas']['TrafficNumbers']
export type TrafficRange = TrafficOverview['range']

/** Requests of all sites. Throws an `ApiError`. */
export const readTraffic = (range: TrafficRange): Promise<TrafficOverview> =>
  answer(api.GET('/api/v1/traffic', { params: { query: { range } } }))

/** Requests of one site. Throws an `ApiError`. */
export const readSiteTraffic = (id: number, range: TrafficRange): Promise<SiteTraffic> =>
  answer(api.GET('/api/v1/sites/{id}/traffic', { params: { path: { id }, query: { range } } }))

/** Traffic changes with every request, and no event tells of it: what is on screen is read again so often, milliseconds. */
export const trafficPace = 15_000
