import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { createAttempts, type SetUpToken } from '@hearth/accounts'
import { OpenId } from '@hearth/accounts/openid'
import { createSealer, type Sealer } from '@hearth/credentials'
import type { MeasuredDatabase } from '@hearth/database'
import { createAddressSet, createServer } from '@hearth/http'
import { backupCollector, createScrapeCheck, Metrics } from '@hearth/metrics'
import { createGuardedFetch, createOutboundPolicy } from '@hearth/outbound'
import { Notifications } from '@hearth/notifications'
import type { Clock, Log, Timers } from '@hearth/runtime'
import type { BackupControl } from '@hearth/service'
import type { Kysely } from 'kysely'
import { createNeighbours } from '@hearth/service'
import { aboutFor, version } from './about.ts'
import { createGuard, type Caller } from './access.ts'
import { createAccounts } from './accounts/accounts.ts'
import { openIdPath } from './accounts/openid.ts'
import { createSessionCookies } from './accounts/session-cookie.ts'
import { createAcme, type Acme } from './acme/acme.ts'
import { type ExternalAccounts, openExternalAccounts } from './acme/external-accounts/external-accounts.ts'
import { orderedCertificates } from './acme/store.ts'
import { createCertificates, type Certificates } from './certificates/certificates.ts'
import { listSiteHosts, sitesUsingCertificate, type NodeEndpoint } from './certificates/site-host.ts'
import { createOptIns } from './certificates/ssl-labs/scans.ts'
import type { UploadedMaterial } from './certificates/uploads/uploaded-material.ts'
import { openUploads, type Uploads } from './certificates/uploads/uploads.ts'
import type { Config } from './config.ts'
import { createApplyNode } from './deploy/apply-node.ts'
import { Apply, type ApplyResult } from './deploy/apply.ts'
import { createReadiness, readCaddyStatus } from './deploy/caddy-status.ts'
import { createReadDesiredState, desiredSites } from './deploy/desired-sites.ts'
import { createDriftActions, DriftWatch } from './deploy/drift.ts'
import { createExplain, createPreviewSite } from './deploy/preview.ts'
import { servedSites } from './deploy/node-run.ts'
import type { CaddyProcess } from './deploy/nodes/caddy-process.ts'
import { createExpectedConfigs } from './deploy/nodes/expected-config.ts'
import { settleFirstNode } from './deploy/nodes/first-node.ts'
import { ManagedNodes } from './deploy/nodes/managed-nodes.ts'
import { firstNode, type KnownNode, Nodes, reachHost } from './deploy/nodes/nodes.ts'
import { createOwnVersion } from './deploy/nodes/own-caddy.ts'
import { findNodeRow } from './deploy/nodes/store.ts'
import { onDemandAskUrl } from './deploy/on-demand-routes.ts'
import { PreparedConfigs } from './deploy/prepared-configs.ts'
import { createPendingWatch } from './deploy/pending-watch.ts'
import { createReturnToRevision, createRevisionDiff, createRevisions } from './deploy/revisions.ts'
import { eventClasses } from './notifications/event-classes.ts'
import { createSiteReports, type SiteReports } from './notifications/site-reports.ts'
import { createReadRuleContext } from './deploy/read-rule-context.ts'
import { appliedEvent, createSyncAll, createSyncSites } from './deploy/sync-sites.ts'
import { createEvents, type Events } from './events/events.ts'
import type { NewEvent, Publish } from './events/schema.ts'
import { createAdoptDrift } from './import/adopt-drift.ts'
import { createImportTarget } from './import/import-target.ts'
import { Imports } from './import/imports.ts'
import { CaddyOnboarding } from './import/caddy-onboarding.ts'
import { ownReadOptions, readNode } from './import/read-node.ts'
import { ServiceConnections } from './openid-provider/connect/service-connections.ts'
import { OpenIdProvider } from './openid-provider/openid-provider.ts'
import { createOverview } from './overview/overview.ts'
import { SitePasskeys } from './passkeys/passkeys.ts'
import { withPages } from './portal/applications.ts'
import { Portal } from './portal/portal.ts'
import { portalObstacle, portalSockets } from './portal/portal-server.ts'
import { PortalState } from './portal/portal-state.ts'
import { Problem, toError } from './problems.ts'
import { createRouteLimits } from './route-limits.ts'
import { documentWithoutTokens, openapiDocument } from './openapi.ts'
import { allRoutes, type Features } from './routes.ts'
import { openSettings, type SettingsStore } from './settings/settings.ts'
import { createEditMany } from './sites/bulk-edit.ts'
import { createCheckWanted, createSettleWanted, readOnce } from './sites/check-wanted.ts'
import { hashPassword } from './sites/site-change.ts'
import { Sites } from './sites/sites.ts'
import { allDomainOwners, hasOnDemandSite } from './sites/domain-store.ts'
import { allSiteRows, countPending, findSiteRow, namePending, sitesOfStatusPage } from './sites/store.ts'
import { unsynced, type SyncSites } from './sites/sync.ts'
import { createApplyCounts } from './prometheus/apply-counts.ts'
import { sitesCollectors } from './prometheus/figures.ts'
import { createRequestCounts, type RequestCounts } from './prometheus/request-counts.ts'
import type { Tables } from './tables.ts'
import { createTokens } from './tokens/tokens.ts'
import { createHostIndex } from './sites/domains.ts'
import { createLiveTail } from './traffic/live-tail.ts'
import { Traffic } from './traffic/traffic.ts'
import { createCheckUpstreams } from './traffic/upstreams/check-upstreams.ts'
import { declaredUpstreams, UpstreamStates } from './traffic/upstreams/upstream-states.ts'
import { MaintenanceWindows } from './uptime/maintenance/maintenance-windows.ts'
import { createStatusListener } from './uptime/status-page/status-listener.ts'
import { StatusPages } from './uptime/status-page/status-pages.ts'
import { publicSlugs } from './uptime/status-page/store.ts'
import { createUptimeViews } from './uptime/uptime-views.ts'
import { createReadWatchedSites } from './uptime/read-watched-sites.ts'
import type { WatchedServer } from './uptime/site-targets.ts'
import { siteFigures } from './uptime/site-figures.ts'
import { Uptime } from './uptime/uptime.ts'
import { runningSites } from './deploy/store.ts'
import { openVpnLink, type VpnLink } from './vpn-link/vpn-link.ts'

