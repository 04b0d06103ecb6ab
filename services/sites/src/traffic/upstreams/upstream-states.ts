import type { Timers } from '@hearth/runtime'
import { probeUpstream, type UpstreamProbe } from './probe-upstream.ts'

/** A server that sites are proxied to, as the sites declare it. */
export interface DeclaredUpstream {
  /** As Caddy dials it: `HOST:PORT` or `unix/PATH`. */
  readonly address: string
  readonly siteIds: readonly number[]
}

/** As Caddy's admin endpoint counts it. */
export interface UpstreamCount {
  readonly address: string
  readonly num_requests: number
  readonly fails: number
}

/** How a server stands. */
export interface UpstreamState {
  readonly address: string
  readonly siteIds: readonly number[]
  /** Null when it was not asked, because such addresses never are. */
  readonly up: boolean | null
  /** Why it is not up. */
  readonly reason: string | null
  /** Failures Caddy remembers, and requests under way; null when Caddy could not be asked or does not know it. */
  readonly fails: number | null
  readonly numRequests: number | null
  readonly latencyMs: number | null
  /** Milliseconds since the epoch. */
  readonly checkedAt: number
}

/** The states of all servers behind the sites. */
export interface UpstreamStates {
  /** Of the last fifteen seconds. */
  list(): Promise<readonly UpstreamState[]>
  /** Of the last look; undefined before the first. Never connects. */
  counts(): { readonly up: number; readonly down: number } | undefined
}

export interface UpstreamStatesParts {
  readonly declared: () => Promise<readonly DeclaredUpstream[]>
  /** What Caddy counts; may reject. */
  readonly counted: () => Promise<readonly UpstreamCount[]>
  readonly timers: Timers
}

const goodFor = 15_000
const timeoutMs = 2000
const concurrency = 16
/** More are not asked; the rest have no state. */
const mostUpstreams = 2000

/** Asks Caddy and, by an empty connection, every declared server; nothing else is ever connected to. */
export function createUpstreamStates({ declared, counted, timers }: UpstreamStatesParts): UpstreamStates {
  let known: { readonly states: readonly UpstreamState[]; readonly at: number } | undefined
  let looking: Promise<readonly UpstreamState[]> | undefined

  async function look(): Promise<readonly UpstreamState[]> {
    const upstreams = (await declared()).slice(0, mostUpstreams)
    const counts = await counted().catch(() => [])
    const byAddress = new Map(counts.map((count) => [count.address, count]))
    const states: UpstreamState[] = []
    const queue = upstreams.values()
    const drain = async () => {
      for (const upstream of queue) {
        const probe = await probeUpstream(upstream.address, timeoutMs)
        states.push(stateOf(upstream, { probe, count: byAddress.get(upstream.address), now: timers.now() }))
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, upstreams.length) }, drain))
    known = { states: states.toSorted(byName), at: timers.monotonic() }
    return known.states
  }

  return {
    async list() {
      if (known !== undefined && timers.monotonic() - known.at < goodFor) return known.states
      looking ??= look().finally(() => (looking = undefined))
      return looking
    },
    counts() {
      if (known === undefined) return undefined
      const up = known.states.filter((state) => state.up === true).length
      return { up, down: known.states.filter((state) => state.up === false).length }
    },
  }
}

const byName = (one: UpstreamState, other: UpstreamState): number => (one.address < other.address ? -1 : 1)

function stateOf(
  { address, siteIds }: DeclaredUpstream,
  { probe, count, now }: { probe: UpstreamProbe; count: UpstreamCount | undefined; now: number },
): UpstreamState {
  return {
    address,
    siteIds,
    up: probe.kind === 'refused' ? null : probe.kind === 'up',
    reason: probe.kind === 'down' ? probe.reason : null,
    fails: count?.fails ?? null,
    numRequests: count?.num_requests ?? null,
    latencyMs: probe.kind === 'up' ? probe.latencyMs : null,
    checkedAt: now,
  }
}
