import { answer } from '@hearth/ui'
import { type GeoQuery, api } from '../api.ts'
import { type Period, toTrafficQuery } from './periods.ts'

/** Reads the traffic of one peer. */
export const readPeerTraffic = async (id: string, period: Period) => {
  const params = { path: { id }, query: toTrafficQuery(period, new Date()) }
  return (await answer(api.GET('/api/metrics/peers/{id}', { params }))).data
}

/** Reads the traffic of all peers. */
export const readTraffic = async (period: Period) =>
  (await answer(api.GET('/api/metrics/traffic', { params: { query: toTrafficQuery(period, new Date()) } }))).data

/** Reads the peers with the most traffic. */
export const readTopTraffic = async (period: Period) => {
  const { start } = toTrafficQuery(period, new Date())
  const query = { limit: 10, ...(start === undefined ? {} : { start }) }
  return (await answer(api.GET('/api/metrics/traffic/top', { params: { query } }))).data.peers
}

/** Traffic by country. */
export const readCountries = async (query: GeoQuery) =>
  (await answer(api.GET('/api/metrics/geo/countries', { params: { query } }))).data

/** Traffic by autonomous system. */
export const readNetworks = async (query: GeoQuery) =>
  (await answer(api.GET('/api/metrics/geo/asn', { params: { query } }))).data