/** Dependencies of the service. */
export interface AppDependencies {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: MeasuredDatabase<Tables>
  /** The service's key, 32 bytes. */
  readonly secret: Uint8Array
  readonly setUpToken: SetUpToken
  /** Folder of the built web pages. */
  readonly pages: string
  /** The service's own Caddy; undefined when it runs none. */
  readonly own: CaddyProcess | undefined
  readonly backups: BackupControl
}

/** Dependencies that every part may use. */
interface Context extends AppDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly sealer: Sealer
  readonly settings: SettingsStore
  readonly events: Events
  readonly publish: Publish
  readonly notifications: Notifications
  readonly siteReports: SiteReports
  readonly portalState: PortalState
  /** Returns the port the service listens on. */
  readonly port: () => number
}

/** The running service. */
export interface App {
  readonly http: Awaited<ReturnType<typeof createServer>>
  readonly settings: SettingsStore
  readonly events: Events
  readonly deploy: Deploy
  readonly metrics: Metrics
  readonly notifications: Notifications
  /** Stops answering. The database stays open. */
  close(): Promise<void>
}

/** Wires the whole service together. The server does not listen yet. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { config, timers } = dependencies
  let port = () => config.bindPort
  const context = await openContext(dependencies, () => port())
  const { db, events } = context
  const access = createAccess(context)
  const uploads = await openUploads({
    ...context,
    sitesUsing: (id) => sitesUsingCertificate(db, id),
    ordered: () => orderedCertificates(db),
    folder: context.own === undefined ? undefined : join(config.dataDirectory, 'certificates'),
    onReplaced: (id, siteIds) => void deploy.sync.later(bySystem(`certificate.replaced ${id}`, siteIds)),
  })
  const externalAccounts = await openExternalAccounts({
    ...context,
    onChanged(directory) {
      acme.orders.retryAccounts(directory).catch((error: unknown) => {
        context.log.error({ err: error }, 'orders could not be tried again')
      })
      void deploy.sync.later(bySystem('external_account.updated'))
    },
  })
  const acme: Acme = createAcme({
    ...context,
    uploads,
    externalAccounts,
    allow: context.config.outboundAllow,
    resolvers: context.config.dnsResolvers,
    whyNotServed: (id) => whyNotServed(id, { db, sync: deploy.sync }),
    onOrder: (order) => context.siteReports.order(order),
  })
  const vpnLink = await openVpnLink({
    ...context,
    allow: config.outboundAllow,
    configured: (config.hearthServices ?? []).flatMap(({ name, checked }) => (name === 'vpn' ? [checked] : [])),
    async caddy() {
      const node = await deploy.nodes.get(firstNode)
      return node && { ...node.place, bind: node.place.bind ?? [] }
    },
    onNetworks: () => void deploy.sync.later(bySystem('networks.updated')),
    onHealth: (health) => context.siteReports.vpn(health),
  })
  const applies = createApplyCounts()
  const onResult: OnResult = (result, durationMs) => applies.add(result, durationMs)
  const deploy = await openDeploy({ ...context, onResult, vpnLink, externalAccounts }, uploads.material, (event) => {
    // Before pages get the event, and read the states.
    traffic.feature.upstreams.outdate()
    uptime.checks.outdate()
    vpnLink.poke()
    events.publish(event)
    certificates.inventory.outdate()
    void traffic.learnHosts()
  })
  const certificates = openCertificates(context, deploy)
  const requests = createRequestCounts()
  const uptime = createUptime(context, deploy)
  const statusPages = createStatusListener(uptime.feature.pages, context.log)
  const groupNames = async () => (await portal.groups.list()).map(({ name }) => name)
  const { securityLog } = access.accounts
  const openIdProvider = new OpenIdProvider({
    ...context,
    state: context.portalState,
    securityLog,
    groups: groupNames,
    endSession: (id) => portal.endSession(id),
    allow: config.outboundAllow,
  })
  const serviceConnections = new ServiceConnections({
    ...context,
    clock: context.timers,
    clients: openIdProvider.clients,
    securityLog,
    groups: groupNames,
  })
  const portal: Portal = new Portal({
    ...context,
    ...access,
    state: context.portalState,
    applications: withPages(openIdProvider, serviceConnections),
    statusPages,
    reach: () => vpnLink.networks(),
  })
  /** Checks learn of an edit even when no Caddy takes it. */
  const publishEdit: Publish = (event) => {
    context.publish(event)
    uptime.checks.outdate()
    vpnLink.poke()
  }
  const traffic = createTraffic({ ...context, requests, uptime: uptime.checks }, deploy, access)
  const sites = createSites({ ...context, portal, publish: publishEdit }, deploy, uploads)
  const nodes = new ManagedNodes({
    ...context,
    ...deploy,
    logDirectories: config.logDirectories,
    countPending: (nodeId) => countPending(db, nodeId),
    ownVersion: createOwnVersion(context.own && (config.caddy.path ?? 'caddy')),
  })
  const metrics = new Metrics({
    service: 'sites',
    version,
    log: context.log,
    histograms: [applies.durations],
    collectors: [
      ...sitesCollectors({
        ...context,
        ...deploy,
        ...traffic.feature,
        applies,
        requests,
        certificates,
        siteFigures: () => siteFigures(uptime.checks),
        vpnLink,
      }),
      backupCollector(context.backups),
    ],
  })
  const isSetUp = () => access.accounts.users.isSetUp()
  const http = await createHttp(context, access, {
    ...sites.features,
    now: () => timers.now(),
    metrics,
    general: {
      readiness: createReadiness(deploy, isSetUp),
      build: config.build,
      document: config.hasApiTokens ? openapiDocument : documentWithoutTokens,
      neighbours: createNeighbours({ service: 'sites', configured: config.hearthServices, clock: timers }),
      portalAddress: () => openIdProvider.issuer(),
    },
    ...accountFeatures(context, access),
    ...context,
    nodes,
    portal,
    openIdProvider,
    certificates,
    uploads,
    acme: { ...acme, externalAccounts },
    vpnLink,
    traffic: traffic.feature,
    uptime: uptime.feature,
    overview: createOverview({
      ...context,
      ...traffic.feature,
      nodes,
      inventory: certificates.inventory,
      isDrifted: () => deploy.drift.current().length > 0,
    }),
    mayHaveCertificate: (domain) => hasOnDemandSite(db, domain),
  })
  // The system may have chosen another port than the settings say.
  port = () => (http.server.address() as AddressInfo | null)?.port ?? config.bindPort
  await portal.start()
  await openIdProvider.start()
  await start(context, deploy, { ...sites, certificates, traffic, acme, uptime, vpnLink })
  return {
    http,
    settings: context.settings,
    events,
    deploy,
    metrics,
    notifications: context.notifications,
    async close() {
      events.close()
      access.tokens?.close()
      await http.close()
      await portal.close()
      await openIdProvider.close()
      await acme.orders.close()
      await vpnLink.close()
      await certificates.close()
      await traffic.close()
      uptime.close()
      await uptime.checks.close()
      sites.pending.close()
      await deploy.close()
      await context.notifications.close()
    },
  }
}

