import { readFile } from 'node:fs/promises'
import { defineCollector, samplesOf, type Collector } from '@hearth/metrics'
import type { Kysely } from 'kysely'
import { Status } from '../dns/policy/verdict.ts'
import type { Filtering } from '../filtering/filtering.ts'
import { allListRows } from '../lists/store.ts'
import { reasonName } from '../query-log/query-view.ts'
import type { ResolverSupervisor } from '../resolver/supervisor.ts'
import type { Tables } from '../tables.ts'
import { countRulesByAction } from './store.ts'

export interface DnsFigureDependencies {
  readonly db: Kysely<Tables>
  readonly resolver: Pick<ResolverSupervisor, 'state' | 'restarts' | 'pid'>
  readonly filtering: Pick<Filtering, 'status'>
}

/** The figures of the resolver, its upstreams, lists and rules. */
export function dnsCollectors(dependencies: DnsFigureDependencies): Collector[] {
  return [
    resolverCollector(dependencies),
    queryCollector(dependencies),
    upstreamCollector(dependencies),
    listCollector(dependencies),
  ]
}

function resolverCollector({ resolver, filtering }: DnsFigureDependencies): Collector {
  return defineCollector({
    name: 'resolver',
    figures: {
      hearth_vpn_dns_up: { type: 'gauge', help: '1 while the resolver runs and has an address to listen on' },
      hearth_vpn_dns_restarts_total: { type: 'counter', help: 'Times that the resolver process ended unexpectedly' },
      hearth_vpn_dns_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the resolver process' },
      hearth_vpn_dns_blocking_enabled: { type: 'gauge', help: '1 while names are blocked; 0 while off or paused' },
      hearth_vpn_dns_blocked_names: { type: 'gauge', help: 'Names of all lists that are in force' },
      hearth_vpn_dns_cache_entries: { type: 'gauge', help: 'Answers in the cache' },
      hearth_vpn_dns_log_lost_total: { type: 'counter', help: 'Queries that could not be written to the query log' },
    },
    async read() {
      const { state, restarts, pid } = resolver
      const { blocking, unavailable } = filtering.status()
      return {
        hearth_vpn_dns_up: unavailable === null ? 1 : 0,
        hearth_vpn_dns_restarts_total: restarts,
        hearth_vpn_dns_resident_memory_bytes: pid === undefined ? undefined : await residentMemory(pid),
        hearth_vpn_dns_blocking_enabled: blocking.enabled && blocking.paused_until === null ? 1 : 0,
        hearth_vpn_dns_blocked_names: state?.names,
        hearth_vpn_dns_cache_entries: state?.cacheEntries,
        hearth_vpn_dns_log_lost_total: state?.logLost,
      }
    },
  })
}

/** Bytes; undefined when the process has ended. */
async function residentMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

function queryCollector({ resolver }: DnsFigureDependencies): Collector {
  return defineCollector({
    name: 'queries',
    figures: {
      hearth_vpn_dns_queries_total: { type: 'counter', help: 'Answered queries by status and reason' },
      hearth_vpn_dns_cache_hits_total: { type: 'counter', help: 'Answers that came from the cache' },
      hearth_vpn_dns_failures_total: { type: 'counter', help: 'Queries that no upstream answered' },
      hearth_vpn_dns_refused_total: {
        type: 'counter',
        help: 'Queries without an answer: of unknown clients, and beyond a client’s limit',
      },
    },
    read() {
      const { state } = resolver
      if (state === undefined) return {}
      const { decisions, cached, failed } = state.answered
      return {
        hearth_vpn_dns_queries_total: decisions.map(
          ({ status, reason, count }) =>
            [{ status: status === Status.blocked ? 'blocked' : 'allowed', reason: reasonName(reason) }, count] as const,
        ),
        hearth_vpn_dns_cache_hits_total: cached,
        hearth_vpn_dns_failures_total: failed,
        hearth_vpn_dns_refused_total: [
          [{ reason: 'unknown_client' }, state.refused],
          [{ reason: 'rate_limit' }, state.limited],
        ],
      }
    },
  })
}

function upstreamCollector({ resolver }: DnsFigureDependencies): Collector {
  return defineCollector({
    name: 'upstreams',
    figures: {
      hearth_vpn_dns_upstream_up: { type: 'gauge', help: '1 for an upstream that answers, otherwise 0' },
      hearth_vpn_dns_upstream_queries_total: { type: 'counter', help: 'Queries sent to an upstream' },
      hearth_vpn_dns_upstream_failures_total: { type: 'counter', help: 'Queries without an answer, or with a refusal' },
      hearth_vpn_dns_upstream_latency_seconds: { type: 'gauge', help: 'Smoothed time to an answer' },
    },
    read() {
      const samples = samplesOf(resolver.state?.upstreams ?? [], ({ label }) => ({ upstream: label }))
      return {
        hearth_vpn_dns_upstream_up: samples(({ isHealthy }) => Number(isHealthy)),
        hearth_vpn_dns_upstream_queries_total: samples(({ queries }) => queries),
        hearth_vpn_dns_upstream_failures_total: samples(({ failures }) => failures),
        hearth_vpn_dns_upstream_latency_seconds: samples(({ averageMs }) => secondsOf(averageMs)),
      }
    },
  })
}

function listCollector({ db }: DnsFigureDependencies): Collector {
  return defineCollector({
    name: 'lists',
    figures: {
      hearth_vpn_list_enabled: { type: 'gauge', help: '1 for a block list that is in use, otherwise 0' },
      hearth_vpn_list_entries: { type: 'gauge', help: 'Names and patterns of a block list' },
      hearth_vpn_list_failing: { type: 'gauge', help: '1 for a block list whose last update failed, otherwise 0' },
      hearth_vpn_list_updated_timestamp_seconds: { type: 'gauge', help: 'Time at which the list last changed' },
      hearth_vpn_list_checked_timestamp_seconds: {
        type: 'gauge',
        help: 'Time of the last request to the list’s server',
      },
      hearth_vpn_filter_rules: { type: 'gauge', help: 'Custom rules that are in use, by action' },
    },
    async read() {
      const samples = samplesOf(await allListRows(db), ({ name }) => ({ list: name }))
      const rules = new Map((await countRulesByAction(db)).map(({ action, count }) => [action, count]))
      return {
        hearth_vpn_list_enabled: samples(({ enabled }) => enabled),
        hearth_vpn_list_entries: samples(({ entries }) => entries),
        hearth_vpn_list_failing: samples((list) => Number(list.last_error !== null)),
        hearth_vpn_list_updated_timestamp_seconds: samples((list) => secondsOf(list.last_updated)),
        hearth_vpn_list_checked_timestamp_seconds: samples((list) => secondsOf(list.last_checked)),
        hearth_vpn_filter_rules: samplesOf(['block', 'allow'] as const, (action) => ({ action }))(
          (action) => rules.get(action) ?? 0,
        ),
      }
    },
  })
}

/** Milliseconds as seconds. */
const secondsOf = (milliseconds: number | null): number | undefined =>
  milliseconds === null ? undefined : milliseconds / 1000
