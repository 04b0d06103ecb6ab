import { toIsoString } from '@hearth/runtime'
import type { LiveRequest as Live } from './live-tail.ts'
import type * as wire from './schema.ts'
import { trafficRanges, type TrafficNumbers, type TrafficPoint, type TrafficRange } from './traffic-report.ts'
import type { SiteTraffic, TrafficOverview } from './traffic.ts'
import type { UpstreamState } from './upstreams/upstream-states.ts'

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

function numbersView({ requests, bytes, status, p50, p95 }: TrafficNumbers): wire.TrafficNumbers {
  const [one, two, three, four, five] = status
  const classes = { '1xx': one, '2xx': two, '3xx': three, '4xx': four, '5xx': five }
  return { requests, bytes, status: classes, p50_ms: p50, p95_ms: p95 }
}

const spanView = (range: TrafficRange, totals: TrafficNumbers, points: readonly TrafficPoint[]) => ({
  range,
  step_seconds: trafficRanges[range].step,
  totals: numbersView(totals),
  points: points.map((point) => ({ at: isoTime(point.at), ...numbersView(point) })),
})

/** As the wire has it. */
export const overviewView = (overview: TrafficOverview): wire.TrafficOverview => ({
  ...spanView(overview.range, overview.totals, overview.points),
  requests_per_second: overview.requestsPerSecond,
  sites: overview.sites.map(({ siteId, totals, lastSeen }) => ({
    site_id: siteId,
    last_seen: toIsoString(lastSeen),
    totals: numbersView(totals),
  })),
  elsewhere: numbersView(overview.elsewhere),
})

/** As the wire has it. */
export const siteTrafficView = (traffic: SiteTraffic): wire.SiteTraffic => ({
  site_id: traffic.siteId,
  ...spanView(traffic.range, traffic.totals, traffic.points),
  last_seen: toIsoString(traffic.lastSeen),
  top_paths: [...traffic.topPaths],
  top_clients: [...traffic.topClients],
  listed_since: isoTime(traffic.listedSince),
})

/** As the wire has it. */
export const lastSeenView = (seen: ReadonlyMap<number, number>): wire.LastSeen => ({
  sites: [...seen].map(([site_id, at]) => ({ site_id, last_seen: isoTime(at) })),
})

/** As the wire has it. */
export function liveView({ request, skipped }: Live): wire.LiveRequest {
  if (request === null) return { request, skipped }
  const { at, siteId, durationMs, ...rest } = request
  return { request: { at: isoTime(at), site_id: siteId, duration_ms: durationMs, ...rest }, skipped }
}

/** As the wire has it. */
export const upstreamView = (state: UpstreamState): wire.UpstreamState => ({
  address: state.address,
  site_ids: [...state.siteIds],
  up: state.up,
  reason: state.reason,
  fails: state.fails,
  num_requests: state.numRequests,
  latency_ms: state.latencyMs,
  checked_at: isoTime(state.checkedAt),
})