/** Opens the settings, the event stream and the notifications, which every part uses. */
async function openContext(dependencies: AppDependencies, port: () => number): Promise<Context> {
  const { config, database, timers, secret } = dependencies
  const sealer = createSealer(secret)
  const events = createEvents(timers)
  const settings = await openSettings(database.query)
  settings.onChange((after, before) => {
    const names = Object.keys(after) as (keyof typeof after)[]
    const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    events.publish({ type: 'settings', action: 'updated', id: null, details: { changed } })
  })
  const notifications = new Notifications(database, {
    ...dependencies,
    sealer,
    allow: config.outboundAllow,
    service: 'Sites',
    publicUrl: config.publicUrl,
    classes: eventClasses,
  })
  const siteReports = createSiteReports({
    reports: notifications.reports,
    now: () => timers.now(),
  })
  return {
    ...dependencies,
    db: database.query,
    clock: timers,
    sealer,
    notifications,
    siteReports,
    portalState: new PortalState({ db: database.query, timers, log: dependencies.log }),
    settings,
    events,
    publish(event) {
      events.publish(event)
      siteReports.event(event)
    },
    port,
  }
}

type Access = ReturnType<typeof createAccess>

/** Creates users, sessions, request limits, and the guard of every request. */
function createAccess(context: Context) {
  const { config, db, clock, events, port } = context
  const attempts = createAttempts(db, clock)
  const limits = createRouteLimits({ attempts, clock })
  const accounts = createAccounts({
    ...context,
    relyingPartyId: config.relyingParty.id,
    attempts,
    retention: config.securityLog,
    hasApiTokens: config.hasApiTokens,
    onSessionEnded: (key) => events.endConnection(key),
    onAccessChanged: (userId) => events.endUser(userId),
    onChanged: () => context.portalState.refresh(),
  })
  const tokens = config.hasApiTokens
    ? createTokens({ db, timers: context.timers, onRevoked: (key) => events.endConnection(key) })
    : undefined
  const guard = createGuard({
    limits,
    identify: (key) => accounts.sessions.identify(key),
    tokens,
    visitors: accounts.visitors,
    isSetUp: () => accounts.users.isSetUp(),
    // A browser on this machine may call the service by its name or its address.
    origins: () => [...config.origins, ...config.relyingParty.origins(port())],
    publicUrl: config.publicUrl,
    now: () => clock.now(),
    checkScrape: createScrapeCheck(config.metrics, clock),
    onLimited({ client }, { limit }) {
      if (!limit.startsWith('lasting')) return
      void accounts.securityLog.failed({ from: client, reason: 'rate_limited', status: 429 })
    },
  })
  /** Returns the role a caller has by now; undefined when the session or the token is over. */
  async function roleNow(caller: Caller) {
    if ('tokenId' in caller) return tokens?.roleNow(caller.tokenId)
    return (await accounts.sessions.peek(caller.key))?.role
  }
  return { accounts, attempts, tokens, roleNow, limits, guard }
}

