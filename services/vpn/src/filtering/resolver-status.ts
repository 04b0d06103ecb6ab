import { toIsoString } from '@hearth/runtime'
import type { ResolverState } from '../resolver/messages.ts'
import type { ResolverSupervisor } from '../resolver/supervisor.ts'
import type { DnsStatus } from './schema.ts'
import type { StoredDnsSettings } from './settings.ts'

/** The running resolver, as far as filtering needs it. */
export type Resolver = Pick<
  ResolverSupervisor,
  | 'changed'
  | 'changedClients'
  | 'beginClientsFile'
  | 'changedLists'
  | 'explain'
  | 'testUpstream'
  | 'purgeLog'
  | 'clearCache'
  | 'state'
  | 'restarts'
  | 'quietMs'
>

/** Returns the status of the resolver; `health/` adds what is wrong. */
export function resolverStatus(
  { state, restarts }: Pick<ResolverSupervisor, 'state' | 'restarts'>,
  { blocking_enabled: enabled, pausedUntil }: StoredDnsSettings,
  now: number,
): Omit<DnsStatus, 'health'> {
  const isPaused = pausedUntil > now
  return {
    running: state !== undefined,
    unavailable: unavailable(state),
    engine: state?.engine ?? null,
    engine_reason: state?.engineReason ?? 'the resolver is starting',
    started_at: state === undefined ? null : toIsoString(state.startedAt),
    restarts,
    listeners: (state?.listeners ?? []).map(({ address, port, error }) => ({ address, port, error })),
    upstreams: (state?.upstreams ?? []).map((each) => ({
      upstream: each.label,
      queries: each.queries,
      failures: each.failures,
      average_ms: each.averageMs,
      healthy: each.isHealthy,
      last_error: each.lastError,
    })),
    blocking: { enabled, paused_until: isPaused ? toIsoString(pausedUntil) : null },
    blocked_names: state?.names ?? 0,
    cache_entries: state?.cacheEntries ?? 0,
    log_entries_lost: state?.logLost ?? 0,
  }
}

function unavailable(state: ResolverState | undefined): string | null {
  if (state === undefined) return 'The resolver is starting'
  const failed = state.listeners.filter(({ error }) => error !== null)
  if (state.listeners.length === 0) return 'There is no address to listen on: no interface runs'
  return failed.length === state.listeners.length ? (failed[0]?.error ?? null) : null
}
