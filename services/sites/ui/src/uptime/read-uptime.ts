import { answer } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys, type Schemas } from '../api.ts'

export type SiteUptime = Schemas['SiteUptime']
export type SiteUptimeDetail = Schemas['SiteUptimeDetail']
export type UptimeState = Schemas['UptimeState']
export type UptimeDay = Schemas['UptimeDay']
export type CheckFailure = Schemas['CheckFailure']
export type Incident = Schemas['Incident']
export type MaintenanceWindow = Schemas['MaintenanceWindow']
export type StatusPage = Schemas['StatusPage']

/** Interval at which figures are read again; changes of a state come as events, milliseconds. */
const paceMs = 30_000

/** What the overview is narrowed to. */
export interface UptimeFilter {
  readonly state?: UptimeState
  readonly search?: string
  readonly limit: number
  readonly offset: number
}

/** The sites with their states, those that are down first. */
export const useUptime = (query: UptimeFilter) =>
  useQuery({
    queryKey: [...keys.uptime, 'list', query],
    queryFn: () => answer(api.GET('/api/v1/uptime', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: paceMs,
  })

/** The uptime of these sites by their ids; empty until it is read. */
export function useSiteUptimes(ids: readonly number[]): ReadonlyMap<number, SiteUptime> {
  const shown = ids.slice(0, 100).join(',')
  const { data } = useQuery({
    queryKey: [...keys.uptime, 'ids', shown],
    queryFn: () => answer(api.GET('/api/v1/uptime', { params: { query: { ids: shown, limit: 100 } } })),
    enabled: shown !== '',
    placeholderData: keepPreviousData,
    refetchInterval: paceMs,
  })
  return new Map(data?.sites.map((site) => [site.site_id, site]) ?? [])
}

/** Everything about the checks of a site. */
export const useSiteUptime = (id: number) =>
  useQuery({
    queryKey: [...keys.uptime, 'site', id],
    queryFn: () => answer(api.GET('/api/v1/sites/{id}/uptime', { params: { path: { id } } })),
    refetchInterval: paceMs,
  })

/** All maintenance windows. */
export const useWindows = () =>
  useQuery({ queryKey: [...keys.uptime, 'windows'], queryFn: () => answer(api.GET('/api/v1/maintenance-windows')) })

/** All status pages. */
export const useStatusPages = () =>
  useQuery({ queryKey: keys.statusPages, queryFn: () => answer(api.GET('/api/v1/status-pages')) })
