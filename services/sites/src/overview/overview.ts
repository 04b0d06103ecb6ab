import type { Clock } from '@hearth/runtime'
import type { Role } from '../accounts/schema.ts'
import type { Kysely } from 'kysely'
import type { Inventory } from '../certificates/inventory/inventory.ts'
import type { ManagedNodes } from '../deploy/nodes/managed-nodes.ts'
import { firstNode } from '../deploy/nodes/nodes.ts'
import type { Node } from '../deploy/nodes/schema.ts'
import type { SiteTables } from '../sites/tables.ts'
import { allDomainOwners } from '../sites/domain-store.ts'
import { countSites, countStates } from '../sites/store.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { UpstreamStates } from '../traffic/upstreams/upstream-states.ts'
import type { CaddyRunning, DashboardMetrics } from './schema.ts'

/** Figures of the dashboard, from known data; upstreams are checked when sites have changed. */
export type Overview = ReturnType<typeof createOverview>

export interface OverviewDependencies {
  readonly db: Kysely<SiteTables>
  readonly clock: Clock
  readonly nodes: ManagedNodes
  readonly traffic: Traffic
  readonly inventory: Inventory
  readonly upstreams: UpstreamStates
  readonly isDrifted: () => boolean
}

/** Creates the overview. Errors of nodes, which may hold internal addresses, are shown to administrators only. */
export function createOverview(dependencies: OverviewDependencies) {
  /** Time since which the first node has been running without interruption, milliseconds. */
  let runningSince: number | undefined

  function running(node: Node | undefined): CaddyRunning {
    const isRunning = node?.reachable === true
    const now = dependencies.clock.now()
    runningSince = isRunning ? (runningSince ?? now) : undefined
    return {
      running: isRunning,
      status: isRunning ? 'Running' : 'Unknown',
      uptime: runningSince === undefined ? 'Unavailable' : `seen for ${lengthOf(now - runningSince)}`,
      version: node?.version ?? null,
    }
  }

  return {
    caddy: async () => running(await dependencies.nodes.get(firstNode).catch(() => undefined)),
    async metrics(role: Role): Promise<DashboardMetrics> {
      const nodes = await dependencies.nodes.list()
      const caddy = running(nodes.find(({ id }) => id === firstNode))
      return {
        ...(await siteCounts(dependencies)),
        ...certificateCounts(dependencies.inventory),
        ...(await trafficFigures(dependencies)),
        drifted: dependencies.isDrifted(),
        caddy_service_status: caddy.status,
        caddy_service_uptime: caddy.uptime,
        caddy_version: caddy.version,
        ...(await upstreamCounts(dependencies)),
        nodes: nodes.map(({ id, name, state, version, error }) => ({
          id,
          name,
          state,
          version,
          // It may name addresses of the house.
          error: role === 'admin' ? error : null,
        })),
        log_followed: nodes.some(({ log_file: file }) => file !== null),
      }
    },
  }
}

async function siteCounts({ db }: OverviewDependencies) {
  const [counts, states] = await Promise.all([countSites(db), countStates(db)])
  return {
    domain_count: counts.domains,
    enabled_domain_count: counts.enabledDomains,
    site_count: counts.sites,
    enabled_site_count: counts.enabledSites,
    pending_site_count: states.pending,
    failed_site_count: states.failed,
  }
}

async function upstreamCounts({ upstreams }: OverviewDependencies) {
  const counts = await upstreams.counts()
  return { upstreams_up: counts?.up ?? null, upstreams_down: counts?.down ?? null }
}

function certificateCounts(inventory: Inventory) {
  const counts = inventory.counts()
  return {
    valid_certificate_count: counts?.valid ?? null,
    expired_certificate_count: counts?.expired ?? null,
    expiring_soon_certificate_count: counts?.expiringSoon ?? null,
  }
}

async function trafficFigures({ db, traffic }: OverviewDependencies) {
  const { totals, requests_per_second, sites } = await traffic.overview('24h')
  const names = new Map((await allDomainOwners(db)).map(({ id, site_name: name }) => [id, name]))
  return {
    requests_total: totals.requests,
    requests_per_second,
    status_classes: totals.status,
    p50_ms: totals.p50_ms,
    p95_ms: totals.p95_ms,
    top_sites: sites.flatMap(({ site_id, totals: { requests } }) => {
      const name = names.get(site_id)
      return name === undefined ? [] : [{ site_id, site_name: name, requests }]
    }),
  }
}

function lengthOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}
