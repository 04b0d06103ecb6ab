import { modifierNames } from '../dns/policy/modifier-names.ts'
import { Reason, Status, Trait } from '../dns/policy/verdict.ts'
import { rcodeName, typeName } from './dns-words.ts'
import type { LoggedQuery } from './reader-messages.ts'
import type { QueryFilter } from './page-search.ts'
import type { DnsStatistics, LoggedQueryRecord, QueryFilterQuery, QueryReason } from './schema.ts'
import type { Statistics } from './statistics.ts'

/** Current names of the numbers in the log; undefined for what is gone. */
export interface Names {
  client(number: number): { readonly id: string; readonly name: string; readonly ip: string } | undefined
  list(number: number): { readonly id: string; readonly name: string } | undefined
  rule(number: number): { readonly text: string } | undefined
}

/** State of the resolver and its lists. */
export interface Standing {
  readonly isRunning: boolean
  /** Reason why it is not running. */
  readonly reason: string | null
  /** Names that are blocked. */
  readonly blocklistSize: number
  /** Milliseconds since the epoch. */
  readonly blocklistUpdatedAt: number | null
}

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

/** A reason as the wire has it. */
export const reasonName = (code: number): QueryReason => reasonNames.get(code) ?? 'none'

/** A filter as the wire has it, in the log's terms. */
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

/** A query as the wire has it. A peer is shown as it is called today; one that is gone, as it was called last. */
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

/** Statistics as the wire has them; who is no administrator sees how much was asked, not what and by whom. */
export function statisticsView(
  found: Statistics,
  { hours, standing, names, error, showTops }: StatisticsContext,
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
    blocklist_size: standing.blocklistSize,
    blocklist_updated_at:
      standing.blocklistUpdatedAt === null ? null : new Date(standing.blocklistUpdatedAt).toISOString(),
    is_running: standing.isRunning,
    unavailable: error !== null || !standing.isRunning,
    reason: error ?? standing.reason,
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
  readonly standing: Standing
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