/** Creates the sign-in methods. */
function accountFeatures(context: Context, { accounts, tokens, roleNow, limits }: Access) {
  const { config, events } = context
  const refund: Features['signIn']['refund'] = (spec, address) => limits.refund(spec, address)
  const cookies = createSessionCookies(config.publicUrl)
  const openId =
    config.openId && new OpenId(config.openId, { ...context, path: openIdPath, allow: config.outboundAllow })
  return {
    accounts,
    tokens,
    roleNow,
    signIn: { cookies, refund },
    openIdSignIn: {
      ...context,
      openId,
      accounts,
      cookies,
      publicUrl: config.publicUrl,
      onAccessChanged: (userId: string) => events.endUser(userId),
    },
    passkeys: new SitePasskeys({ ...context, ...accounts, relyingParty: config.relyingParty }),
  }
}

/** The Caddy servers, and applying the sites to them. */
export type Deploy = Awaited<ReturnType<typeof openDeploy>>

/** Called with the result of every change that was tried. */
type OnResult = (result: ApplyResult, durationMs: number) => void

/** Applies the sites that use a stored certificate; resolves to why a Caddy does not serve it, or undefined. */
async function whyNotServed(id: number, { db, sync }: { db: Kysely<Tables>; sync: SyncSites }) {
  const siteIds = await sitesUsingCertificate(db, id)
  if (siteIds.length === 0) return undefined
  try {
    return (await sync.now(bySystem(`certificate.replaced ${id}`, siteIds))).error
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.body.code === 'onboarding_required' ? undefined : error.message
  }
}

