import {
  answer,
  createApiClient,
  createPortalConnectionApi,
  createSessionStore,
  createSignInMethodsApi,
} from '@hearth/ui'
import type { components, paths } from './api.gen.ts'

type Schemas = components['schemas']
/** A WireGuard interface. */
export type Interface = Schemas['Interface']
/** A peer. */
export type Peer = Schemas['Peer']
/** A time in which a peer was connected. */
export type PeerConnection = Schemas['PeerConnection']
/** A link that hands a device its configuration, once. */
export type SetupLink = Schemas['SetupLink']
/** The addresses of a device outside the tunnel, shown once. */
export type PrivateDnsCreated = Schemas['PeerPrivateDnsCreated']
/** DNS outside the tunnels. */
export type PrivateDnsStatus = Schemas['PrivateDnsStatus']
/** A device's configuration, as a set-up link hands it over. */
export type DeviceSetup = Schemas['DeviceSetup']
/** Figures of the overview. */
export type Dashboard = Schemas['Dashboard']
/** An account. */
export type User = Schemas['User']
/** An account in the list of all. */
export type ListedUser = Schemas['ListedUser']
/** An API token. */
/** Settings of the service. */
export type Settings = Schemas['Settings']
/** The public endpoint and its candidates. */
export type PublicEndpoint = Schemas['PublicEndpoint']
/** Something that is wrong, and what to do. */
export type HealthNotice = Schemas['HealthNotice']
/** Status of the resolver. */
export type DnsStatus = Schemas['DnsStatus']
/** Settings of the resolver. */
export type DnsSettings = Schemas['DnsSettings']
/** A rule of an operator. */
export type DnsRule = Schemas['DnsRule']
/** A group of peers. */
export type AccessGroup = Schemas['AccessGroup']
/** The same with its peers. */
export type AccessGroupDetail = Schemas['AccessGroupDetail']
/** A rule about what peers reach. */
export type AccessRule = Schemas['AccessRule']
/** What an interface does without a matching rule. */
export type AccessDefault = Schemas['AccessDefault']
/** Whether a peer reaches something, and why. */
export type AccessExplanation = Schemas['AccessExplanation']
/** A local record. */
export type DnsRecord = Schemas['DnsRecord']
/** A zone with servers of its own. */
export type NameRequest = Schemas['NameRequest']
export type DnsZone = Schemas['DnsZone']
/** A pause that a device made of its own filter. */
export type DnsPeerPause = Schemas['DnsPeerPause']
/** A profile of the filter. */
export type DnsProfile = Schemas['DnsProfile']
/** The same with its peers. */
export type DnsProfileDetail = Schemas['DnsProfileDetail']
/** Which profile holds, and what comes next. */
export type DnsProfileState = DnsProfile['state']
/** Queries that a rule would have changed. */
export type RulePreview = Schemas['DnsRulePreview']
/** Explanation of a name. */
export type DnsExplanation = Schemas['DnsExplanation']
/** Statistics of queries. */
export type DnsStats = Schemas['DnsStatistics']
/** A query of the log. */
export type DnsQuery = Schemas['LoggedQuery']
/** A block list. */
export type Blocklist = Schemas['BlockList']
/** Progress of an update of lists. */
export type BlocklistUpdate = Schemas['BlockListUpdate']
/** Traffic of one peer or of all: they differ in whose it is. */
export type TrafficSeries = Omit<Schemas['Traffic'], 'interface'>
/** Traffic by country. */
export type CountryTraffic = Schemas['CountryTraffic']
/** Traffic by network. */
export type NetworkTraffic = Schemas['NetworkTraffic']
/** A hint at something unusual. */
export type Hint = Schemas['Hint']
/** A host that belongs to this service. */
export type Node = Schemas['Node']
/** What a host needs to join as a node. */
export type NodeJoin = Schemas['NodeJoin']
/** Findings that make no hint. */
export type HintException = Schemas['HintException']
/** Query of the query log. */
export type LogQuery = Query<'/api/dns/queries'>
/** Query of the peer list. */
export type PeerQuery = Query<'/api/peers'>
/** Query of the geography endpoints. */
export type GeoQuery = Query<'/api/metrics/geo/countries'>

/** Paths of the API by method. */
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Parameters } } }
  ? NonNullable<Parameters>
  : never

/** The session of this page. */
export const session = createSessionStore()

/** The service's API, typed by its OpenAPI document. */
export const api = createApiClient<paths>(session)

/** Passkeys and recovery codes. */
export const signInMethods = createSignInMethodsApi({ session, prefix: '/api' })

/** The connection to a Hearth portal. */
export const portalConnection = createPortalConnectionApi({ session, prefix: '/api' })

/** Names of cached answers; an event that says `changed` names the same collections. */
export const keys = {
  overview: ['overview'],
  interfaces: ['interfaces'],
  peers: ['peers'],
  setupLinks: ['setup_links'],
  connections: ['connections'],
  peerTags: ['peer_tags'],
  access: ['access'],
  users: ['users'],
  sessions: ['sessions'],
  settings: ['settings'],
  dnsStatus: ['dns_status'],
  dnsSettings: ['dns_settings'],
  dnsStats: ['dns_stats'],
  dnsRules: ['dns_rules'],
  dnsRecords: ['dns_records'],
  dnsZones: ['dns_zones'],
  dnsProfiles: ['dns_profiles'],
  dnsRequests: ['dns_requests'],
  dnsPauses: ['dns_pauses'],
  tunnelPage: ['settings', 'tunnel-page'],
  dnsLog: ['dns_log'],
  explanation: ['dns_explanation'],
  blocklists: ['blocklists'],
  /** The present update of lists, or the last one of this page’s time; events write it. */
  listUpdate: ['blocklist_update'],
  traffic: ['traffic'],
  geography: ['geography'],
  hints: ['hints'],
  nodes: ['nodes'],
} as const

/** Answer of the dashboard endpoint. */
export const readOverview = async () => (await answer(api.GET('/api/metrics/dashboard'))).data

/** All interfaces, at most a hundred. */
export const readInterfaces = async () => (await answer(api.GET('/api/interfaces'))).data

/** Reads the settings; administrators only. */
export const readSettings = async () => (await answer(api.GET('/api/settings'))).data

/** Reads the status of the resolver. */
export const readStatus = async () => (await answer(api.GET('/api/dns/status'))).data

/** Reads the DNS settings. */
export const readDnsSettings = async () => (await answer(api.GET('/api/dns/settings'))).data

/** Reads the statistics of the last hours: by the hour up to a week, by the day beyond. */
export const readStats = async (hours: number) => {
  const query = { hours, bucket: hours > 168 ? 'day' : 'hour' } as const
  return (await answer(api.GET('/api/dns/stats', { params: { query } }))).data
}

/** All block lists; there are never more than a page of them. */
export const readBlocklists = async () =>
  (await answer(api.GET('/api/dns/blocklists', { params: { query: { limit: 100 } } }))).data

/** Reads the other Hearth services that answer. */
export const readNeighbours = async () => (await answer(api.GET('/api/neighbours'))).data.services
