import { modifierNames } from '../dns/policy/modifier-names.ts'
import { Reason, Status, Trait } from '../dns/policy/verdict.ts'
import { rcodeName, typeName } from '../dns/wire/code-names.ts'
import type { LoggedQuery } from './reading-thread.ts'
import type { QueryFilter } from './page-search.ts'
import type { DnsStatistics, LoggedQueryRecord, QueryFilterQuery, QueryReason } from './schema.ts'
import type { Statistics } from './statistics.ts'
import type { QueryLog } from './query-log.ts'

/** Current names of the numbers in the log; undefined for what is gone. */
export interface Names {
  client(number: number): { readonly id: string; readonly name: string; readonly ip: string } | undefined
  list(number: number): { readonly id: string; readonly name: string } | undefined
  rule(number: number): { readonly text: string } | undefined
}

/** State of the resolver and its lists; `reason` says why it is not running. */
export type ResolverStatus = Pick<DnsStatistics, 'is_running' | 'reason' | 'blocklist_size' | 'blocklist_updated_at'>

const reasons = {
  none: Reason.none,
  off: Reason.off,
  rule: Reason.rule,
  list: Reason.list,
  special: Reason.special,
  private_answer: Reason.privateAnswer,
  address: Reason.address,
  local: Reason.local,
} as const satisfies Record<QueryReason, number>
const reasonNames = new Map<number, QueryReason>(
  Object.entries(reasons).map(([name, code]) => [code, name as QueryReason]),
)
const typesShown = 20

/** The wire form of a reason. */
export const reasonName = (code: number): QueryReason => reasonNames.get(code) ?? 'none'

/** Converts a filter from its wire form to the log's numbers. */
export function filterOf({ client, domain, status, type, reason, start, end }: QueryFilterQuery): QueryFilter {
  return {
    client: client === '' ? undefined : client,
    domain: domain === '' ? undefined : domain,
    status: status === undefined ? undefined : Status[status],
    type,
    reason: reason === undefined ? undefined : reasons[reason],
    start,
    end,
  }
}

/** Converts a query to its wire form. A peer has its current name; a deleted one has its last name. */
export function queryView(query: LoggedQuery, names: Names): LoggedQueryRecord {
  const today = query.client === 0 ? undefined : names.client(query.client)
  const list = query.reason === Reason.list || query.reason === Reason.address ? names.list(query.source) : undefined
  return {
    id: query.id,
    timestamp: new Date(query.at).toISOString(),
    client: today?.name ?? query.peer?.name ?? null,
    client_id: today?.id ?? query.peer?.id ?? null,
    client_ip: today?.ip ?? query.peer?.address ?? null,
    domain: query.domain,
    type: typeName(query.type),
    status: query.status === Status.blocked ? 'blocked' : 'allowed',
    reason: reasonName(query.reason),
    rule: query.reason === Reason.rule ? (names.rule(query.source)?.text ?? null) : null,
    list_id: list?.id ?? null,
    list: list?.name ?? null,
    modifiers: modifierNames(query.traits),
    rcode: rcodeName(query.rcode),
    cached: (query.traits & Trait.cached) !== 0,
    cname: (query.traits & Trait.cname) !== 0,
    upstream: query.upstream,
    duration_ms: query.micros / 1000,
  }
}

/** Converts statistics to their wire form. Only administrators see names and clients; others see counts. */
export function statisticsView(
  found: Statistics,
  { hours, resolver, names, error, showTops }: StatisticsContext,
): DnsStatistics {
  const allowed = found.total - found.blocked
  const clientName = (client: number, last: string | null) =>
    client === 0 ? null : (names.client(client)?.name ?? last)
  return {
    period_hours: hours,
    total_queries: found.total,
    blocked_queries: found.blocked,
    allowed_queries: allowed,
    block_percentage: percentage(found.blocked, found.total),
    unique_domains: found.uniqueDomains,
    unique_clients: found.uniqueClients,
    cache_hit_percentage: percentage(Math.min(found.cached, allowed), allowed),
    avg_response_ms: Math.round(found.averageMs * 100) / 100,
    ...resolver,
    unavailable: error !== null || !resolver.is_running,
    reason: error ?? resolver.reason,
    top_domains: showTops ? [...found.topDomains] : [],
    top_blocked: showTops ? [...found.topBlocked] : [],
    top_clients: showTops
      ? found.topClients.map(({ client, name, total, blocked }) => ({
          client: clientName(client, name),
          total,
          blocked,
        }))
      : [],
    query_types: typesOf(found),
    series: found.series.map(({ time, total, blocked }) => ({ time: new Date(time).toISOString(), total, blocked })),
  }
}

/** Context of shown statistics. */
export interface StatisticsContext {
  readonly hours: number
  readonly resolver: ResolverStatus
  readonly names: Names
  /** Reason why the log could not be read; null when it could. */
  readonly error: string | null
  readonly showTops: boolean
}

function typesOf({ types }: Statistics): Record<string, number> {
  const shown: Record<string, number> = {}
  for (const { type, count } of types.slice(0, typesShown)) shown[typeName(type)] = count
  const others = types.slice(typesShown).reduce((sum, { count }) => sum + count, 0)
  return others === 0 ? shown : { ...shown, OTHER: others }
}

const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10)

/** Queries in one file. */
const exportLimit = 10_000
const pageRows = 1000

const columns = [
  'timestamp',
  'client',
  'client_ip',
  'domain',
  'type',
  'status',
  'reason',
  'rule',
  'list',
  'rcode',
  'cached',
  'cname',
  'upstream',
  'duration_ms',
] as const satisfies readonly (keyof LoggedQueryRecord)[]

/** The newest queries that pass, as comma-separated values (RFC 4180) with a heading; at most `exportLimit` of them. */
export async function* csvOf(log: QueryLog, filter: QueryFilter, names: Names): AsyncGenerator<string, void> {
  yield `${columns.join(',')}\r\n`
  let before: number | undefined
  for (let count = 0; count < exportLimit; count += pageRows) {
    const { rows } = await log.list(filter, { limit: pageRows, offset: 0, before })
    const records = rows.map((row) => queryView(row, names))
    if (records.length > 0) {
      yield records.map((record) => `${columns.map((column) => cellOf(record[column])).join(',')}\r\n`).join('')
    }
    if (rows.length < pageRows) return
    before = rows.at(-1)?.id
  }
}

/** Text that begins like a formula is escaped, because any client can query such a name. */
export function cellOf(value: string | number | boolean | null): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