/** A change that the service makes by itself. */
const bySystem = (cause: string, siteIds: readonly number[] = []) => ({ siteIds, cause, author: 'system' })

/** Opens the Caddy servers and what applies the sites; nothing is changed yet. */
async function openDeploy(
  context: Context & {
    onResult: OnResult
    vpnLink: Pick<VpnLink, 'networks'>
    externalAccounts: Pick<ExternalAccounts, 'all'>
  },
  material: UploadedMaterial,
  onApplied: (event: NewEvent) => void,
) {
  const { config, database, db, timers, log, own, settings } = context
  await settleFirstNode(db, { caddy: config.caddy, own, now: timers.now() })
  const nodes = openNodes(context, {
    // Another version has other capabilities, and may accept sites that the previous one refused.
    onReplaced: (name) => void sync.later({ ...bySystem(`node.replaced ${name}`), isRetrying: true }),
  })
  const configs = createExpectedConfigs(db, context.sealer)
  const desiredState = createReadDesiredState({
    settings: () => settings.current(),
    material,
    reach: () => context.vpnLink.networks(),
    externalAccounts: () => context.externalAccounts.all(),
    onDemandAsk: () => onDemandAskUrl(config.bindAddress, context.port()),
  })
  const prepared = new PreparedConfigs()
  const apply = new Apply({
    prepared,
    database,
    timers,
    log,
    async nodes() {
      const isProbing = () => settings.current().site_probe
      const onboarded = (await nodes.list()).filter(({ row }) => row.onboarded_at !== null)
      return onboarded.map((node) => createApplyNode(node, { desiredState, configs, prepared, nodes, isProbing }))
    },
    onApplied(result, changes, durationMs) {
      context.onResult(result, durationMs)
      const event = appliedEvent(result, changes)
      if (event !== undefined) onApplied(event)
    },
  })
  const sync = refreshBefore(createSyncSites(apply, log), context.portalState)
  const later = (cause: string) => void sync.later(bySystem(cause))
  const drift = createDrift(context, { nodes, configs, apply, later })
  // Settings are part of the configuration.
  const unsubscribe = settings.onChange(() => later('settings.updated'))
  const desired = async () => desiredSites(await allSiteRows(db))
  return {
    nodes,
    apply,
    sync,
    revisions: createRevisions(database),
    drift,
    /** Returns the sites as they are wanted. */
    desired,
    /** Returns the sites as the first server serves them. */
    served: async () => servedSites(db, firstNode, await desired()),
    desiredState,
    async close() {
      unsubscribe()
      await drift.close()
      await apply.close()
    },
  }
}

