import { join } from 'node:path'
import { createSealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { createGuardedFetch, createOutboundPolicy } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { Accounts } from './accounts/accounts.ts'
import { openCertificates, type Certificates, type CertificatesParts } from './certificates/certificates.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import type { Events } from './events/events.ts'
import type { Publish } from './events/schema.ts'
import type { CaddyProcess } from './nodes/caddy-process.ts'
import { createObservedSites, type ObservedSites } from './observed-sites.ts'
import { findNodeRow } from './nodes/store.ts'
import type { Proxy } from './proxy.ts'
import type { SettingsKeeper } from './settings/settings.ts'
import { createHostIndex } from './traffic/host-index.ts'
import { createLiveTail } from './traffic/live-tail.ts'
import type { TrafficFeature } from './traffic/routes.ts'
import { liveView } from './traffic/traffic-view.ts'
import { Traffic } from './traffic/traffic.ts'
import { UpstreamStates } from './traffic/upstreams/upstream-states.ts'

/** What looking at the sites is built from. */
export interface ObservingParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: Database<Tables>
  readonly secret: Uint8Array
  readonly settings: SettingsKeeper
  readonly accounts: Accounts
  readonly events: Events
  readonly own: CaddyProcess | undefined
}

/** Certificates, grades and traffic: what is seen of the sites. */
export interface Observing {
  readonly certificates: Certificates
  readonly traffic: TrafficFeature
  /** Tells everyone, and takes note of what was applied. */
  readonly publish: Publish
  /** The servers are open: follows the log and begins to grade. */
  start(proxy: Pick<Proxy, 'nodes' | 'sync'>): Promise<void>
  close(): Promise<void>
}

/** Opens what is known of certificates and traffic; nobody is connected to yet. */
export async function openObserving(parts: ObservingParts): Promise<Observing> {
  const opened: Opened = { proxy: undefined }
  const sites: ObservedSites = createObservedSites({
    db: parts.database.query,
    nodes: () => opened.proxy?.nodes,
    optedIn: () => certificates.optIns.list(),
  })
  const certificates: Certificates = await openCertificates(certificatesParts(parts, sites, opened))
  const traffic = openTraffic(parts, sites, opened)
  return {
    certificates,
    traffic: traffic.feature,
    publish(event) {
      // Before pages hear of it, and ask what was checked.
      if (event.type === 'apply') traffic.feature.upstreams.outdate()
      parts.events.publish(event)
      if (event.type !== 'apply') return
      certificates.inventory.outdate()
      void traffic.learnHosts()
    },
    async start(proxy) {
      opened.proxy = proxy
      await certificates.start()
      await traffic.learnHosts()
      traffic.feature.upstreams.start()
      await traffic.feature.traffic.start((await findNodeRow(parts.database.query, 1))?.log_file ?? undefined)
    },
    async close() {
      await certificates.close()
      traffic.feature.live.close()
      await traffic.feature.upstreams.close()
      await traffic.feature.traffic.close()
    },
  }
}

/** The servers are opened later, because their configurations hold certificates. */
interface Opened {
  proxy: Pick<Proxy, 'nodes' | 'sync'> | undefined
}

const certificatesParts = (parts: ObservingParts, sites: ObservedSites, opened: Opened): CertificatesParts => ({
  db: parts.database.query,
  sealer: createSealer(parts.secret),
  timers: parts.timers,
  log: parts.log,
  sites,
  settings: parts.settings,
  publish: parts.events.publish,
  fetch: createGuardedFetch(createOutboundPolicy(parts.config.outboundAllow)),
  sslLabsUrl: parts.config.sslLabsUrl,
  folder: parts.own === undefined ? undefined : join(parts.config.dataDirectory, 'certificates'),
  onReplaced: (id, siteIds) =>
    void opened.proxy?.sync.later({ siteIds: [...siteIds], cause: `certificate.replaced ${id}`, author: 'system' }),
})

function openTraffic({ database, timers, log, accounts }: ObservingParts, sites: ObservedSites, opened: Opened) {
  let index = createHostIndex([])
  const live = createLiveTail(timers, liveView)
  const feature: TrafficFeature = {
    traffic: new Traffic({
      db: database.query,
      timers,
      log,
      siteOf: (host) => index.siteOf(host),
      onRequest: (line, siteId) => live.publish(line, siteId),
    }),
    live,
    upstreams: new UpstreamStates({
      declared: () => sites.upstreams(),
      counted: async () => (await opened.proxy?.nodes.get(1))?.client.upstreams() ?? [],
      timers,
      log,
    }),
    hasSite: (id) => sites.hasSite(id),
    roleNow: async (key) => (await accounts.sessions.look(key))?.role,
  }
  return {
    feature,
    async learnHosts() {
      // When the database cannot be read, what was known is good enough.
      index = await sites.owners().then(createHostIndex, () => index)
    },
  }
}
