import { answer } from '@hearth/ui'
import { api } from '../api.ts'

/** How the resolver does. */
export const readStatus = async () => (await answer(api.GET('/api/dns/status'))).data

/** What holds for all names. */
export const readDnsSettings = async () => (await answer(api.GET('/api/dns/settings'))).data

/** What was asked in the last hours: by the hour up to a week, by the day beyond. */
export const readStats = async (hours: number) => {
  const query = { hours, bucket: hours > 168 ? 'day' : 'hour' } as const
  return (await answer(api.GET('/api/dns/stats', { params: { query } }))).data
}

/** All block lists; there are never more than a page of them. */
export const readBlocklists = async () =>
  (await answer(api.GET('/api/dns/blocklists', { params: { query: { limit: 100 } } }))).data