function openNodes(context: Context, { onReplaced }: { onReplaced: (name: string) => void }): Nodes {
  const { config } = context
  return new Nodes({
    ...context,
    portal: portalObstacle(config) === undefined ? portalSockets(config.dataDirectory) : undefined,
    onReachable: ({ id, name }, isReachable) =>
      context.publish({
        type: 'node',
        action: isReachable ? 'reachable' : 'unreachable',
        id: String(id),
        details: { name },
      }),
    onReplaced({ name, onboarded_at: onboardedAt }) {
      if (onboardedAt !== null) onReplaced(name)
    },
  })
}

function createDrift(
  context: Context,
  deploy: Pick<Deploy, 'nodes' | 'apply'> & {
    configs: ReturnType<typeof createExpectedConfigs>
    later: (cause: string) => void
  },
): DriftWatch {
  const { apply, later } = deploy
  const publish = (action: 'found' | 'settled', id: number, node: string) =>
    context.publish({ type: 'drift', action, id: String(id), details: { node } })
  return new DriftWatch({
    ...context,
    ...deploy,
    isApplying: () => apply.isBusy,
    isBehind: (nodeId) => apply.isBehind(nodeId),
    onRestarted: ({ row }) => later(`node.restarted ${row.name}`),
    onBehind: ({ row }) => later(`node.returned ${row.name}`),
    onDrift: ({ nodeId, nodeName }) => publish('found', nodeId, nodeName),
    onSettled: ({ row }) => publish('settled', row.id, row.name),
  })
}

/** Creates the checks and grades of certificates. */
function openCertificates(context: Context, { nodes }: Deploy): Certificates {
  const { config, db, siteReports } = context
  const optIns = createOptIns(db)
  return createCertificates({
    ...context,
    hosts: {
      list: async () => listSiteHosts(db, await optIns.list()),
      async endpoint(): Promise<NodeEndpoint | undefined> {
        const node = await nodes.get(firstNode)
        if (node === undefined) return undefined
        return { address: reachHost(node), httpPort: node.row.http_port, httpsPort: node.row.https_port }
      },
    },
    optIns,
    hasSite: async (id) => (await findSiteRow(db, id)) !== undefined,
    fetch: createGuardedFetch(createOutboundPolicy(config.outboundAllow)),
    sslLabsUrl: config.sslLabsUrl,
    onChecked: (all) => siteReports.certificates(all),
    onFallen: (grade) => siteReports.fallenGrade(grade),
  })
}

/** Returns the Caddy servers whose sites are checked: further ones only when this service reaches their ports. */
async function watchedServers(nodes: Nodes, hasPorts: boolean): Promise<WatchedServer[]> {
  const known = await nodes.list()
  const others = hasPorts ? known.filter(({ row }) => row.id !== firstNode) : []
  const endpointOf = (node: KnownNode, isOne: boolean) => ({
    address: reachHost(node),
    httpPort: node.row.http_port,
    httpsPort: node.row.https_port,
    ...(!isOne && { name: node.row.name }),
  })
  const first = known.find(({ row }) => row.id === firstNode)
  const name = first?.row.name ?? (await nodes.names()).get(firstNode) ?? 'caddy'
  return [
    { id: firstNode, name, endpoint: first && endpointOf(first, others.length === 0) },
    ...others.map((node) => ({ id: node.row.id, name: node.row.name, endpoint: endpointOf(node, false) })),
  ]
}

