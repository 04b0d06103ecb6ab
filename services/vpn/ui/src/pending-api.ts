import { createApiClient } from '@hearth/ui'
import { session } from './api.ts'

/** What a list is, as the service tells it. */
export interface Blocklist {
  id: string
  name: string
  url: string
  format: 'auto' | 'hosts' | 'domains' | 'wildcard' | 'adblock' | 'dnsmasq'
  enabled: boolean
  entries: number
  unsupported: number
  unsupported_reasons: Record<string, number>
  last_updated: string | null
  last_checked: string | null
  last_error: string | null
}

/** How far the present or last update is. */
export interface BlocklistUpdate {
  started_at: string
  status: 'running' | 'done'
  lists: {
    id: string
    name: string
    status: 'waiting' | 'running' | 'updated' | 'unchanged' | 'failed'
    entries: number
    added: number
    removed: number
    duration_ms: number
    error: string | null
  }[]
}

/** One query of the log. */
export interface DnsQuery {
  id: number
  timestamp: string
  client: string | null
  client_id: string | null
  client_ip: string | null
  domain: string
  type: string
  status: 'allowed' | 'blocked'
  reason: 'none' | 'off' | 'rule' | 'list' | 'special' | 'private_answer'
  rule: string | null
  list_id: string | null
  list: string | null
  rcode: string
  cached: boolean
  cname: boolean
  upstream: string | null
  duration_ms: number
}

export interface DnsStats {
  period_hours: number
  total_queries: number
  blocked_queries: number
  allowed_queries: number
  block_percentage: number
  unique_domains: number
  unique_clients: number
  cache_hit_percentage: number
  avg_response_ms: number
  blocklist_size: number
  blocklist_updated_at: string | null
  is_running: boolean
  unavailable: boolean
  reason: string | null
  top_domains: { domain: string; count: number }[]
  top_blocked: { domain: string; count: number }[]
  top_clients: { client: string | null; total: number; blocked: number }[]
  query_types: Record<string, number>
  series: { time: string; total: number; blocked: number }[]
}

/** What a rule would have changed. */
export interface RuleEffect {
  changed: number
  matching: number
  clients: { client: string | null; changed: number }[]
}

/** Bytes over time, in buckets; as the server sees them. */
export interface TrafficSeries {
  start: string
  end: string
  resolution: 'hourly' | 'daily' | 'weekly'
  points: { time: string; rx_bytes: number; tx_bytes: number }[]
  totals: {
    rx_bytes: number
    tx_bytes: number
    average_rate: number
    peak_rate: number
    peak_seconds: number
    active_seconds: number
  }
}

export interface TopTraffic {
  peers: { peer_id: string; name: string; interface: string; rx_bytes: number; tx_bytes: number; total_bytes: number }[]
}

interface Amounts {
  rx_bytes: number
  tx_bytes: number
  total_bytes: number
  percentage: number
  peers: number
}
type Database = { type: string; build_epoch: number; file: string } | null
interface Places<Item> {
  items: (Item & Amounts)[]
  total_bytes: number
  by: 'endpoint' | 'destination'
  available: boolean
  reason: string | null
  databases: { country: Database; asn: Database }
}
export type CountryTraffic = Places<{ code: string; name: string }>
export type NetworkTraffic = Places<{ asn: number; organization: string | null; country: string }>

export interface GeoQuery {
  by?: 'endpoint' | 'destination'
  hours?: number
  peer?: string
}

export interface TrafficQuery {
  start?: string
  end?: string
  resolution?: TrafficSeries['resolution']
}

interface Answer<Body> {
  content: { 'application/json': Body }
}
interface Reading<Query, Data> {
  get: { parameters: { query?: Query }; responses: { 200: Answer<Data> } }
}
interface Writing<Body, Data> {
  post: { parameters: object; requestBody: { content: { 'application/json': Body } }; responses: { 200: Answer<Data> } }
}

export type LogQuery = {
  client?: string
  domain?: string
  status?: DnsQuery['status']
  type?: string
  reason?: DnsQuery['reason']
  start?: string
  end?: string
  limit?: number
  before?: number
}

interface Acting<Data> {
  post: { parameters: object; responses: { 200: Answer<Data> } }
}

/** Endpoints that the service's OpenAPI document does not have yet. */
export interface PendingPaths {
  '/api/dns/queries': Reading<LogQuery, { data: DnsQuery[]; total: number; limit: number; offset: number }>
  '/api/dns/stats': Reading<{ hours?: number; bucket?: 'hour' | 'day' }, { data: DnsStats }>
  '/api/dns/rules/preview': Writing<{ action: string; domain: string; client?: string | null }, { data: RuleEffect }>
  '/api/dns/queries/purge': Writing<object, { message: string }>
  '/api/metrics/peers/{id}': {
    get: {
      parameters: { path: { id: string }; query?: TrafficQuery }
      responses: { 200: Answer<{ data: TrafficSeries }> }
    }
  }
  '/api/metrics/traffic': Reading<TrafficQuery & { interface?: string }, { data: TrafficSeries }>
  '/api/metrics/traffic/top': Reading<{ start?: string; end?: string; limit?: number }, { data: TopTraffic }>
  '/api/metrics/geo/countries': Reading<GeoQuery, { data: CountryTraffic }>
  '/api/metrics/geo/asn': Reading<GeoQuery, { data: NetworkTraffic }>
  '/api/dns/blocklists': Reading<{ limit?: number }, { data: Blocklist[] }> &
    Writing<{ name: string; url: string; format?: string; enabled?: boolean }, { data: Blocklist; message: string }>
  '/api/dns/blocklists/update': Acting<{ data: BlocklistUpdate; message: string }>
  '/api/dns/blocklists/{id}': {
    put: {
      parameters: { path: { id: string } }
      requestBody: {
        content: { 'application/json': { name?: string; url?: string; format?: string; enabled?: boolean } }
      }
      responses: { 200: Answer<{ data: Blocklist; message: string }> }
    }
    delete: { parameters: { path: { id: string } }; responses: { 200: Answer<{ message: string }> } }
  }
}

/** The client for them. */
export const pendingApi = createApiClient<PendingPaths>(session)
