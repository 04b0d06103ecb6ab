import { answer } from '@hearth/ui'
import { api } from '../api.ts'
import type { components } from '../api.gen.ts'

/** Requests of all sites in a range, and their totals by site. */
export type TrafficOverview = components['schemas']['TrafficOverview']
export type SiteTraffic = components['schemas']['SiteTraffic']
export type TrafficNumbers = components['schemas']['TrafficNumbers']

/** Length of the shown period, up to now. */
export type TrafficRange = TrafficOverview['range']

/** Reads the requests of all sites. Throws an `ApiError`. */
export const readTraffic = (range: TrafficRange): Promise<TrafficOverview> =>
  answer(api.GET('/api/v1/traffic', { params: { query: { range } } }))

/** Reads the requests of one site. Throws an `ApiError`. */
export const readSiteTraffic = (id: number, range: TrafficRange): Promise<SiteTraffic> =>
  answer(api.GET('/api/v1/sites/{id}/traffic', { params: { path: { id }, query: { range } } }))

/** Interval at which shown traffic is read again, milliseconds: no event reports its changes. */
export const trafficPace = 15_000