/** Creates the checks of sites and upstreams, and the maintenance windows. */
function createUptime(context: Context, { nodes }: Deploy) {
  const { db, timers, settings, publish, siteReports } = context
  const readSites = createReadWatchedSites(db)
  const windows = new MaintenanceWindows({
    db,
    clock: timers,
    onChanged: () => publish({ type: 'uptime', action: 'maintenance', id: null }),
  })
  const checks = new Uptime({
    ...context,
    windows,
    async watched() {
      const running = await runningSites(db)
      const servers = await watchedServers(nodes, settings.current().site_probe)
      return {
        sites: await readSites((id) => servers.filter((server) => running.get(server.id)?.has(id))),
        hasOwnAuthority: settings.current().acme_ca !== '',
      }
    },
    onReport: (states) => siteReports.sites(states),
  })
  const sitesShowing = (slug: string) => sitesOfStatusPage(db, slug)
  const shown = { db, clock: timers, uptime: checks, windows, sitesShowing }
  return {
    checks,
    feature: { views: createUptimeViews(shown), windows, pages: new StatusPages(shown) },
    close: settings.onChange(() => checks.outdate()),
  }
}

/** Creates the counts of the access log, its live tail, and the states of upstreams. */
function createTraffic(
  { db, timers, log, requests, uptime }: Context & { requests: RequestCounts; uptime: Uptime },
  { nodes }: Deploy,
  { roleNow }: Access,
) {
  let index = createHostIndex([])
  const live = createLiveTail(timers)
  const traffic = new Traffic({
    db,
    timers,
    log,
    siteOf: (host) => index.siteOf(host),
    onRequest(line, siteId) {
      requests.add(line)
      live.publish(line, siteId)
    },
  })
  const upstreams = new UpstreamStates({
    declared: () => declaredUpstreams(db),
    counted: async () => (await nodes.get(firstNode))?.client.upstreams() ?? [],
    timers,
    log,
    onChecked: (states) => Promise.resolve(uptime.observeUpstreams(states)),
  })
  const feature: Features['traffic'] = {
    traffic,
    live,
    upstreams,
    hasSite: async (id) => (await findSiteRow(db, id)) !== undefined,
    roleNow,
  }
  return {
    feature,
    /** Reads anew which site a host belongs to; lines of the log may be those of disabled sites too. */
    async learnHosts() {
      const read = async () =>
        (await allDomainOwners(db)).flatMap(({ id, domains }) => domains.map((host) => [host, id] as const))
      // When the database cannot be read, the last index is used.
      index = await read().then(createHostIndex, () => index)
    },
    async close() {
      live.close()
      await upstreams.close()
      await traffic.close()
    },
  }
}

/** Lets the portal learn of an edit before Caddy does. */
function refreshBefore(sync: SyncSites, state: PortalState): SyncSites {
  return {
    async now(change) {
      await state.refresh()
      return sync.now(change)
    },
    async many(change) {
      await state.refresh()
      return sync.many(change)
    },
    async onNode(nodeId, change) {
      await state.refresh()
      return sync.onNode(nodeId, change)
    },
    later(change) {
      void state.refresh()
      return sync.later(change)
    },
  }
}

