import { answer, createApiClient, createSessionStore } from '@hearth/ui'
import type { components, paths } from './api.gen.ts'

type Schemas = components['schemas']
export type Interface = Schemas['Interface']
export type Peer = Schemas['Peer']
export type Dashboard = Schemas['Dashboard']
export type User = Schemas['User']
export type Token = Schemas['Token']
export type Settings = Schemas['Settings']
export type PublicEndpoint = Schemas['PublicEndpoint']
export type HealthNotice = Schemas['HealthNotice']
export type DnsStatus = Schemas['DnsStatus']
export type DnsSettings = Schemas['DnsSettings']
export type DnsRule = Schemas['DnsRule']
export type DnsExplanation = Schemas['DnsExplanation']
export type DnsStats = Schemas['DnsStatistics']
export type DnsQuery = Schemas['LoggedQuery']
export type Blocklist = Schemas['BlockList']
export type BlocklistUpdate = Schemas['BlockListUpdate']
/** Traffic of one peer or of all: they differ in whose it is. */
export type TrafficSeries = Omit<Schemas['Traffic'], 'interface'>
export type CountryTraffic = Schemas['CountryTraffic']
export type NetworkTraffic = Schemas['NetworkTraffic']
export type LogQuery = Query<'/api/dns/queries'>
export type TrafficQuery = Query<'/api/metrics/traffic'>
export type GeoQuery = Query<'/api/metrics/geo/countries'>

/** What an address can be asked for. */
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Parameters } } }
  ? NonNullable<Parameters>
  : never

/** The session of this page. */
export const session = createSessionStore()

/** The service's API, typed by its OpenAPI document. */
export const api = createApiClient<paths>(session)

/** Names of cached answers; an event that says `changed` names the same collections. */
export const keys = {
  overview: ['overview'],
  interfaces: ['interfaces'],
  peers: ['peers'],
  users: ['users'],
  tokens: ['tokens'],
  settings: ['settings'],
  dnsStatus: ['dns_status'],
  dnsSettings: ['dns_settings'],
  dnsStats: ['dns_stats'],
  dnsRules: ['dns_rules'],
  dnsLog: ['dns_log'],
  explanation: ['dns_explanation'],
  blocklists: ['blocklists'],
  /** The present update of lists, or the last one of this page’s time; events write it. */
  listUpdate: ['blocklist_update'],
  traffic: ['traffic'],
  geography: ['geography'],
} as const

/** What a reading of the whole service gives. */
export const readOverview = async () => (await answer(api.GET('/api/metrics/dashboard'))).data

/** All interfaces, at most a hundred. */
export const readInterfaces = async () => (await answer(api.GET('/api/interfaces'))).data
