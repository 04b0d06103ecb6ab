import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { endSessionsWith } from '@hearth/accounts'
import { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { SecurityLog } from '@hearth/accounts/security-log'
import type { Sealer } from '@hearth/credentials'
import type { MeasuredDatabase } from '@hearth/database'
import { backupCollector, createScrapeCheck, databaseCollector, Metrics } from '@hearth/metrics'
import type { OpenGuarded } from '@hearth/outbound'
import { createAddressSet, createServer } from '@hearth/http'
import { notificationCollector, Notifications, startRepeatedCheck } from '@hearth/notifications'
import { type Clock, type Log, systemClock, systemTimers, toIsoString } from '@hearth/runtime'
import { createNeighbours, type BackupControl } from '@hearth/service'
import { about, version } from './about.ts'
import { AccessInForce } from './access-rules/access-in-force.ts'
import { AccessGroups } from './access-rules/groups.ts'
import type { AccessTable } from './access-rules/policy/table.ts'
import { AccessRules } from './access-rules/rules.ts'
import { createGuard, type Identify } from './access.ts'
import type { AsCode } from './as-code/as-code.ts'
import { ConnectionHistory } from './connections/history.ts'
import { openConnections } from './connections/recorder.ts'
import type { Config } from './config.ts'
import type { Tables } from './tables.ts'
import type { ResolverSupervisor } from './resolver/supervisor.ts'
import { createEvents } from './events/events.ts'
import { wantedCollections } from './service-event.ts'
import { openGeographyData } from './geography/open-geography.ts'
import { countryName } from './geography/place.ts'
import { createGeography } from './geography/geography.ts'
import { createDriftRecord, readHealth } from './health/health.ts'
import { DnsWatch } from './hints/dns-watch.ts'
import { Hints } from './hints/hints.ts'
import { PeerWatch } from './hints/peer-watch.ts'
import { DesiredDevices } from './interfaces/desired-devices.ts'
import { createHostLinks } from './interfaces/host-links.ts'
import { Interfaces } from './interfaces/interfaces.ts'
import { takeLeftDevices } from './interfaces/left-devices.ts'
import { proposeInterface } from './interfaces/new-interface.ts'
import { type PlacedInterface, Placement } from './interfaces/placement.ts'
import { forgetLeftDevice, interfaceRowsOn } from './interfaces/store.ts'
import { eventClasses } from './notifications/event-classes.ts'
import { createExpiryReports } from './notifications/expiry-reports.ts'
import { createPeerReports } from './notifications/peer-reports.ts'
import { createServiceReports } from './notifications/service-reports.ts'
import { NameRequests } from './name-requests/name-requests.ts'
import { Admission } from './nodes/admission.ts'
import { NodeAuthority } from './nodes/authority.ts'
import type { NodeDns } from './nodes/dns/node-dns.ts'
import type { LinkServer } from './nodes/link-server.ts'
import { NodeInstances } from './nodes/node-instances.ts'
import { createStateWatch, NodeStatuses } from './nodes/node-statuses.ts'
import { Nodes } from './nodes/nodes.ts'
import { StateWaiters } from './nodes/state-waiters.ts'
import { Quotas } from './quotas/quotas.ts'
import { PrivateDns } from './private-dns/private-dns.ts'
import { readOverview } from './overview/overview.ts'
import { NodeRates } from './peers/counted-traffic.ts'
import { handshakeLifetime } from './peers/followed-peer.ts'
import { Configurations } from './peers/configurations.ts'
import { Peers } from './peers/peers.ts'
import { openSampler } from './peers/sampler.ts'
import { startSampling } from './peers/sampling-loop.ts'
import { toError } from './problems.ts'
import { dnsCollectors } from './prometheus/dns-collectors.ts'
import { tunnelCollectors } from './prometheus/tunnel-collectors.ts'
import { openapiDocument } from './openapi.ts'
import { allRoutes } from './routes.ts'
import { type Filtering, openFiltering } from './filtering/filtering.ts'
import { resolverFile } from './dns/resolver-files.ts'
import { createLists } from './lists/lists.ts'
import { followNewestUpdate } from './lists/updates.ts'
import type { HandshakeGate } from './handshakes/handshake-gate.ts'
import { KeyRotations } from './key-rotation/key-rotations.ts'
import { PeerLimits } from './limits/peer-limits.ts'
import { QueryLog } from './query-log/query-log.ts'
import { openIdPath } from './sessions/openid.ts'
import { Sessions } from './sessions/sessions.ts'
import { type EndpointContext, publicEndpointOf, readPublicEndpoint } from './settings/public-endpoint.ts'
import { openSettings } from './settings/settings.ts'
import { SetupLinks } from './setup-links/setup-links.ts'
import { createSignInMethods } from './sign-in-methods/sign-in-methods.ts'
import { Tokens } from './tokens/tokens.ts'
import { forgetFirstPassword } from './users/first-administrator.ts'
import { TrafficHistory } from './traffic/history.ts'
import { TrafficRecorder } from './traffic/recorder.ts'
import { startRetention } from './traffic/retention.ts'
import { Users, usersIn } from './users/users.ts'
import type { PageQuery } from './nodes/link-schema.ts'
import type { AnswerPage } from './tunnel-page/page-listeners.ts'
import { createPagesOnNodes } from './tunnel-page/pages-on-nodes.ts'
import { TunnelPage } from './tunnel-page/tunnel-page.ts'
import type { DataPlaneChoice } from './wireguard/choose-driver.ts'
import type { WireGuardDriver } from './wireguard/device.ts'
import type { Firewall } from './wireguard/firewall.ts'
import type { LimitTable } from './wireguard/limit-table.ts'
import type { TunnelState } from './wireguard/tunnel-controller.ts'
import { Tunnels } from './wireguard/tunnels.ts'
import { describeDrift } from './wireguard/drift.ts'

/** Dependencies of the app: its settings, its opened database and the chosen data plane. */
export interface AppDependencies {
  readonly config: Config
  readonly log: Log
  readonly database: MeasuredDatabase<Tables>
  readonly sealer: Sealer
  readonly dataPlane: DataPlaneChoice
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  readonly limitTable: LimitTable
  readonly accessTable: AccessTable
  readonly gate: HandshakeGate
  readonly resolver: ResolverSupervisor
  readonly backups: BackupControl
  /** Fetches lists and geography databases from URLs that an operator entered, within the outbound policy. */
  readonly open: OpenGuarded
  /** Folder of the built web pages. */
  readonly pages: string
  readonly clock?: Clock
}

/** The running service. */
export type App = Awaited<ReturnType<typeof createApp>>

/** Composes the service and brings the tunnels to the state that the database describes. The server does not listen yet. */
export async function createApp(dependencies: AppDependencies) {
  const { config, log, database, sealer, dataPlane, driver, firewall, limitTable, resolver, open, pages } = dependencies
  const { accessTable } = dependencies
  const { clock = systemClock } = dependencies
  const events = createEvents(version)
  const { publish } = events

  // Settings and accounts.
  const settings = await openSettings(database.query)
  const { current: currentSettings } = settings
  const onAccessChanged = (userId: string) => events.drop(userId)
  const isPublishedSecurely = config.publicUrl?.startsWith('https:') === true
  const sessions = new Sessions({
    database,
    clock,
    onAccessChanged,
    timeoutMinutes: () => currentSettings().session_timeout_minutes,
    onPasswordChanged: (user) => forgetFirstPassword(config.dataDirectory, user),
  })
  const tokens = new Tokens({ database, clock, onAccessChanged })
  const users = new Users({ database, clock, onAccessChanged })
  const securityLog = new SecurityLog({
    query: database.query,
    clock,
    log,
    retention: config.securityLog,
    findUser: (name) => usersIn(database.query).findActor(name),
    statusOf: (error) => toError(error).status,
  })
  const openIdConnection = new OpenIdConnection({
    configured: config.openId,
    publicUrl: config.publicUrl,
    service: 'vpn',
    title: 'Hearth VPN',
    query: database.query,
    clock,
    log,
    sealer,
    securityLog,
    path: openIdPath,
    allow: config.outboundAllow,
    resolver: config.hostLookup,
  })
  // The system may choose another port than the settings say.
  const port = () => (http.server.address() as AddressInfo | null)?.port ?? config.bindPort
  const { relyingParty } = config
  const methodContext = { database, clock, log, sessions, securityLog, relyingParty, port, onAccessChanged }
  const identify: Identify = async ({ bearer, sessionKey, address }) => {
    if (bearer !== undefined) return tokens.identify(bearer, address)
    return sessionKey === undefined ? undefined : sessions.identify(sessionKey)
  }
  const guard = createGuard({
    identify,
    exempt: config.rateLimitExempt,
    clock,
    checkScrape: createScrapeCheck(config.metrics, clock),
  })

  const notifications = new Notifications(database, {
    sealer,
    timers: systemTimers,
    log,
    allow: config.outboundAllow,
    resolver: config.hostLookup,
    service: 'VPN',
    publicUrl: config.publicUrl,
    classes: eventClasses,
  })

  // Tunnels and their counters.
  const drifts = createDriftRecord(clock)
  const placement = new Placement()
  await placement.load(database.query, clock.now())
  const nodeStatuses = new NodeStatuses({ db: database.query, clock })
  await nodeStatuses.reload()
  const desired = new DesiredDevices({
    db: database.query,
    sealer,
    clock,
    pagePort: (name) => tunnelPage.portOf(name),
    pagePortOnNodes: () => tunnelPage.portOnNodes,
  })
  const stateOnNode = (placed: PlacedInterface | undefined): TunnelState =>
    placed === undefined ? { status: 'down', reason: null } : nodeStatuses.stateOf(placed)
  const tunnels = new Tunnels({
    driver,
    firewall,
    limitTable,
    accessTable,
    elsewhere: {
      has: (name) => !placement.isHere(name),
      state: (name) => stateOnNode(placement.find(name)),
      changed: (name) => placement.changed(name),
    },
    desired: (name) => desired.read(name),
    log,
    onDrift(drift) {
      const message = describeDrift(drift)
      log.warn({ interface: drift.interface }, message)
      drifts.add(drift.interface ?? 'firewall', message)
      publish({ type: 'drift', interface: drift.interface ?? 'firewall', message })
    },
  })
  const geographyData = await openGeographyData({ config, database, clock, log, open, settings: currentSettings })
  const limits: PeerLimits = new PeerLimits({
    db: database.query,
    table: limitTable,
    placement,
    log,
    restriction: (id) => quotas.restriction(id),
  })
  const access = new AccessInForce({ database, table: accessTable, placement, log })
  const recorder = new TrafficRecorder((trx, closed) => geographyData.attribution.addEndpoints(trx, closed))
  const connectionRecorder = await openConnections(database, handshakeLifetime)
  const nodeRates = new NodeRates()
  const sampler = await openSampler({
    database,
    devices: tunnels,
    clock,
    log,
    traffic: recorder,
    connections: connectionRecorder,
    nodeRates,
  })
  const connections = new ConnectionHistory({
    database,
    clock,
    recorder: connectionRecorder,
    settings: currentSettings,
    countryOf(address) {
      const { country } = geographyData.databases.place(address)
      return { code: country, name: countryName(country) }
    },
  })
  const quotas = await Quotas.open({
    db: database.query,
    clock,
    log,
    peer(id) {
      const peer = sampler.peer(id)
      return peer && { id, name: peer.name, rx: peer.activity.rx_total, tx: peer.activity.tx_total }
    },
    async sample(id) {
      const peer = sampler.peer(id)
      if (peer !== undefined) await sampler.samplePeers(peer.interface, [id])
    },
    limits,
    reports: notifications.reports,
    onChanged: () => publish({ type: 'changed', collection: 'peers', id: null }),
  })
  const history = new TrafficHistory({ database, clock, recorder, peers: sampler })

  // DNS: the resolver itself runs already, or starts when it can.
  let nodeDns: NodeDns | undefined
  resolver.attach(log, (count) => publish({ type: 'queries', count }))
  const directory = join(config.dataDirectory, 'dns')
  const queryLog = new QueryLog({ file: join(directory, resolverFile.queryLog), clock })
  // What answers is loaded when the page is switched on, once for this host and for nodes: a peer has one budget.
  let tunnelPageOpened: Promise<AnswerPage> | undefined
  const openTunnelPage = (): Promise<AnswerPage> =>
    (tunnelPageOpened ??= import('./tunnel-page/open-page.ts').then(({ openPage }) =>
      openPage({
        db: database.query,
        clock,
        log,
        settings: currentSettings,
        hosts: (name) => tunnelPage.hostsOf(name),
        peers,
        connections: connectionRecorder,
        history,
        queryLog,
        filtering,
        requests: nameRequests,
      }),
    ))
  const tunnelPage: TunnelPage = new TunnelPage({
    db: database.query,
    timers: systemTimers,
    log,
    settings: currentSettings,
    hasTunnels: dataPlane.backend !== 'simulated',
    tunnels,
    desired,
    suffix: () => filtering.settings.current().peer_names_suffix,
    onNamesChanged: () => filtering.hostNamesChanged(),
    errorOnNode(name) {
      const placed = placement.find(name)
      return placed === undefined ? null : nodeStatuses.pageErrorOf(placed)
    },
    errorOnStandby(name) {
      const placed = placement.standbyOf(name)
      return placed === undefined || stateOnNode(placed).status !== 'up' ? null : nodeStatuses.pageErrorOf(placed)
    },
    onNodesChanged: () => placement.allChanged(),
    load: openTunnelPage,
  })
  const filtering: Filtering = await openFiltering({
    database,
    clock,
    timers: systemTimers,
    log,
    resolver,
    directory,
    hasTunnels: dataPlane.backend !== 'simulated',
    engine: config.dnsEngine,
    extraListeners: config.dnsListen,
    listenClient: config.dnsListenClient,
    fixedUpstreams: config.dnsUpstreams,
    watched() {
      const { hints_tunnelling: tunnels, hints_list_surge: blocked } = currentSettings()
      return { tunnels, blocked }
    },
    hostNames: () => tunnelPage.hostNames(),
    onPausesChanged: () => publish({ type: 'changed', collection: 'dns_pauses', id: null }),
    // Rules stay usable when the log cannot be read; their hits are then missing.
    hits: () => queryLog.ruleHits().catch(() => new Map()),
    preview: (request) => queryLog.preview(request),
    onInputChanged: (scope) => nodeDns?.changed(scope),
  })
  const nameRequests: NameRequests = new NameRequests({
    db: database.query,
    clock,
    filtering,
    onAsked({ id, peer, domain }) {
      publish({ type: 'changed', collection: 'dns_requests', id })
      notifications.reports.notify({
        class: 'dns.name-requested',
        title: `${peer} asks for ${domain}`,
        text: 'The name is blocked for this device. Allow or refuse it under DNS, Requests.',
        path: '/dns/requests',
      })
    },
    onChanged(id) {
      for (const collection of ['dns_requests', 'dns_rules', 'dns_profiles'] as const)
        publish({ type: 'changed', collection, id })
    },
  })
  const privateDns = new PrivateDns({ database, clock, log, directory, resolver, config: config.privateDns })
  await privateDns.publish().catch((error: unknown) => {
    log.error({ err: error }, 'the resolver was not notified of Private DNS')
  })
  const newestList = await followNewestUpdate(database.query, log)
  const lists = await createLists({
    database,
    log,
    directory,
    open,
    publish: (enabled) => filtering.publishLists(enabled),
    schedule: () => ({
      hours: filtering.settings.current().blocklists_update_interval_hours,
      isChosen: filtering.settings.isStored('blocklists_update_interval_hours'),
    }),
    onProgress(report) {
      publish({ type: 'list-update', update: report })
      if (report.status === 'running') return
      publish({ type: 'changed', collection: 'blocklists', id: null })
      newestList.readAgain()
    },
  })
  await filtering.publishLists(await lists.resolverLists()).catch((error: unknown) => {
    // The file is written: the resolver reads it when it starts.
    log.error({ err: error }, 'the resolver did not take over the lists')
  })

  // What operators manage.
  const host = createHostLinks(driver)
  const endpoint: EndpointContext = {
    setting: () => currentSettings().public_endpoint,
    fixed: config.publicEndpoint,
    ownInterfaces: async () => new Set((await interfaceRowsOn(database.query, null)).map(({ name }) => name)),
  }
  const interfacesChanged = async () => {
    await limits.reload()
    await access.reload()
    await tunnelPage.sync()
    await filtering.interfacesChanged()
  }
  // Hosts that run tunnels for this service.
  const authority = new NodeAuthority({ db: database.query, sealer, clock })
  const instances = new NodeInstances()
  const nodes = new Nodes({
    database,
    clock,
    authority,
    instances,
    listeners: config.nodesListen,
    onEndpointChanged: () => publish({ type: 'changed', collection: 'peers', id: null }),
  })
  const endpointHost = async (requestHost: string, nodeId: string | null) =>
    nodeId === null ? publicEndpointOf(endpoint, requestHost).host : nodes.endpointOf(nodeId)
  const managed = { database, sealer, clock, settings: currentSettings, tunnels, desired, sampler, limits, access }
  const ruled = {
    db: database.query,
    clock,
    inForce: access,
    onGroupsChanged: () => filtering.groupsChanged(),
    hostAddresses: () =>
      Object.values(networkInterfaces()).flatMap((links = []) => links.map(({ address }) => address)),
  }
  const peers: Peers = new Peers({
    ...managed,
    quotas,
    host,
    async onChanged(ids) {
      await access.peersDeleted(ids)
      await filtering.peersChanged(ids)
    },
  })
  const configurations = new Configurations({
    db: database.query,
    sealer,
    publicEndpoint: endpointHost,
    onConfigured: (id) => publish({ type: 'changed', collection: 'peers', id }),
    onNewKeyHandedOut: () => rotations.handedOut(),
  })
  const rotations: KeyRotations = new KeyRotations({
    db: database.query,
    clock,
    timers: systemTimers,
    log,
    sealer,
    tunnels,
    peers,
    gate: dependencies.gate,
    onFinished: ({ id }) => publish({ type: 'changed', collection: 'peers', id }),
  })
  const interfaces = new Interfaces({
    ...managed,
    host,
    placement,
    standbyState: (name) => stateOnNode(placement.standbyOf(name)),
    endpointOf: async (nodeId) => (await endpointHost('', nodeId).catch(() => '')) || undefined,
    async onComing() {
      await limits.reload()
      await access.reload()
    },
    onLeft: (name) => forgetLeftDevice(database.query, name),
    async onChanged() {
      await nodeStatuses.reload()
      await interfacesChanged()
    },
  })
  const accessRules = { groups: new AccessGroups(ruled), rules: new AccessRules(ruled) }
  let openedAsCode: Promise<AsCode> | undefined
  // Loaded with the first file: what reads and writes YAML takes 8 MiB.
  const openAsCode = async () =>
    (await import('./as-code/open-as-code.ts')).openAsCode(
      {
        parts: {
          db: database.query,
          sealer,
          settings,
          interfaces,
          peers,
          quotas,
          accessGroups: accessRules.groups,
          accessRules: accessRules.rules,
          lists,
          dns: filtering,
        },
        onChanged() {
          for (const collection of wantedCollections) publish({ type: 'changed', collection, id: null })
        },
      },
      { database, sealer, clock, log, host, directory },
    )

  // What nodes ask for and report.
  const [waiters, dnsWaiters] = [new StateWaiters(), new StateWaiters()]
  const allWaiters = [waiters, dnsWaiters]
  placement.subscribe((nodeId) => {
    for (const each of allWaiters) each.changed(nodeId)
  })
  let linkServer: LinkServer | undefined
  // Loaded when there is an address to listen at.
  const listenForNodes = async () => {
    if (!nodes.isEnabled) return
    const [{ openLinkServer }, { NodeTraffic }, { NodeQueries }, { WantedStates }, dnsModule] = await Promise.all([
      import('./nodes/link-server.ts'),
      import('./nodes/node-traffic.ts'),
      import('./nodes/node-queries.ts'),
      import('./nodes/wanted-state.ts'),
      import('./nodes/dns/node-dns.ts'),
    ])
    const traffic = new NodeTraffic({
      db: database.query,
      clock,
      log,
      sampler,
      rates: nodeRates,
      onNextKeysUsed: (keys) => rotations.usedOnNode(keys),
    })
    const admission = new Admission({
      database,
      clock,
      authority,
      securityLog,
      traffic,
      instances,
      log,
      onStored: () => nodeStatuses.reload(),
      onChanged(id) {
        publish({ type: 'changed', collection: 'nodes', id })
        if (placement.all().length > 0) publish({ type: 'changed', collection: 'interfaces', id: null })
      },
    })
    const states = new WantedStates({ db: database.query, desired, limits, waiters })
    const dns = new dnsModule.NodeDns({
      db: database.query,
      directory,
      clients: () => filtering.clients(),
      waiters: dnsWaiters,
    })
    nodeDns = dns
    const queries = new NodeQueries({
      db: database.query,
      clock,
      log,
      placement,
      write: (batch) => resolver.takeQueries(batch),
    })
    const pageOnNode = createPagesOnNodes({
      db: database.query,
      port: () => tunnelPage.portOnNodes,
      load: openTunnelPage,
    })
    const page = (nodeId: string, query: PageQuery) => {
      const { interface: name, address, from, content_type: contentType, body, ...request } = query
      const asked = { ...request, contentType, body: () => Promise.resolve(body) }
      return pageOnNode(nodeId, { interface: name, address, from, request: asked })
    }
    const answering = { admission, states, dns, queries, page, clock, log }
    linkServer = await openLinkServer({ authority, ...answering, listeners: config.nodesListen })
  }

  const health = () =>
    readHealth({
      database,
      clock,
      dataPlane,
      tunnels,
      resolver: () => filtering.status(),
      privateDns: () => privateDns.status(),
      async tunnelPage() {
        const { places } = await tunnelPage.status()
        // A lost node, and an interface that does not run there, have notices of their own.
        const runs = (placed: PlacedInterface | undefined) =>
          placed === undefined || stateOnNode(placed).status === 'up'
        return { places: places.filter((place) => runs(placement.find(place.interface))) }
      },
      lostNodes: () => nodes.lost(),
      nodesWithoutDns: () => nodes.withoutDns(),
      updateHours: () => filtering.settings.current().blocklists_update_interval_hours,
      drifts,
    })
  const { reports } = notifications
  const hints = await Hints.open({
    db: database.query,
    clock,
    log,
    reports,
    publish,
    settings: currentSettings,
    countriesUnknown: () =>
      geographyData.databases.has('country')
        ? null
        : (geographyData.updateProblem('country') ?? geographyData.databases.problem('country')),
  })
  const atlas = { place: (address: string) => geographyData.databases.place(address), countryName }
  const peerWatch = new PeerWatch({ db: database.query, hints, atlas, peer: (id) => sampler.peer(id) })
  const dnsWatch = new DnsWatch({ db: database.query, hints })
  resolver.onNoticed((report) => {
    dnsWatch.noticed(report).catch((error: unknown) => log.error({ err: error }, 'hints at DNS queries failed'))
  })
  const peerReports = createPeerReports({ reports, peers: sampler, watch: peerWatch })
  const checkExpiry = createExpiryReports({
    reports,
    peers: sampler,
    clock,
    warningDays: () => currentSettings().expiry_warning_days,
  })
  const checkService = createServiceReports({ reports, db: database.query, tunnels, nodes, health })
  const overview = () => readOverview({ ...managed, version, dataPlane, history, filtering, health })

  const metrics = new Metrics({
    service: 'vpn',
    version,
    log,
    collectors: [
      ...tunnelCollectors({ ...managed, db: database.query, backend: dataPlane.backend, nodes, health }),
      ...dnsCollectors({ db: database.query, resolver, filtering }),
      notificationCollector('vpn', notifications),
      databaseCollector(database),
      backupCollector(dependencies.backups),
    ],
  })

  const http = await createServer({
    routes: allRoutes({
      backups: dependencies.backups,
      metrics,
      neighbours: createNeighbours({ service: 'vpn', configured: config.hearthServices, clock }),
      events,
      settings,
      sessions,
      signInMethods: createSignInMethods(methodContext),
      tokens,
      users,
      securityLog,
      interfaces: {
        interfaces,
        propose: () => proposeInterface({ database, host, settings: currentSettings }),
        endpointHost,
      },
      asCode: () => (openedAsCode ??= openAsCode()),
      peers,
      configurations,
      serverImport: {
        ...managed,
        host,
        running: {
          ...managed,
          onChanged: async (ids) => {
            await interfacesChanged()
            await filtering.peersChanged(ids)
          },
        },
      },
      dnsImport: { db: database.query, filtering, lists },
      connections,
      quotas,
      rotations,
      accessRules,
      nameRequests,
      tunnelPage,
      nodes: {
        nodes,
        publicHost: (requestHost) => publicEndpointOf(endpoint, requestHost).host,
        async onChanged(id) {
          await nodeStatuses.reload()
          if (nodeStatuses.has(id)) return waiters.changed(id)
          waiters.forget(id)
          nodeDns?.forget(id)
        },
      },
      setupLinks: new SetupLinks({
        database,
        clock,
        publicUrl: config.publicUrl,
        configurations: (id, requestHost) => configurations.readBoth(id, requestHost),
        onUsed: (use) => peerReports.linkUsed(use),
      }),
      publicEndpoint: (requestHost) => readPublicEndpoint(endpoint, requestHost),
      filtering,
      privateDns,
      lists,
      queryLog,
      queryLogContext: {
        names: filtering.names,
        now: () => clock.now(),
        async purge(before, client) {
          await resolver.purgeLog(before, client)
          await dnsWatch.forget(before, client)
        },
        resolverStatus() {
          const { running, unavailable, blocked_names: names } = filtering.status()
          const updatedAt = toIsoString(newestList.at())
          return { is_running: running, reason: unavailable, blocklist_size: names, blocklist_updated_at: updatedAt }
        },
      },
      overview,
      health,
      history,
      hints,
      geography: createGeography({ database, clock, recorder, ...geographyData, peers: () => sampler.peers() }),
      stillValid: ({ via }) => (via.kind === 'token' ? tokens.isUsable(via.id) : sessions.isUsable(via.key)),
      signInContext: { refundSignIn: guard.refundSignIn, isPublishedSecurely },
      openIdConnection,
      async endSessions(hashes) {
        const users = await endSessionsWith(database.query, 'user_id', hashes)
        for (const userId of users) onAccessChanged(userId)
      },
      openIdSignIn: {
        openId: openIdConnection.source,
        database,
        clock,
        sessions,
        publish,
        onAccessChanged,
      },
      notifications,
      document: openapiDocument,
    }),
    about,
    guard: guard.check,
    toError,
    onAnswered: metrics.onAnswered,
    trust: { proxies: createAddressSet(config.trustedProxies), header: config.forwardedHeader },
    log,
    pages,
  })

  // Periodic work.
  await notifications.start()
  await limits.reload()
  await access.reload()
  await takeLeftDevices({ db: database.query, driver, tunnels, log })
  await tunnels.reconcileAll()
  rotations.start()
  await tunnelPage.sync()
  tunnels.watch(config.driftCheckSeconds * 1000)
  const retention = startRetention({
    database,
    log,
    clock,
    peers: () => Array.from(sampler.peers(), ({ id }) => id),
    retentionDays: () => currentSettings().metrics_retention_days,
    others: [
      (before: number) => geographyData.cleanUp(before),
      () => connections.deleteOld(),
      () => nameRequests.deleteOld(),
      () => hints.cleanUp(),
    ],
  })
  const sampling = startSampling({
    sampler,
    log,
    intervalMs: () => currentSettings().sample_interval_seconds * 1000,
    publish,
    onExpired: async (name, ids) => {
      try {
        await tunnels.reconcile(name)
      } finally {
        // The check of the tunnels tries again; nothing tells the resolver again.
        await filtering.peersChanged(ids)
      }
    },
    onSample: async (report) => {
      peerReports.sampled(report)
      await peerWatch.sampled(report)
      await quotas.check()
      if (events.listeners() > 0) publish({ type: 'overview', overview: await overview() })
    },
  })
  const hasStateChanged = createStateWatch(placement, nodeStatuses)
  const reporting = startRepeatedCheck({
    async check() {
      peerReports.check()
      checkExpiry()
      await dnsWatch.check(clock.now())
      await checkService()
      if (hasStateChanged())
        for (const collection of ['interfaces', 'nodes'] as const) publish({ type: 'changed', collection, id: null })
    },
    everyMs: 10_000,
    timers: systemTimers,
    log,
  })
  settings.subscribe('sample_interval_seconds', () => sampling.intervalChanged())
  settings.subscribe('metrics_retention_days', () => retention.changed())
  settings.subscribe('connection_history_days', () => retention.changed())
  settings.subscribe('connection_history_rows', () => retention.changed())
  for (const name of ['tunnel_page_enabled', 'tunnel_page_port'] as const)
    settings.subscribe(name, () => tunnelPage.sync())
  for (const name of ['hints_tunnelling', 'hints_list_surge'] as const)
    settings.subscribe(name, () => filtering.watchedChanged())
  settings.subscribe('geoip_country_url', () => geographyData.addressChanged())
  settings.subscribe('geoip_asn_url', () => geographyData.addressChanged())

  return {
    http,
    metrics,
    tunnels,
    sampler,
    notifications,
    database,
    openTunnelPage,
    listenForNodes,
    /** Stops answering and watching. Tunnels keep running, and the database stays open. */
    async close() {
      events.close()
      for (const each of allWaiters) each.close()
      await linkServer?.close()
      await tunnelPage.close()
      await http.close()
      await sampling.close()
      await reporting.close()
      await peerWatch.flush(clock.now())
      await dnsWatch.flush(clock.now())
      await rotations.close()
      await retention.close()
      await geographyData.close()
      await lists.close()
      await filtering.close()
      await queryLog.close()
      await tunnels.close()
      await notifications.close()
    },
  }
}