/** Creates the rules about sites, and everything that edits sites. */
function createSites(context: Context & { portal: Portal }, deploy: Deploy, uploads: Uploads) {
  const { database, db, clock, timers, log, settings, config } = context
  const { nodes, sync, apply, revisions, drift } = deploy
  const portal = {
    sockets: portalSockets(config.dataDirectory),
    obstacle: portalObstacle(config),
    groups: async () => (await context.portal.groups.list()).map(({ name }) => name),
  }
  const statusPages = () => publicSlugs(db)
  const readRuleContext = createReadRuleContext({ ...context, nodes, material: uploads.material, portal, statusPages })
  const adapter = async () => (await nodes.get(firstNode))?.client.adapt
  const check = createCheckWanted(readRuleContext)
  const settle = createSettleWanted(readRuleContext, adapter)
  const settleMany = () => createSettleWanted(readOnce(readRuleContext), adapter)
  const editMany = createEditMany({ database, clock, sync })
  const storeMany = createEditMany({ database, clock, sync: unsynced })
  const first = { firstNode: () => nodes.get(firstNode), recheckFirst: () => nodes.recheck(firstNode) }
  const preview = createPreviewSite({ ...deploy, ...first, check, settle })
  const syncAll = createSyncAll(apply)
  const imports = new Imports({
    target: createImportTarget({ db, settleMany, editMany, uploads }),
    async adapt(text) {
      const adapt = await adapter()
      if (adapt === undefined) throw new Error('there is no Caddy')
      return await adapt(text)
    },
    readNode: (id) => readNode(nodes, id),
    hashPassword,
    isRawAllowed: () => settings.current().allow_raw,
    timers,
    folder: config.dataDirectory,
  })
  const onboarding = new CaddyOnboarding({
    ...context,
    nodes,
    sync,
    target: createImportTarget({ db, settleMany, editMany: storeMany, uploads }),
    editMany: storeMany,
    setAcmeEmail: async (email) => void (await settings.change({ acme_email: email })),
    onOnboarded: ({ row }) => context.publish({ type: 'onboarding', action: 'completed', id: String(row.id) }),
  })
  const readOptions = async (nodeId: number) => ownReadOptions(await nodes.get(nodeId), uploads.material)
  return {
    onboarding,
    pending: createPendingWatch({
      timers,
      log,
      isApplying: () => apply.isBusy,
      async pending() {
        const node = await nodes.get(firstNode)
        return node === undefined || node.row.onboarded_at === null ? '' : await namePending(db, firstNode)
      },
      async apply() {
        // The command line may have brought certificates along.
        await uploads.refresh()
        sync.later(bySystem('pending'))
      },
    }),
    features: {
      sites: new Sites({ ...context, check, settle, preview, sync, nodeNames: () => nodes.names() }),
      explain: createExplain({ ...deploy, ...first }),
      checkUpstreams: createCheckUpstreams(readRuleContext),
      applying: {
        revisions,
        status: () => readCaddyStatus(db, deploy),
        syncAll,
        diff: createRevisionDiff({ ...deploy, ...first }),
        now: () => clock.now(),
        returnTo: createReturnToRevision({
          revisions,
          rows: () => allSiteRows(db),
          editMany,
          check: () => createCheckWanted(readOnce(readRuleContext)),
        }),
        drift: createDriftActions(drift, syncAll),
      },
      taking: {
        onboarding,
        adopt: createAdoptDrift({ watch: drift, desired: deploy.desired, settleMany, editMany, readOptions }),
      },
      imports,
    },
  }
}

function createHttp({ config, log, pages }: Context, { guard }: Access, features: Features) {
  return createServer({
    routes: allRoutes(features),
    about: aboutFor(config),
    guard,
    toError,
    onAnswered: features.metrics.onAnswered,
    trust: { proxies: createAddressSet(config.trustedProxies), header: config.forwardedHeader },
    log,
    pages,
    apiPaths: ['/api', '/docs', '/redoc', '/openapi.json'],
  })
}

/** Takes over a Caddy that serves nothing, brings the others up to date, and starts every watch. */
async function start(
  { db, own, log, notifications }: Context,
  { drift, sync }: Deploy,
  parts: Pick<ReturnType<typeof createSites>, 'onboarding' | 'pending'> & {
    certificates: Certificates
    acme: Acme
    vpnLink: VpnLink
    traffic: ReturnType<typeof createTraffic>
    uptime: ReturnType<typeof createUptime>
  },
): Promise<void> {
  const { onboarding, pending, certificates, traffic, acme, uptime, vpnLink } = parts
  await notifications.start()
  own?.onRestarted(() => void drift.check())
  drift.start()
  if (own === undefined || !(await takeOver(onboarding, log))) {
    void drift.check()
    sync.later(bySystem('start'))
  }
  pending.start()
  await certificates.start()
  acme.orders.start()
  vpnLink.start()
  await traffic.learnHosts()
  await uptime.checks.start()
  traffic.feature.upstreams.start()
  await traffic.feature.traffic.start((await findNodeRow(db, firstNode))?.log_file ?? undefined)
}

/** Takes over the service's own Caddy without confirmation, because nothing else configured it. */
async function takeOver(onboarding: CaddyOnboarding, log: Log): Promise<boolean> {
  try {
    return await onboarding.onboardBlank()
  } catch (error) {
    log.error({ err: error }, 'Caddy could not be taken over')
    return false
  }
}
