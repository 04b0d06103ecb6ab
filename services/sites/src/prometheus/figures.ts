import type { MeasuredDatabase } from '@hearth/database'
import { databaseCollector, defineCollector, samplesOf, type Collector } from '@hearth/metrics'
import { notificationCollector, type Notifications } from '@hearth/notifications'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Certificates } from '../certificates/certificates.ts'
import type { Apply } from '../deploy/apply.ts'
import type { DriftWatch } from '../deploy/drift.ts'
import type { Nodes } from '../deploy/nodes/nodes.ts'
import { countSites, countStates } from '../sites/store.ts'
import type { Tables } from '../tables.ts'
import { uptimeCollector, type SiteFigures } from './uptime-collector.ts'
import type { UpstreamStates } from '../traffic/upstreams/upstream-states.ts'
import type { VpnLink } from '../vpn-link/vpn-link.ts'
import type { ApplyCounts } from './apply-counts.ts'
import { certificateCollector } from './certificate-collector.ts'
import type { RequestCounts } from './request-counts.ts'
import { vpnLinkCollector } from './vpn-link-collector.ts'

interface FigureDependencies {
  readonly database: MeasuredDatabase<Tables>
  readonly db: Kysely<Tables>
  readonly timers: Timers
  readonly log: Log
  readonly nodes: Pick<Nodes, 'list' | 'names'>
  readonly drift: Pick<DriftWatch, 'of'>
  readonly apply: Pick<Apply, 'isBusy'>
  readonly applies: ApplyCounts
  readonly requests: RequestCounts
  readonly upstreams: Pick<UpstreamStates, 'counts'>
  readonly certificates: Pick<Certificates, 'inventory' | 'history'>
  readonly notifications: Pick<Notifications, 'figures'>
  /** Returns the checked sites with their states. */
  readonly siteFigures: () => readonly SiteFigures[]
  readonly vpnLink: Pick<VpnLink, 'figures'>
}

/** The figures of the sites service. */
export function sitesCollectors(dependencies: FigureDependencies): Collector[] {
  return [
    siteCollector(dependencies),
    applyCollector(dependencies),
    caddyCollector(dependencies),
    trafficCollector(dependencies),
    upstreamCollector(dependencies),
    uptimeCollector(dependencies.siteFigures),
    vpnLinkCollector(() => dependencies.vpnLink.figures()),
    certificateCollector({ ...dependencies, ...dependencies.certificates }),
    notificationCollector('sites', dependencies.notifications),
    databaseCollector(dependencies.database),
  ]
}

function siteCollector({ db }: FigureDependencies): Collector {
  return defineCollector({
    name: 'sites',
    figures: {
      hearth_sites_sites: {
        type: 'gauge',
        help: 'Sites by state: served as wanted, not yet, refused by a Caddy server, or switched off',
      },
      hearth_sites_domains: { type: 'gauge', help: 'Domains of all sites' },
    },
    async read() {
      const [counts, { pending, failed }] = await Promise.all([countSites(db), countStates(db)])
      return {
        hearth_sites_sites: Object.entries({
          served: Math.max(0, counts.enabledSites - pending - failed),
          pending,
          refused: failed,
          disabled: counts.sites - counts.enabledSites,
        }).map(([state, count]) => [{ state }, count] as const),
        hearth_sites_domains: counts.domains,
      }
    },
  })
}

function applyCollector({ apply, applies }: FigureDependencies): Collector {
  return defineCollector({
    name: 'applies',
    figures: {
      hearth_sites_applies_total: { type: 'counter', help: 'Changes brought to a Caddy server, by outcome' },
      hearth_sites_apply_running: { type: 'gauge', help: '1 while a change is applied, or about to be' },
    },
    read: () => ({
      hearth_sites_applies_total: applies.read(),
      hearth_sites_apply_running: apply.isBusy ? 1 : 0,
    }),
  })
}

function caddyCollector({ nodes, drift }: FigureDependencies): Collector {
  return defineCollector({
    name: 'caddy',
    figures: {
      hearth_sites_caddy_up: { type: 'gauge', help: '1 for a Caddy server whose admin endpoint answered last time' },
      hearth_sites_caddy_checked_timestamp_seconds: { type: 'gauge', help: 'Time of the last contact with the server' },
      hearth_sites_caddy_drifted: {
        type: 'gauge',
        help: '1 for a Caddy server whose configuration was changed outside Hearth',
      },
    },
    async read() {
      const [known, names] = await Promise.all([nodes.list(), nodes.names()])
      // The service's own Caddy is no known server while it does not run.
      const silent = new Map(names)
      for (const { row } of known) silent.delete(row.id)
      const samples = samplesOf(known, ({ row }) => ({ node: row.name }))
      return {
        hearth_sites_caddy_up: [
          ...samples(({ isReachable }) => Number(isReachable)),
          ...Array.from(silent.values(), (node) => [{ node }, 0] as const),
        ],
        hearth_sites_caddy_checked_timestamp_seconds: samples(({ checkedAt }) => checkedAt && checkedAt / 1000),
        hearth_sites_caddy_drifted: samples(({ row }) => Number(drift.of(row.id) !== undefined)),
      }
    },
  })
}

function trafficCollector({ requests }: FigureDependencies): Collector {
  return defineCollector({
    name: 'traffic',
    figures: {
      hearth_sites_requests_total: {
        type: 'counter',
        help: 'Requests of visitors that the access log showed since the start, by class of status',
      },
      hearth_sites_response_bytes_total: { type: 'counter', help: 'Bytes of the answers to them' },
    },
    read: () => ({
      hearth_sites_requests_total: requests.byCode(),
      hearth_sites_response_bytes_total: requests.bytes(),
    }),
  })
}

function upstreamCollector({ upstreams }: FigureDependencies): Collector {
  return defineCollector({
    name: 'upstreams',
    figures: { hearth_sites_upstreams: { type: 'gauge', help: 'Upstreams of the sites by state, as last checked' } },
    async read() {
      const counts = await upstreams.counts()
      if (counts === undefined) return {}
      return { hearth_sites_upstreams: Object.entries(counts).map(([state, count]) => [{ state }, count] as const) }
    },
  })
}
